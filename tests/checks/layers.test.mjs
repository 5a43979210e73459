// The layers of the design hold in the tree, and the check sees when they do not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importFaults, importsOf, includeFaults, kLayers } from './layers.mjs';
import { projectFiles, readText } from './tree.mjs';

describe('C++ layers', () => {
  const files = projectFiles().filter((path) => /^(src|bindings)\/.*\.(cc|h)$/.test(path));

  test('every include goes downwards', () => {
    assert.ok(files.length > 50, `only ${files.length} files`);
    assert.deepEqual(
      files.flatMap((path) => includeFaults(path, readText(path))),
      [],
    );
  });

  test('every layer has files', () => {
    const seen = new Set(
      files.filter((path) => path.startsWith('src/')).map((path) => path.split('/')[1]),
    );
    for (const layer of Object.keys(kLayers))
      if (layer !== 'train') assert.ok(seen.has(layer), `src/${layer} is empty`);
  });

  const wrong = [
    ['src/text/tokenizer.cc', '#include "io/safetensors.h"'],
    ['src/io/safetensors.cc', '#include "text/tokenizer.h"'],
    ['src/kernels/softmax.cc', '#include "nn/config.h"'],
    ['src/nn/linear.cc', '#include "model/model.h"'],
    ['src/nn/linear.cc', '#include "hwy/highway.h"'],
    ['src/kernels/softmax.cc', '#include <hwy/highway.h>'],
    ['src/model/model.cc', '#include <emscripten.h>'],
    ['src/tasks/embed.cc', '#include "quantize/import_model.h"'],
    ['src/tasks/embed.cc', '#include "bindings/to_js.h"'],
    ['src/io/float16.cc', '  #  include <nlohmann/json.hpp>'],
    ['src/helpers/strings.cc', ''],
  ];
  for (const [path, line] of wrong) {
    test(`${path} with ${line || 'anything'} is refused`, () =>
      assert.equal(includeFaults(path, `// text\n${line}\n`).length, 1));
  }

  const right = [
    ['src/model/model.cc', '#include "kernels/pack_i8.h"'],
    ['src/kernels/simd.h', '#include <hwy/highway.h>'],
    [
      'bindings/tasks_binding.cc',
      '#include "tasks/embed.h"\n#include <emscripten/bind.h>\n#include "bindings/to_js.h"',
    ],
    ['src/base/thread_pool.cc', '#include <emscripten/threading.h>'],
    ['src/tasks/embed.cc', '#include <vector>'],
  ];
  for (const [path, line] of right) {
    test(`${path} may say ${line.split('\n')[0]}`, () =>
      assert.deepEqual(includeFaults(path, line), []));
  }
});

describe('TypeScript folders', () => {
  const files = projectFiles().filter((path) => /^web\/(src|demo)\/.*\.ts$/.test(path));

  test('every import goes downwards', () => {
    assert.ok(files.length > 20, `only ${files.length} files`);
    assert.deepEqual(
      files.flatMap((path) => importFaults(path, readText(path))),
      [],
    );
  });

  const wrong = [
    ['web/src/core/engine.ts', "import { x } from '../worker/client.js';"],
    ['web/src/worker/host.ts', "export * from '../models/load.js';"],
    ['web/src/models/load.ts', "const x = await import('../tasks/embedder.js');"],
    ['web/demo/main.ts', "import { x } from '../src/index.js';"],
    ['web/demo/panels/p.ts', "import { x } from '../../src/errors.js';"],
    ['web/src/tasks/embedder.ts', "import fs from 'node:fs';"],
    ['web/src/worker/host.ts', "import glue from '#glue/pocketbert-simd.js';"],
    ['web/src/util/x.ts', ''],
  ];
  for (const [path, line] of wrong) {
    test(`${path} with ${line || 'anything'} is refused`, () =>
      assert.equal(importFaults(path, line).length, 1));
  }

  test('imports are found in all their forms', () => {
    const text =
      "/* import z from './z.js'; */ import a from './a.js';\nimport type { B }\n  from \"./b.js\";\nexport { c } from './c.js';\nawait import('./d.js');\nimport './e.js';";
    assert.deepEqual(
      importsOf(text).map(({ name }) => name),
      ['./a.js', './b.js', './c.js', './d.js', './e.js'],
    );
  });
});
