// Streaming: a float32 checkpoint of 90 MB is quantized with little more memory than its int8 form takes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { kMiniLm, writeCheckpoint } from './support/checkpoint.mjs';

const kProgram = fileURLToPath(new URL('support/load_and_measure.mjs', import.meta.url));

/** Bytes above the int8 weights that loading may take, wasm and JavaScript together. */
const kAllowance = 40_000_000;

let folder;
let server;
let url;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pocketbert-'));
  assert.ok(writeCheckpoint(folder, kMiniLm) > 89_000_000);
  server = createServer((request, response) => {
    const path = join(folder, request.url ?? '');
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-length': statSync(path).size });
    createReadStream(path).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** Memory of a process of its own that loads `model`. */
async function measure(model, flags) {
  const child = spawn(process.execPath, [...flags, kProgram, model], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const text of child.stdout) output += text;
  return JSON.parse(output);
}

// Node's fetch leaves a buffer behind for each packet, and how many of these lie about depends on its
// garbage collector: from the network what is held counts, from the disk all that was seen.
for (const [source, flags] of [
  ['disk', []],
  ['network', ['--expose-gc']],
]) {
  test(`from the ${source}`, async (context) => {
    const { wasm, heap, buffers, weights, seconds } = await measure(
      source === 'disk' ? folder : url,
      flags,
    );
    const mega = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    context.diagnostic(
      `wasm ${mega(wasm)}, heap ${mega(heap)}, buffers ${mega(buffers)}; weights ${mega(weights)}; ${seconds.toFixed(1)} s`,
    );
    assert.ok(weights < 26_000_000, `the weights take ${mega(weights)}`);
    assert.ok(
      wasm + heap + buffers < weights + kAllowance,
      `it took ${mega(wasm + heap + buffers)}, the weights ${mega(weights)}`,
    );
  });
}
