/** Every request that the page and its workers made, as the browser's own records tell. */

import { byId, make } from '../element.js';
import type { Running } from '../engine.js';
import { formatBytes, formatCount } from '../format.js';
import { Panel } from './panel.js';

interface SeenRequest {
  /** Milliseconds since the page was opened. */
  readonly time: number;
  readonly by: 'page' | 'worker';
  readonly url: URL;
  readonly bytes: number;
}

const refreshEvery = 1000; // ms

export class NetworkPanel extends Panel {
  readonly #page: SeenRequest[] = [];
  /** Requests of each model's worker, by the moment when the model was ready. */
  readonly #workers = new Map<number, readonly SeenRequest[]>();
  #failedLoads = 0;
  #rows = 0;

  constructor() {
    super(byId('network-summary', HTMLElement));
    for (const entry of performance.getEntriesByType('navigation')) this.#seen(entry);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#seen(entry);
      this.#draw();
    }).observe({ type: 'resource', buffered: true });
    window.setInterval(() => void this.run(), refreshEvery);
  }

  /** Asks a model's worker; for the last time before it ends, and takes its records with it. */
  async keepRequestsOf(running: Running): Promise<void> {
    this.#workers.set(running.readyAt, await requestsOf(running));
    this.#draw();
  }

  loadFailed(): void {
    this.#failedLoads += 1;
    this.#draw();
  }

  protected override async update(running: Running): Promise<void> {
    await this.keepRequestsOf(running);
  }

  #seen(entry: PerformanceEntry): void {
    if (!(entry instanceof PerformanceResourceTiming)) return;
    const bytes = entry.encodedBodySize;
    this.#page.push({ time: entry.startTime, by: 'page', url: new URL(entry.name), bytes });
  }

  #draw(): void {
    const all = [...this.#page, ...[...this.#workers.values()].flat()].sort(
      (a, b) => a.time - b.time,
    );
    this.#drawSummary(all);
    this.#drawSince(all);
    if (all.length === this.#rows) return;
    this.#rows = all.length;
    byId('network-table', HTMLTableElement).tBodies[0]?.replaceChildren(...all.map(drawRow));
  }

  #drawSummary(all: readonly SeenRequest[]): void {
    const foreign = all.filter(({ url }) => isForeign(url));
    const total = formatBytes(all.reduce((sum, { bytes }) => sum + bytes, 0));
    const hosts = [...new Set(foreign.map(({ url }) => url.host))].join(', ');
    const whose =
      foreign.length === 0
        ? 'all of them to this page’s own server'
        : `${foreign.length} of them to ${hosts}, where you asked for a model`;
    const lost =
      this.#failedLoads > 0
        ? ` ${formatCount(this.#failedLoads, 'load')} failed or ended early; what the worker had ` +
          'fetched of its own program by then ended with it and is not in the list.'
        : '';
    byId('network-verdict', HTMLElement).classList.toggle('foreign', foreign.length > 0);
    this.tell(
      `${formatCount(all.length, 'request')} (${total}), ${whose}.${lost}` +
        this.#unseenThreads() +
        this.#unseenScripts(),
    );
  }

  /** A sentence if the browser (Firefox) has no records of what the worker's threads fetched. */
  #unseenThreads(): string {
    const { running } = this;
    const requests = this.#workers.get(running?.readyAt ?? -1);
    if (running === null || requests === undefined) return '';
    const { threads, variant } = running.embedder.info;
    if (threads === 1 || requests.filter(isEngine).length > 1) return '';
    const others = `${threads - 1} more loaded the script of ${variant}.`;
    return ` This browser keeps no record of what threads fetch: ${others}`;
  }

  /**
   * A sentence if the browser (WebKit) has no records of what it asked for again and had unchanged. It is
   * also the one that loses a record of a short file now and then.
   */
  #unseenScripts(): string {
    const silent = [...this.#workers.values()].filter((requests) => !requests.some(isEngine));
    if (silent.length === 0) return '';
    const workers = formatCount(silent.length, 'worker');
    return (
      ' This browser keeps no record of a worker’s scripts that had not changed, and now and then none of a ' +
      `short file: ${workers} loaded such scripts again.`
    );
  }

  #drawSince(all: readonly SeenRequest[]): void {
    const { running } = this;
    if (running === null) return;
    const { texts, tokens } = running.work;
    const since = all.filter(({ time }) => time > running.readyAt);
    const scripts = since.filter(isProgram).length;
    const share = scripts === since.length ? 'all' : `${scripts} of them`;
    const which =
      scripts === 0 ? '' : `, ${share} for this page’s own scripts, of panels that were opened`;
    const seconds = Math.round((performance.now() - running.readyAt) / 1000);
    byId('network-since', HTMLElement).textContent =
      `Since the model was ready, ${formatCount(seconds, 'second')} ago, ` +
      `it read ${formatCount(texts, 'text')} (${formatCount(tokens, 'token')}). Requests made in that time: ${since.length}${which}.`;
  }
}

function isForeign(url: URL): boolean {
  return url.origin !== location.origin && /^https?:$/.test(url.protocol);
}

/** A script of the page's own program: its bundler names them all like that, and nothing is asked with them. */
function isProgram({ url }: SeenRequest): boolean {
  return !isForeign(url) && url.search === '' && /\/assets\/[\w.-]+\.js$/.test(url.pathname);
}

/** The script of the engine's module, which every worker and thread loads. */
function isEngine({ url }: SeenRequest): boolean {
  return /\/pocketbert-(?!import)[\w-]+\.js$/.test(url.pathname);
}

async function requestsOf({ embedder }: Running): Promise<SeenRequest[]> {
  const requests = await embedder.requests();
  return requests.map(({ url, time, bytes }) => ({
    time: time - performance.timeOrigin,
    by: 'worker',
    url: new URL(url),
    bytes,
  }));
}

function drawRow({ time, by, url, bytes }: SeenRequest): HTMLElement {
  const address = make('td', 'address');
  address.append(make('span', 'host', url.host), make('wbr'), url.pathname + url.search);
  const row = make('tr', isForeign(url) ? 'foreign' : '');
  const cells = [make('td', '', `${(time / 1000).toFixed(2)} s`), make('td', '', by), address];
  row.append(...cells, make('td', 'number', bytes > 0 ? formatBytes(bytes) : '–'));
  return row;
}
