/** Numbers and errors as a visitor reads them. */

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

/** 1200, "sentence" → "1,200 sentences". */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** 4.26 ms → "4.3 ms", 421.7 ms → "422 ms", 93,000 ms → "93 s". */
export function formatTime(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 10_000) return `${milliseconds.toFixed(0)} ms`;
  return `${(milliseconds / 1000).toFixed(0)} s`;
}

/** "12,900 tokens/s", with two digits that mean something. */
export function formatSpeed(tokens: number, milliseconds: number): string {
  const rate = (1000 * tokens) / Math.max(milliseconds, 1e-3);
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(rate, 1))) - 1);
  return `${(Math.round(rate / digits) * digits).toLocaleString('en')} tokens/s`;
}

/** "16 sentences, 302 tokens in 63 ms (4,800 tokens/s)". */
export function formatRate(texts: string, tokens: number, milliseconds: number): string {
  const work = `${texts}, ${formatCount(tokens, 'token')}`;
  return `${work} in ${formatTime(milliseconds)} (${formatSpeed(tokens, milliseconds)})`;
}

/** What a person reads of an error: its message, and what can be done. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : '';
  return hint === ''
    ? error.message
    : `${error.message}. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
}

const outdatedCodes: readonly unknown[] = ['superseded', 'aborted', 'destroyed'];

/** True if a call failed only because a newer one, or another model, took its place. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && outdatedCodes.includes(error.code);
}
