// The C++ libraries in one folder for native and wasm builds alike:
//   <cache>/deps/include/{hwy,nlohmann,catch2}   headers
//   <cache>/deps/src/                            catch_amalgamated.{hpp,cpp}, hwy/*.cc
// They come out of the toolchain's root; with another system's emcc, out of the projects' own
// release archives.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { cacheFolder } from './cache.mjs';
import { BuildError, say } from './process.mjs';

const kRecipe = '1';

export const depsFolder = () => join(cacheFolder(), 'deps');

export function hasDeps() {
  const marker = join(depsFolder(), 'recipe');
  return existsSync(marker) && readFileSync(marker, 'utf8') === kRecipe;
}

/** Copies the needed files from unpacked sources into the deps folder; whole or not at all. */
function assemble({ highway, nlohmann, catch2 }) {
  const partial = `${depsFolder()}.partial`;
  rmSync(partial, { recursive: true, force: true });
  const include = join(partial, 'include');
  const source = join(partial, 'src');
  mkdirSync(join(include, 'catch2'), { recursive: true });
  mkdirSync(join(source, 'hwy'), { recursive: true });
  cpSync(join(highway, 'hwy'), join(include, 'hwy'), {
    recursive: true,
    filter: (path) => !/\/(tests|examples)$|_test\.cc$|\.cc$/.test(path),
  });
  for (const name of readdirSync(join(highway, 'hwy'))) {
    if (name.endsWith('.cc') && !name.endsWith('_test.cc')) {
      cpSync(join(highway, 'hwy', name), join(source, 'hwy', name));
    }
  }
  cpSync(nlohmann, join(include, 'nlohmann'), { recursive: true });
  const amalgamated = join(catch2, 'extras');
  for (const name of ['catch_amalgamated.hpp', 'catch_amalgamated.cpp'])
    cpSync(join(amalgamated, name), join(source, name));
  cpSync(
    join(amalgamated, 'catch_amalgamated.hpp'),
    join(include, 'catch2', 'catch_amalgamated.hpp'),
  );
  writeFileSync(join(partial, 'recipe'), kRecipe);
  rmSync(depsFolder(), { recursive: true, force: true });
  renameSync(partial, depsFolder());
}

/** From the toolchain's root. */
export function installDeps(root) {
  assemble({
    highway: join(root, 'usr/src/pocketbert/highway'),
    nlohmann: join(root, 'usr/include/nlohmann'),
    catch2: join(root, 'usr/src/pocketbert/catch2'),
  });
}

const kArchives = {
  highway: 'https://github.com/google/highway/archive/refs/tags/1.2.0.tar.gz',
  json: 'https://github.com/nlohmann/json/archive/refs/tags/v3.11.3.tar.gz',
  catch2: 'https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz',
};
/** Hash of all files of the deps folder, by path and content: the same wherever they came from. */
const kContentHash = '913b7e0d3cb86db411d7d849126d8bd0a065823415cb2822ffe40988d6bbad09';

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== 'recipe')
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/** SHA-256 over "path, NUL, content, NUL" of all files below a folder, sorted by path. */
export function contentHash(folder) {
  const hash = createHash('sha256');
  for (const path of filesBelow(folder)) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(folder, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

async function unpack(name, url, folder) {
  mkdirSync(folder, { recursive: true });
  const response = await fetch(url).catch((error) => ({
    ok: false,
    status: error.cause?.message ?? error.message,
  }));
  if (!response.ok) {
    throw new BuildError(`cannot fetch ${url} (${response.status}).
Put the C++ libraries into ${depsFolder()} by hand (see CONTRIBUTING.md), or start again with a network.`);
  }
  const archive = Buffer.from(await response.arrayBuffer());
  const tar = spawnSync('tar', ['-xz', '-C', folder, '--strip-components=1'], { input: archive });
  if (tar.status !== 0) throw new BuildError(`cannot unpack ${name} from ${url}: ${tar.stderr}`);
}

/** From the projects' own release archives, checked by content. */
export async function downloadDeps() {
  const sources = join(cacheFolder(), 'deps.sources');
  rmSync(sources, { recursive: true, force: true });
  for (const [name, url] of Object.entries(kArchives)) {
    say(`fetching ${name}`);
    await unpack(name, url, join(sources, name));
  }
  assemble({
    highway: join(sources, 'highway'),
    nlohmann: join(sources, 'json/include/nlohmann'),
    catch2: join(sources, 'catch2'),
  });
  rmSync(sources, { recursive: true, force: true });
  const found = contentHash(depsFolder());
  if (found === kContentHash) return;
  rmSync(depsFolder(), { recursive: true, force: true });
  throw new BuildError(
    `the fetched C++ libraries have content hash ${found}, expected ${kContentHash}`,
  );
}
