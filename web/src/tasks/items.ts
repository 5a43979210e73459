/** Texts as the user gives them. */

import type { TextItem } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { TextInput } from '../types.js';

/** Texts in the engine's form. */
export function itemsOf(texts: string | TextInput | readonly TextInput[]): TextItem[] {
  return (isList(texts) ? texts : [texts]).map(itemOf);
}

function isList(texts: string | TextInput | readonly TextInput[]): texts is readonly TextInput[] {
  return Array.isArray(texts);
}

function itemOf(input: TextInput): TextItem {
  if (typeof input === 'string') return { text: input };
  if (typeof input !== 'object' || input === null || typeof input.text !== 'string') {
    const found = input === null ? 'null' : typeof input;
    throw new PocketBertError(
      'invalid_argument',
      `a text is ${found}; expected a string or { text, pair }`,
    );
  }
  return input.pair === undefined ? { text: input.text } : { text: input.text, pair: input.pair };
}
