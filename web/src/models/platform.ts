/** Where this runs, and how it gets more scripts. */

import { PocketBertError } from '../errors.js';

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

/** A script that few pages need: `later(import('./NAME.js'))`, spelled out for the bundlers. */
export function later<Module>(script: Promise<Module>): Promise<Module> {
  return script.catch((cause: unknown) => {
    throw new PocketBertError('network', 'a script of PocketBERT could not be loaded', { cause });
  });
}
