/** Every request that the page and its workers made, as the browser's own records tell. */

import { byId, formatBytes, make } from '../element.js';
import type { Running } from '../engine.js';

interface SeenRequest {
  /** Milliseconds since the page was opened. */
  readonly time: number;
  readonly by: 'page' | 'worker';
  readonly url: string;
  readonly bytes: number;
}

export class NetworkPanel {
  #running: Running | null = null;
  readonly #page: SeenRequest[] = [];
  /** Requests of workers that ended, and of the one that runs. */
  #past: SeenRequest[] = [];
  #current: SeenRequest[] = [];

  constructor() {
    for (const entry of performance.getEntriesByType('navigation')) this.#seen(entry);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#seen(entry);
      this.#draw();
    }).observe({ type: 'resource', buffered: true });
    window.setInterval(() => void this.refresh(), 2000);
  }

  use(running: Running): void {
    this.#past = [...this.#past, ...this.#current];
    this.#current = [];
    this.#running = running;
    void this.refresh();
  }

  async refresh(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    const requests = await running.embedder.requests().catch(() => []);
    if (running !== this.#running) return;
    this.#current = requests.map(({ url, time, bytes }) => ({
      time: time - performance.timeOrigin,
      by: 'worker',
      url,
      bytes,
    }));
    this.#draw();
  }

  #seen(entry: PerformanceEntry): void {
    if (!(entry instanceof PerformanceResourceTiming)) return;
    const bytes = entry.encodedBodySize;
    this.#page.push({ time: entry.startTime, by: 'page', url: entry.name, bytes });
  }

  #draw(): void {
    const all = [...this.#page, ...this.#past, ...this.#current].sort((a, b) => a.time - b.time);
    const foreign = all.filter((request) => new URL(request.url).origin !== location.origin);
    const summary = byId('network-summary', HTMLElement);
    summary.classList.toggle('bad', foreign.length > 0);
    const total = formatBytes(all.reduce((sum, request) => sum + request.bytes, 0));
    const last = all.at(-1);
    const ago = last === undefined ? 0 : Math.round((performance.now() - last.time) / 1000);
    const hosts = [...new Set(foreign.map((request) => new URL(request.url).host))].join(', ');
    summary.textContent =
      foreign.length === 0
        ? `${all.length} requests (${total}), all of them to this page's own server. The last was ${ago} s ago.`
        : `${all.length} requests (${total}); ${foreign.length} went to ${hosts}, where you asked for a model.`;
    const body = byId('network-table', HTMLTableElement).tBodies[0];
    body?.replaceChildren(
      ...all.map((request) => {
        const url = new URL(request.url);
        const row = make('tr');
        row.append(
          make('td', '', `${(request.time / 1000).toFixed(2)} s`),
          make('td', '', request.by),
          make('td', '', url.host),
          make('td', '', url.pathname + url.search),
          make('td', '', formatBytes(request.bytes)),
        );
        return row;
      }),
    );
  }
}
