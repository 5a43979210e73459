// Memory of a page's process, above that of the same page empty. Chromium on Linux only: the browser
// tells its renderers' process numbers, the kernel what they use (PSS: shared pages are divided among
// those who share them).

import { readFileSync, statSync } from 'node:fs';
import { say } from '../../web/build/process.mjs';
import { openBrowser } from '../browser.mjs';
import { addressOf } from '../site.mjs';
import { summarize } from '../statistics.mjs';
import { pageContestants } from './start.mjs';

const kSettle = 500; // ms between two looks

const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

/** Bytes of one process, 0 if it has ended. */
function pssOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** In the page and in its own workers; those of a thread pool sleep and would never answer. */
async function collectGarbage(page) {
  const pageClient = await page.createCDPSession();
  const workers = page.workers().filter((worker) => worker.url().endsWith('/dist/worker.js'));
  for (const client of [pageClient, ...workers.map((worker) => worker.client)])
    await client.send('HeapProfiler.collectGarbage').catch(() => undefined);
  await pageClient.detach();
}

/** Bytes of all renderer processes, garbage collected; the lowest of some looks, as garbage comes and goes. */
async function renderersOf({ browser }, page, looks) {
  const client = await browser.target().createCDPSession();
  let least = Infinity;
  for (let look = 0; look < looks; look++) {
    await collectGarbage(page);
    await pause(kSettle);
    const { processInfo } = await client.send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter(({ type }) => type === 'renderer');
    if (renderers.length === 0) throw new Error('the browser names no renderer process');
    least = Math.min(
      least,
      renderers.reduce((sum, { id }) => sum + pssOf(id), 0),
    );
  }
  await client.detach();
  return least;
}

/** Opens a contestant's page in a browser of its own and calls `use(tab, grown)`; `grown()` is in bytes. */
async function withMeasuredPage({ engine, site, models, settings }, contestant, use) {
  const { looks } = settings;
  const browser = await openBrowser(engine);
  try {
    const tab = await browser.open(addressOf(site, contestant, models.minilm));
    const empty = await renderersOf(browser, tab.page, looks);
    return await use(tab, async () => (await renderersOf(browser, tab.page, looks)) - empty);
  } finally {
    await browser.close();
  }
}

const kMB = 1e6;

const canMeasure = ({ engine }) => engine === 'chromium' && process.platform === 'linux';

/** After load, and after 32 texts of 240 tokens in one call. */
export async function measureMemory(context) {
  if (!context.wants('memory')) return {};
  if (!canMeasure(context)) {
    say('memory: measured in Chromium on Linux only');
    return {};
  }
  say('memory');
  const [file, loaded, batch] = [{}, {}, {}];
  for (const contestant of pageContestants(context, 'memory')) {
    const { id } = contestant;
    try {
      await withMeasuredPage(context, contestant, async (tab, grown) => {
        await tab.call('load');
        const afterLoad = (await grown()) / kMB;
        await tab.call('time', {
          task: 'batch',
          texts: context.texts.long,
          budget: 0,
          least: 1,
          most: 1,
        });
        const afterBatch = (await grown()) / kMB;
        file[id] = summarize([statSync(contestant.file(context.models.minilm)).size / kMB]);
        loaded[id] = summarize([afterLoad]);
        batch[id] = summarize([afterBatch]);
        say(
          `  ${id}: ${afterLoad.toFixed(0)} MB after load, ${afterBatch.toFixed(0)} MB after 32 × 240 tokens`,
        );
      });
    } catch (error) {
      context.leaveOut(id, error);
    }
  }
  const shared = { unit: 'MB', kind: 'plain' };
  return {
    measures: [
      { id: 'model-file', label: 'model file', ...shared, values: file },
      {
        id: 'memory-load',
        label: 'memory above an empty page, after load',
        ...shared,
        values: loaded,
      },
      { id: 'memory-batch', label: 'the same, after 32 × 240 tokens', ...shared, values: batch },
    ],
  };
}

/** Bytes more after `calls` calls than after 100. */
async function growthOf(context, contestant, calls) {
  return withMeasuredPage(context, contestant, async (tab, grown) => {
    await tab.call('load');
    const texts = [context.texts.byLength[8]];
    const run = (count) =>
      tab.call('time', { task: 'one', texts, budget: 0, least: count, most: count });
    await run(100);
    const early = await grown();
    await run(calls - 100);
    return (await grown()) - early;
  });
}

/** Our memory after many calls, above that after 100. */
export async function measureSoak(context) {
  if (!context.wants('soak') || !canMeasure(context)) return {};
  say('many calls in a row');
  const values = {};
  const calls = context.settings.soak;
  const ours = pageContestants(context, 'memory').filter(({ side }) => side === 'ours');
  for (const contestant of ours) {
    try {
      const more = (await growthOf(context, contestant, calls)) / kMB;
      values[contestant.id] = summarize([more]);
      say(`  ${contestant.id}: ${more.toFixed(2)} MB more after ${calls} calls`);
    } catch (error) {
      context.leaveOut(contestant.id, error);
    }
  }
  const label = `memory after ${calls.toLocaleString('en')} calls, above that after 100`;
  return { measures: [{ id: 'soak', label, unit: 'MB', kind: 'plain', values }] };
}
