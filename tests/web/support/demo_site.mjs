// The built demo page, served as `npm start` serves it, with models beside it that behave and
// models that do not.

import { fileURLToPath } from 'node:url';
import { serve } from '../../../web/build/serve.mjs';

const at = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** A Hugging Face folder with a model of two layers. */
export const kTinyFolder = at('tests/cases/hand/fixtures/enc');
/** The default model's file. */
export const kDefaultFile = at('models/default/default.pocketbert.safetensors');

/** Sends the first bytes of a large file, and never the others. */
function answerSlowly(response, headers) {
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'application/octet-stream',
    'Content-Length': 30_000_000,
  });
  const header = Buffer.from(
    JSON.stringify({ __metadata__: { format: 'pocketbert' } }).padEnd(1 << 20),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  response.write(Buffer.concat([length, header]));
}

/**
 * `/models/tiny/` is a folder, `/models/ner/` one of a model that labels tokens, `/models/page.safetensors` a web page, `/models/slow.safetensors`
 * never ends.
 * `requests` of the site is the server's own log: "METHOD path" of all that was asked for.
 * @param {RegExp} [withheld] addresses that are never answered
 */
export function serveDemo(withheld) {
  return serve({
    folders: [
      ['/models/tiny/', kTinyFolder],
      ['/models/ner/', at('tests/cases/hand/fixtures/ner')],
      ['/', at('build/demo')],
    ],
    answer(request, response, headers) {
      if (withheld?.test(request.url)) return true;
      if (request.url === '/models/slow.safetensors') answerSlowly(response, headers);
      else if (request.url === '/models/page.safetensors') {
        response.writeHead(200, { ...headers, 'Content-Type': 'text/html' });
        response.end('<!doctype html><title>Welcome</title>');
      } else if (request.url === '/models/index.json') {
        response.writeHead(200, {
          ...headers,
          'Content-Type': 'application/json',
          'Cache-Control': 'no-store',
        });
        response.end(JSON.stringify([{ name: 'tiny', url: './models/tiny/' }, { name: 'later' }]));
      } else return false;
      return true;
    },
  });
}

/** What stands more often in `list` than in `other`. */
export function surplus(list, other) {
  const rest = [...other];
  return list.filter((item) => {
    const found = rest.indexOf(item);
    if (found >= 0) rest.splice(found, 1);
    return found < 0;
  });
}

/** Paths of the server's log. */
export const loggedPaths = (site) => site.requests.map((line) => line.replace(/^\S+ /, ''));

/** In the page: paths of the rows of the network panel. */
export const kRowPaths =
  "[...document.querySelectorAll('#network-table .address')]" +
  ".map((cell) => cell.textContent.replace(/^[^/]*/, ''))";
