/** A file behind an address: one request, 404 means absent. */

import { abortError, messageOf, PocketBertError, toPocketBertError } from '../errors.js';
import { intoSpares, partBytes, type Bytes, type OpenFile } from './files.js';

/** How addresses are read. */
export interface UrlReading {
  readonly fetch: typeof globalThis.fetch;
  readonly offline: boolean;
  readonly signal: AbortSignal;
  /** Gets a sentence about what the user should know. */
  note(sentence: string): void;
}

/** A file that a server sends. */
export interface UrlFile extends OpenFile {
  /** What the server says that it is. */
  readonly type: string;
}

const absent = [404, 410];
const perhapsAbsent = [401, 403];

async function request(url: URL, reading: UrlReading): Promise<Response> {
  if (reading.offline && /^https?:$/.test(url.protocol)) {
    throw new PocketBertError(
      'network',
      `${url.href} is not at hand and the network is not to be used`,
      {
        hint: 'load the model without `offline`, or give its files',
      },
    );
  }
  try {
    const response = await reading.fetch(url.href, { signal: reading.signal });
    if (typeof response?.ok === 'boolean') return response;
    throw new TypeError(`fetch gave ${String(response)} instead of a Response`);
  } catch (thrown) {
    if (reading.signal.aborted) throw abortError(reading.signal);
    throw new PocketBertError('network', `${url.href} could not be fetched: ${messageOf(thrown)}`, {
      cause: thrown,
      hint: "the server is down or sends no CORS header, or the page's Content-Security-Policy connect-src forbids it",
    });
  }
}

interface Body {
  readonly read: OpenFile['read'];
  cancel(): Promise<void>;
}

/** Reads a body into spare buffers where the browser can do that. */
function bodyOf(stream: ReadableStream<Bytes>): Body {
  try {
    const reader = stream.getReader({ mode: 'byob' });
    return {
      async read(spare = new ArrayBuffer(partBytes)) {
        const { value, done } = await reader.read(new Uint8Array(spare));
        return done ? undefined : value;
      },
      cancel: () => reader.cancel(),
    };
  } catch {
    const reader = stream.getReader();
    const read = intoSpares(async () => (await reader.read()).value);
    return { read, cancel: () => reader.cancel() };
  }
}

function fileOf(url: URL, response: Response, signal: AbortSignal): UrlFile {
  const length = Number(response.headers.get('content-length') ?? 'NaN');
  const body = response.body === null ? undefined : bodyOf(response.body);
  let received = 0;
  return {
    label: url.href,
    size: undefined,
    expected: length > 0 ? length : undefined,
    type: response.headers.get('content-type') ?? 'no type',
    async read(spare) {
      try {
        const bytes = await body?.read(spare);
        received += bytes?.length ?? 0;
        return bytes;
      } catch (thrown) {
        if (signal.aborted) throw abortError(signal);
        throw toPocketBertError(thrown, 'network', `${url.href} broke off after ${received} bytes`);
      }
    },
    close: () => void body?.cancel().catch(() => {}),
  };
}

/**
 * Opens the file at `url`, called `path` in its folder. Undefined if there is none.
 * @param path `''` for a file that is no part of a folder: a refusal does not mean that it is absent
 * @throws `network` for any other status
 */
export async function openUrl(
  url: URL,
  path: string,
  reading: UrlReading,
): Promise<UrlFile | undefined> {
  const response = await request(url, reading);
  const { status, statusText } = response;
  if (response.ok) return fileOf(url, response, reading.signal);
  response.body?.cancel().catch(() => {});
  if (absent.includes(status)) return undefined;
  if (path !== '' && perhapsAbsent.includes(status)) {
    reading.note(`${path} was refused with status ${status} and taken for absent`);
    return undefined;
  }
  throw new PocketBertError(
    'network',
    `${url.href} was answered with status ${status} ${statusText}`.trim(),
  );
}
