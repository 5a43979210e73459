// Files of a folder over HTTP, with a record of what was asked for.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

/**
 * @param {import('node:test').TestContext} t closes the server at its end
 * @param {string} folder
 * @param {(path: string, response: import('node:http').ServerResponse) => boolean} answer asked first; true if it answered
 * @returns {Promise<{ url: string, requests: string[] }>}
 */
export async function serveFiles(t, folder, answer = () => false) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    requests.push(path);
    if (answer(path, response)) return;
    const bytes = await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${server.address().port}/`, requests };
}
