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

const byteUnits = ['B', 'kB', 'MB', 'GB'];

/** 10,347,000 → "10.3 MB". */
export function formatBytes(bytes: number): string {
  let unit = 0;
  while (bytes >= 1000 && unit < byteUnits.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return `${bytes.toFixed(unit === 0 || bytes >= 100 ? 0 : 1)} ${byteUnits[unit]}`;
}

export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** "42 texts, 812 tokens in 63 ms (12,900 tokens/s)". */
export function formatRate(texts: number, tokens: number, milliseconds: number): string {
  const rate = Math.round(tokens / Math.max(milliseconds / 1000, 1e-6) / 100) * 100;
  return `${formatCount(texts, 'text')}, ${formatCount(tokens, 'token')} in ${milliseconds.toFixed(
    milliseconds < 10 ? 1 : 0,
  )} ms (${rate.toLocaleString('en')} tokens/s)`;
}
