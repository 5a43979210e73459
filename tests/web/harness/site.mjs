// The site of the browser tests: pages of the test, and beside them what a page needs of the
// project.

import { fileURLToPath } from 'node:url';
import { serve } from '../../../web/build/serve.mjs';

const at = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/**
 * Serves a test's own folder at /, and /harness/ (page.js), /dist/, /models/, /cases/
 * (tests/cases). `/blank.html?module=URL` is a page without markup that loads one module script.
 * Other folders by `also`.
 * @param {string} folder
 * @param {{ isolation?: boolean, csp?: boolean | string, also?: [string, string][] }} [options] see
 * serve.mjs
 */
export function serveTestSite(folder, { isolation = true, csp = true, also = [] } = {}) {
  return serve({
    isolation,
    csp,
    folders: [
      ...also,
      ['/harness/', at('tests/web/harness')],
      ['/dist/', at('dist')],
      ['/models/', at('models')],
      ['/cases/', at('tests/cases')],
      ['/', folder],
    ],
    answer(request, response, headers) {
      const module = /^\/blank\.html\?module=([\w%./-]+)$/.exec(request.url ?? '')?.[1];
      if (!module) return false;
      response.writeHead(200, { ...headers, 'Content-Type': 'text/html; charset=utf-8' });
      response.end(`<!doctype html><meta charset="utf-8"><title>test</title>
<script type="module" src="/harness/page.js"></script><script type="module" src="${decodeURIComponent(module)}"></script>\n`);
      return true;
    },
  });
}
