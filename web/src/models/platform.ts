/** Where this runs. */

/** True where files of the disk can be read and there is no page: in node and its like. */
export function hasDisk(): boolean {
  return (
    typeof process === 'object' &&
    typeof process.versions?.node === 'string' &&
    typeof window === 'undefined'
  );
}

/** Against what relative addresses are resolved. */
export function pageAddress(): string | undefined {
  if (typeof document === 'object') return document.baseURI;
  return typeof location === 'object' ? location.href : undefined;
}
