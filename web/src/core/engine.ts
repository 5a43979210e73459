/** `loadEngine`: from a variant and a wasm source to an `Engine`. The types are in types.ts. */

export type * from './types.js';
