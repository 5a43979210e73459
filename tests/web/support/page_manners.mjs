// What is asked of every page: names for screen readers, and contrast.

const kNamed = [
  'button',
  'checkbox',
  'combobox',
  'textbox',
  'searchbox',
  'tab',
  'tabpanel',
  'grid',
  'table',
  'progressbar',
  'list',
  'region',
  'group',
];

/** How much of the page that can be used was seen, and roles of what has no name. */
export async function namesOf(page) {
  let seen = 0;
  const nameless = [];
  const visit = (node) => {
    if (kNamed.includes(node.role)) {
      seen += 1;
      if (!node.name) nameless.push(node.role);
    }
    for (const child of node.children ?? []) visit(child);
  };
  visit(await page.accessibility.snapshot({ interestingOnly: false }));
  return { seen, nameless };
}

/** In the page: [contrast, text] of visible texts whose contrast is less than 4.5. */
export function weakTexts() {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = rgba(colour)
      .slice(0, 3)
      .map((byte) => (byte <= 10 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (rgba(backgroundColor)[3] === 255) return backgroundColor;
    }
    return 'white';
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const weak = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || !element.checkVisibility() || element.tagName === 'OPTION')
      continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort(
      (x, y) => y - x,
    );
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) weak.push([contrast.toFixed(2), node.data.trim().slice(0, 40)]);
  }
  return weak;
}
