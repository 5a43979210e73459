// Panels of the demo page for tasks that only some models do, and tiny models that do them.

import { fileURLToPath } from 'node:url';
import { until } from './demo_page.mjs';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Folders of cases, with models in fixtures/. */
export const kBert = at('cases/hand');
export const kFamilies = at('cases-families/hand');
/** Panels, and a model for each. */
export const kTasks = [
  ['entities', `${kBert}/fixtures/ner`],
  ['answers', `${kBert}/fixtures/qa`],
  ['fill', `${kBert}/fixtures/mlm`],
  ['zero-shot', `${kFamilies}/fixtures/bert-nli`],
  ['rank', `${kFamilies}/fixtures/bert-rank`],
];
export async function loadFolder(page, folder) {
  await (await page.$('#model-folder')).uploadFile(folder);
  const name = folder.split('/').at(-1);
  await until(page, 'model-status', `${name} is ready.`);
  await until(page, 'facts', name);
}

/** Loads the panel's model and opens the panel. */
export async function openPanel(page, name) {
  await loadFolder(page, new Map(kTasks).get(name));
  await page.click(`#tab-${name}`);
  await page.waitForSelector(`#${name}-able:not([hidden])`);
}
