/** Labels with a score between 0 and 1, drawn as bars. */

import { make } from './element.js';

export interface Bar {
  readonly label: string;
  /** 0 to 1: the length of the bar. */
  readonly share: number;
  /** What stands behind the bar; default: the share as a percentage. */
  readonly value?: string;
}

export function drawBars(root: HTMLElement, bars: readonly Bar[]): void {
  root.replaceChildren(
    ...bars.map((bar) => {
      const row = make('div', 'bar');
      row.setAttribute('role', 'listitem');
      const track = make('span', 'track');
      const fill = make('span', 'fill');
      fill.style.setProperty('--share', String(Math.min(1, Math.max(0, bar.share))));
      track.append(fill);
      const name = make('span', 'name', bar.label);
      name.title = bar.label;
      row.append(
        name,
        track,
        make('span', 'value', bar.value ?? `${(100 * bar.share).toFixed(1)} %`),
      );
      return row;
    }),
  );
}
