/** A text with stretches of it marked. */

import { make } from './element.js';

/** `text.slice(start, end)`, in UTF-16 units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /** Classes of its own. */
  readonly look: string;
  /** Stands behind the stretch. */
  readonly note?: string;
}

/** Letters that are drawn at most: a page of a million makes every key press slow. */
const mostDrawn = 60_000;

/** Of marks that overlap, the earlier one of the list is drawn. */
export function drawMarked(root: HTMLElement, text: string, marks: readonly Mark[]): void {
  const drawn: Mark[] = [];
  for (const mark of marks) {
    const overlaps = drawn.some(({ start, end }) => mark.start < end && start < mark.end);
    if (!overlaps && mark.end > mark.start && mark.end <= mostDrawn) drawn.push(mark);
  }
  drawn.sort((a, b) => a.start - b.start);
  const parts: (Node | string)[] = [];
  let place = 0;
  for (const { start, end, look, note } of drawn) {
    const element = make('mark', look, text.slice(start, end));
    if (note !== undefined) element.append(make('span', 'note', note));
    parts.push(text.slice(place, start), element);
    place = end;
  }
  parts.push(text.slice(place, Math.max(place, mostDrawn)));
  if (text.length > mostDrawn) parts.push(' … and more, which is read but not drawn.');
  root.replaceChildren(...parts);
}
