// The cases that browsers play: the first of each kind, of each fixture (so of each model family,
// and of each head of it), and of each kind of tokenizer.

import { fileURLToPath } from 'node:url';
import { collectSuites } from '../../cases/runner/collect.mjs';
import { disk, listFolder } from '../../cases/runner/disk.mjs';
import { Sources } from '../../cases/runner/sources.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Where the halves lie on the test site, and on the disk. */
const kHalves = {
  '/cases/hand': at('../../cases/hand'),
  '/families/hand': at('../../cases-families/hand'),
};

export const kKinds = ['tokenize', 'embed', 'classify', 'zero-shot', 'ner', 'qa', 'fill-mask'];

/** False for real models, which are not on the site. */
function isOnSite({ tokenizer, model }) {
  return typeof tokenizer === 'string' || typeof model?.dir === 'string';
}

/** What there is about a case; if something of it is new, the case is chosen. */
function traitsOf({ kind, folder, tokenizers }, { tokenizer, model }) {
  if (kind !== 'tokenize') return [`${folder} ${kind}`, `${folder} ${model.dir}`];
  const content = tokenizers[tokenizer.slice(1)];
  return [`${folder} ${kind}`, `tokenizer ${content.model?.type ?? 'of vocab.txt'}`];
}

/**
 * Suites with the chosen cases only, in folders of the site; the paths of all files in each folder
 * that they name; and the model families among these.
 */
export async function chooseCases() {
  const known = new Set();
  const suites = [];
  const listings = {};
  const families = new Set();
  const sources = new Sources(disk);
  for (const [folder, half] of Object.entries(kHalves)) {
    for (const suite of await collectSuites(half, new Set(kKinds))) {
      const cases = suite.cases.filter((testCase) => {
        if (!isOnSite(testCase)) return false;
        const fresh = traitsOf(suite, testCase).filter((trait) => !known.has(trait));
        for (const trait of fresh) known.add(trait);
        return fresh.length > 0;
      });
      suites.push({ ...suite, folder, cases });
      for (const { model } of cases.filter((one) => one.model !== undefined)) {
        listings[`${folder}/${model.dir}`] ??= await listFolder(`${half}/${model.dir}`);
        const config = await sources.json(`${half}/${model.dir}/config.json`);
        families.add(config.model_type);
      }
    }
  }
  return { suites, listings, families };
}
