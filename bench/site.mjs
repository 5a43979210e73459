// The site that the benchmark's pages come from: everything from this machine's disk, with the
// headers that threads need and without a content policy, which not every contestant could live with.

import { dirname, join } from 'node:path';
import { serveTestSite } from '../tests/web/harness/site.mjs';
import { kSourceFolder } from '../web/build/cache.mjs';

const kPages = join(kSourceFolder, 'bench', 'pages');

/** Serves the pages, `dist/`, the peers' packages and the models. */
export function serveBench(models) {
  const oursFolders = [...new Set(models.map(({ ours }) => dirname(ours)))];
  const peerFolders = [...new Set(models.map(({ peers }) => peers))];
  return serveTestSite(kPages, {
    csp: false,
    also: [
      ['/peers/', join(kSourceFolder, 'bench', 'node_modules')],
      ...peerFolders.map((folder) => ['/peer-models/', folder]),
      ...oursFolders.map((folder) => ['/ours/', folder]),
    ],
  });
}

/**
 * Address of a contestant's page, or undefined if the model has no form that it can take.
 * @param {{ url: string }} site
 * @param {object} contestant see contestants.mjs
 * @param {object} model see peers.mjs
 * @param {{ text: string, calls: number }} [first] makes the page measure its own start
 */
export function addressOf(site, contestant, model, first) {
  const options = contestant.options(model);
  if (options === undefined) return undefined;
  const fragment = encodeURIComponent(JSON.stringify({ adapter: contestant.page, options, first }));
  return `${site.url}blank.html?module=/runner.js#${fragment}`;
}
