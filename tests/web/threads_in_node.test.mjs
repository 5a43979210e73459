// What the variant with threads leaves behind in node: no memory, no global, no class that pages know
// under the same name.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, test } from 'node:test';
import { fixtures, root, temporaryFolder } from './support/program.mjs';
import { spawnSync } from 'node:child_process';

/** Runs a module with the built package as `pocketbert`; gives the JSON value that it prints. */
function run(t, source) {
  const path = join(temporaryFolder(t), 'script.mjs');
  const index = pathToFileURL(join(root, 'dist/index.js')).href;
  writeFileSync(path, `import { Embedder } from ${JSON.stringify(index)};\nconst model = ${JSON.stringify(join(fixtures, 'enc'))};\n${source}\nprocess.exit();`);
  const relaxed = process.execArgv.filter((flag) => flag.startsWith('--experimental-wasm'));
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', ...relaxed, path], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

describe('relaxed-mt in node', () => {
  for (const threads of [1, 2]) {
    test(`${threads} thread(s): objects that are destroyed leave no memory behind`, (t) => {
      const { used, resident } = run(
        t,
        `const used = [], resident = [];
        for (let i = 1; i <= 160; i++) {
          const embedder = await Embedder.create({ model, variant: 'relaxed-mt', threads: ${threads} });
          await embedder.embed('boat');
          await embedder.destroy();
          if (i !== 40 && i !== 160) continue;
          for (let round = 0; round < 3; round++) {
            gc();
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
          used.push(process.memoryUsage().heapUsed);
          resident.push(process.memoryUsage().rss);
        }
        console.log(JSON.stringify({ used, resident }));`,
      );
      // What leaks a whole memory leaks 0.7 MB each time.
      assert.ok(resident[1] - resident[0] < 120 * 350_000, `${resident}`);
      assert.ok(used[1] - used[0] < 3_000_000, `${used}`);
    });
  }

  test('no global is left; a worker is refused before and after', (t) => {
    const found = run(
      t,
      `const found = [];
      for (const own of [undefined, class Worker {}]) {
        if (own) globalThis.Worker = own;
        const embedder = await Embedder.create({ model, variant: 'relaxed-mt', threads: 2 });
        await embedder.embed('boat');
        found.push(embedder.info.threads, globalThis.Worker === own);
        const error = await Embedder.create({ model, worker: true }).catch((thrown) => thrown);
        found.push(error.code);
        await embedder.destroy();
      }
      console.log(JSON.stringify(found));`,
    );
    assert.deepEqual(found, [2, true, 'unsupported', 2, true, 'unsupported']);
  });
});
