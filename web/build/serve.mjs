// Static server for localhost: the demo page, and the pages of the browser tests.
//
//   node web/build/serve.mjs [--port N] [--no-isolation] [--no-csp] FOLDER
//
// By default every answer carries what a careful site would send: cross-origin isolation (which
// threads need) and a policy under which only files of this site run and only this site is spoken
// to.

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BuildError, runMain, say } from './process.mjs';

const kTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
  '.safetensors': 'application/octet-stream',
};

/** Bytes of a file that are read at once: node's 64 kB cost a model of 23 MB twice the time. */
const kPartBytes = 1 << 20;

const kIsolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The content security policy; `hosts` may be spoken to besides the site itself (none by default). */
export function contentPolicy(hosts = []) {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    ["connect-src 'self'", ...hosts].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `bytes=A-B`, `bytes=A-` or `bytes=-N` as [first, last]; undefined if absent, null if it cannot be met. */
function requestedRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const first = match[1] === '' ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const last = match[1] === '' || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  return first <= last ? [first, last] : null;
}

function sendFile(request, response, path, info, headers) {
  const tag = `"${info.size.toString(16)}-${Math.round(info.mtimeMs).toString(16)}"`;
  const all = {
    ...headers,
    'Content-Type': kTypes[extname(path)] ?? 'application/octet-stream',
    ETag: tag,
    'Cache-Control': 'no-cache',
    'Accept-Ranges': 'bytes',
  };
  if (request.headers['if-none-match'] === tag) return response.writeHead(304, all).end();
  const range = requestedRange(request.headers.range, info.size);
  if (range === null)
    return response.writeHead(416, { ...all, 'Content-Range': `bytes */${info.size}` }).end();
  const [first, last] = range ?? [0, info.size - 1];
  const length = Math.max(0, last - first + 1);
  if (range) all['Content-Range'] = `bytes ${first}-${last}/${info.size}`;
  response.writeHead(range ? 206 : 200, { ...all, 'Content-Length': length });
  if (request.method === 'HEAD' || length === 0) return response.end();
  const part = { start: first, end: last, highWaterMark: kPartBytes };
  const stream = createReadStream(path, part);
  stream.on('error', () => response.destroy());
  response.on('close', () => stream.destroy());
  return stream.pipe(response);
}

/** What is at a path; undefined if nothing is, or if a part of the path is a file and no folder. */
function statOf(path) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The file that an address means within `folders` ([prefix, folder] pairs, the first that fits), or undefined. */
function findFile(pathname, folders) {
  for (const [prefix, folder] of folders) {
    if (!pathname.startsWith(prefix)) continue;
    const root = resolve(folder);
    let path = normalize(join(root, pathname.slice(prefix.length)));
    if (path !== root && !path.startsWith(root + sep)) continue;
    let info = statOf(path);
    if (info?.isDirectory()) {
      path = join(path, 'index.html');
      info = statOf(path);
    }
    if (info?.isFile()) return { path, info };
  }
  return undefined;
}

function decodedPath(url) {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
}

/**
 * Starts a server on the loopback interface. Options:
 *  - `folders`: [[address prefix, folder], …]; the first pair that has the file answers;
 *  - `port`: 0 (default) for any free one;
 *  - `isolation` (default true): headers of cross-origin isolation;
 *  - `csp` (default true): the content security policy; a string is sent as it is;
 *  - `answer(request, response, headers)`: asked first; true if it answered;
 * Resolves with `{ url, port, requests, close }`; `requests` collects "METHOD path" of everything
 * asked for.
 */
export function serve({ folders, port = 0, isolation = true, csp = true, answer }) {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    ...(isolation ? kIsolation : {}),
    ...(csp ? { 'Content-Security-Policy': csp === true ? contentPolicy() : csp } : {}),
  };
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (answer?.(request, response, headers)) return;
    const pathname = decodedPath(request.url);
    const found = pathname === undefined ? undefined : findFile(pathname, folders);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      response.writeHead(405, headers).end();
    else if (found) sendFile(request, response, found.path, found.info, headers);
    else
      response
        .writeHead(404, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' })
        .end(`no such file: ${pathname}\n`);
  });
  return new Promise((done, failed) => {
    server.on('error', failed);
    server.listen(port, '127.0.0.1', () => {
      const chosen = server.address().port;
      done({
        url: `http://localhost:${chosen}/`,
        port: chosen,
        requests,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '0' },
      'no-isolation': { type: 'boolean' },
      'no-csp': { type: 'boolean' },
    },
  });
  const [folder] = positionals;
  if (!folder)
    throw new BuildError(
      'usage: node web/build/serve.mjs [--port N] [--no-isolation] [--no-csp] FOLDER',
    );
  const site = await serve({
    folders: [['/', folder]],
    port: Number(values.port),
    isolation: !values['no-isolation'],
    csp: !values['no-csp'],
  });
  say(`serving ${folder} at ${site.url}`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) runMain(main);
