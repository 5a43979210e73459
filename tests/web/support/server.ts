/** A server of a test's own files on the loopback address. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = Uint8Array | string | ((response: ServerResponse) => void);

export interface FileServer {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly requests: string[];
  /** What is answered; may be changed at any time. */
  readonly files: Map<string, Answer>;
  close(): Promise<void>;
}

export async function serve(files: { readonly [path: string]: Answer }): Promise<FileServer> {
  const answers = new Map(Object.entries(files));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1));
    requests.push(path);
    const answer = answers.get(path) ?? answers.get('*');
    if (answer === undefined) response.writeHead(404).end('there is no such file');
    else if (typeof answer === 'function') answer(response);
    else response.writeHead(200, { 'content-length': Buffer.byteLength(answer) }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    files: answers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
