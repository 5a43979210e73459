// Kind load-error: a broken or foreign source must fail in an orderly way, whichever precision it
// is loaded with.

import { Classifier, Embedder } from 'pocketbert';
import { Skip } from './outcome.mjs';
import { settle } from './settle.mjs';

const kTasks = {
  embed: { Class: Embedder, use: (embedder, text) => embedder.embed(text) },
  classify: { Class: Classifier, use: (classifier, text) => classifier.classify(text) },
};

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playLoadError(testCase, { suite, sources, canary }) {
  const { model, files: overlay, input, options, expect } = testCase;
  const task = kTasks[options.task];
  if (task === undefined)
    throw new Skip(`the task ${options.task} has no class in the package yet`);
  const files = await sources.modelFiles(suite.folder, model, overlay);
  const differences = [];
  for (const precision of ['int8', 'float32']) {
    const attempt = () =>
      loadAndPerhapsUse(task, { model: files, precision }, expect.when, input.text ?? 'boat');
    const found = await settle(expect, { attempt, files, canary, compare: () => [] });
    differences.push(...found.map((d) => ({ ...d, what: `${d.what} (${precision})` })));
  }
  return differences;
}

/** What happened without an error, in words. */
async function loadAndPerhapsUse({ Class, use }, createOptions, when, text) {
  const opened = await Class.create(createOptions);
  try {
    if (when === 'load') return 'it loaded';
    await use(opened, text);
    return 'it loaded and gave a result';
  } finally {
    await opened.destroy();
  }
}
