/** Finding and making elements with the type that is meant, so that a typo fails at once. */

export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`page: no ${type.name} with id ${id}`);
  return element;
}

/** `<tag class=…>text</tag>`; the text is set as text, never as markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  if (text !== '') element.textContent = text;
  return element;
}

/** Runs `work` once `milliseconds` have passed without a further call. */
export function debounce(milliseconds: number, work: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(work, milliseconds);
  };
}

/** Buttons that put an example into `field`, as if it had been typed. */
export function offerExamples(
  root: HTMLElement,
  field: HTMLInputElement | HTMLTextAreaElement,
  examples: readonly string[],
): void {
  for (const example of examples) {
    const button = make('button', 'chip', example);
    button.type = 'button';
    button.addEventListener('click', () => {
      field.value = example;
      field.dispatchEvent(new Event('input'));
    });
    root.append(button);
  }
}
