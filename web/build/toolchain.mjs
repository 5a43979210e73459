// The C++ toolchain: `emcc` of the machine when it is new enough, else an isolated Debian root with
// Debian's own Emscripten in the cache folder (Debian or Ubuntu, as root).
//
//   node web/build/toolchain.mjs                make what is missing, tell what is used
//   node web/build/toolchain.mjs run CMD ARG…   run a program with the toolchain on PATH, in this
//   folder

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
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, kSourceFolder, withLock } from './cache.mjs';
import { depsFolder, downloadDeps, hasDeps, installDeps } from './cpp_deps.mjs';
import { BuildError, onPath, outputOf, run, runMain, runQuietly, say } from './process.mjs';

const kMinimumEmcc = [3, 1, 69];
const kSuite = 'trixie';
const kPackages = ['emscripten', 'nlohmann-json3-dev', 'cmake', 'ninja-build', 'binaryen'];
const kSources = ['catch2', 'highway'];
/** What a finished root's marker must say; change it to have every machine make the root anew. */
const kRecipe = `1 ${kSuite} ${kPackages.join(' ')} | ${kSources.join(' ')}`;

const kNoToolchain = `PocketBERT's C++ is compiled with Emscripten ${kMinimumEmcc.join('.')} or newer, and none was found.
 - On any system: install emsdk (its site is emscripten.org), run "./emsdk install latest", "./emsdk activate latest" and
   "source ./emsdk_env.sh", and start again: emcc on PATH or in $EMSDK is used as it is. cmake and ninja are needed too.
 - On Debian, as root: nothing to do by hand, this script makes a toolchain of its own.`;

/** emcc writes TypeScript declarations with the `tsc` it finds on PATH. */
const kNpmPrograms = join(kSourceFolder, 'node_modules', '.bin');

const rootFolder = () => join(cacheFolder(), 'toolchain');
const partialFolder = () => join(cacheFolder(), 'toolchain.partial');
const markerOf = (folder) => join(folder, 'pocketbert-recipe');
const logFile = () => join(cacheFolder(), 'toolchain.log');

function readMarker(folder) {
  try {
    return readFileSync(markerOf(folder), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Version triple of an emcc, or undefined when it does not run. */
function emccVersion(path) {
  const found = /\b(\d+)\.(\d+)\.(\d+)\b/.exec(outputOf(path, ['--version']) ?? '');
  return found ? found.slice(1).map(Number) : undefined;
}

function isAtLeast(version, minimum) {
  for (let i = 0; i < minimum.length; i++) {
    if (version[i] !== minimum[i]) return version[i] > minimum[i];
  }
  return true;
}

/** The folder of the machine's own emcc ('' when on PATH), or undefined when none is new enough. */
function systemEmcc() {
  const candidates = [['', 'emcc']];
  if (process.env.EMSDK) {
    const folder = join(process.env.EMSDK, 'upstream', 'emscripten');
    candidates.push([folder, join(folder, 'emcc')]);
  }
  for (const [folder, path] of candidates) {
    const version = emccVersion(path);
    if (!version) continue;
    if (isAtLeast(version, kMinimumEmcc)) return { folder, version: version.join('.') };
    say(`${path} is ${version.join('.')}, older than ${kMinimumEmcc.join('.')}: not used`);
  }
  return undefined;
}

/** Address of a Debian mirror, from the machine's own package manager. */
function debianMirror() {
  if (process.env.POCKETBERT_DEBIAN_MIRROR) return process.env.POCKETBERT_DEBIAN_MIRROR;
  const targets = outputOf('apt-get', ['indextargets', '--format', '$(REPO_URI)']) ?? '';
  const mirror = targets.split('\n').find((uri) => /\/debian\/?$/.test(uri));
  if (mirror) return mirror;
  throw new BuildError(`This machine's apt sources name no Debian mirror (an address that ends in /debian).
Set POCKETBERT_DEBIAN_MIRROR to one, or:\n${kNoToolchain}`);
}

function requireDebianRoot() {
  const isRoot = process.getuid?.() === 0;
  if (process.platform === 'linux' && isRoot && onPath('apt-get') && onPath('dpkg')) return;
  const why =
    process.platform !== 'linux'
      ? `this is ${process.platform}`
      : !isRoot
        ? 'this process does not run as root'
        : 'this Linux has no apt-get';
  throw new BuildError(`${kNoToolchain}\n   Not possible here: ${why}.`);
}

/** Installs packages of the machine's own distribution when one of `programs` is missing. */
export async function installSystemPackages(programs, packages) {
  if (programs.every((program) => onPath(program))) return;
  const missing = programs.filter((program) => !onPath(program));
  if (process.getuid?.() !== 0 || !onPath('apt-get')) {
    throw new BuildError(
      `missing on this machine: ${missing.join(', ')}. Install it and start again.`,
    );
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, logFile: logFile() };
  await runQuietly('refreshing the package lists', 'apt-get', ['update'], options);
  await runQuietly(
    `installing ${packages.join(', ')}`,
    'apt-get',
    ['install', '-y', '--no-install-recommends', ...packages],
    options,
  );
}

/**
 * The command line that runs `command` inside the root: the mounts are private to that command, and
 * `folders` have the same path inside as outside.
 */
function insideRoot(root, folders, cwd, command) {
  const script = `
set -e
root=$1; cwd=$2; shift 2
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do
  mkdir -p "$root$1"
  mount --bind "$1" "$root$1"
  shift
done
shift
exec chroot "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$cwd" "$@"`;
  return ['unshare', ['-m', 'sh', '-c', script, 'sh', root, cwd, ...folders, '--', ...command]];
}

function insideEnvironment(extra = {}) {
  const kept = ['TERM', 'LANG', 'CI', 'POCKETBERT_CACHE', 'NINJA_STATUS', 'CLICOLOR_FORCE'];
  const env = {
    PATH: `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin${delimiter}${kNpmPrograms}`,
    HOME: '/root',
  };
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name];
  return { ...env, LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive', ...extra };
}

function removeRoot(folder) {
  if (!existsSync(folder)) return;
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  if (mounts.some((point) => point.startsWith(`${folder}/`))) {
    throw new BuildError(
      `${folder} is half made and something is mounted inside it; unmount that and start again.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
}

/** The machine's own apt settings for the network (proxy, date checks), for use inside the root. */
function copyNetworkSettings(root) {
  const acquire =
    outputOf('apt-config', ['dump', '--no-empty', '--format', '%f "%v";%n', 'Acquire']) ?? '';
  const kept = acquire
    .split('\n')
    .filter((line) => /^Acquire::(https?::Proxy|Check-|Retries|ForceIPv)/.test(line));
  writeFileSync(join(root, 'etc/apt/apt.conf.d/99machine'), `${kept.join('\n')}\n`);
  for (const file of ['hosts', 'resolv.conf']) {
    if (existsSync(`/etc/${file}`))
      cpSync(`/etc/${file}`, join(root, 'etc', file), { dereference: true });
  }
}

/** Makes the root under another name and renames it at the end, so that a root with that name is whole. */
async function makeRoot() {
  requireDebianRoot();
  const mirror = debianMirror();
  const root = partialFolder();
  if (existsSync(root)) say('an unfinished toolchain was found: making it anew');
  removeRoot(root);
  mkdirSync(cacheFolder(), { recursive: true });
  rmSync(logFile(), { force: true });
  await installSystemPackages(
    ['debootstrap', 'unshare'],
    ['debootstrap', 'util-linux', 'debian-archive-keyring'],
  );
  say(
    `making the toolchain in ${rootFolder()} (Debian ${kSuite} with Emscripten; about 3 GB, two minutes; once per machine)`,
  );
  const log = { logFile: logFile() };
  await runQuietly(
    'toolchain 1/3: base system',
    'unshare',
    ['-m', 'debootstrap', '--variant=minbase', kSuite, root, mirror],
    log,
  );
  copyNetworkSettings(root);
  const lines = ['deb', 'deb-src'].map((kind) => `${kind} ${mirror} ${kSuite} main\n`).join('');
  writeFileSync(join(root, 'etc/apt/sources.list'), lines);
  mkdirSync(join(root, 'usr/src/pocketbert'), { recursive: true });
  const install = `apt-get update && apt-get install -y --no-install-recommends ${kPackages.join(' ')} && apt-get clean`;
  const shell = async (label, cwd, text) => {
    const [command, args] = insideRoot(root, [], cwd, ['sh', '-c', text]);
    await runQuietly(label, command, args, { ...log, env: insideEnvironment() });
  };
  await shell('toolchain 2/3: Emscripten and libraries', '/', install);
  await shell(
    'toolchain 3/3: sources',
    '/usr/src/pocketbert',
    `apt-get source --download-only ${kSources.join(' ')} &&
    for name in ${kSources.join(' ')}; do mkdir -p $name && tar -xf "$(ls $name*.orig.tar.*z* | head -n 1)" -C $name --strip-components=1; done`,
  );
  writeFileSync(markerOf(root), `${kRecipe}\n`);
  removeRoot(rootFolder());
  renameSync(root, rootFolder());
}

async function ensureRoot() {
  if (readMarker(rootFolder()) === kRecipe) return;
  await withLock('toolchain', async () => {
    if (readMarker(rootFolder()) !== kRecipe) await makeRoot();
  });
}

/**
 * A `node` for emcc's own use. At link time emcc runs the module to write its Embind glue and
 * types; V8 before version 12 runs relaxed SIMD behind a flag only, and newer ones may refuse the
 * flag.
 */
function nodeForLinking() {
  const path = join(cacheFolder(), 'node-for-linking');
  const script = `#!/bin/sh
node=\${EMSDK_NODE:-node}
case $("$node" --version) in
  v1?.*|v20.*|v21.*) exec "$node" --experimental-wasm-relaxed-simd "$@";;
  *) exec "$node" "$@";;
esac
`;
  if (!existsSync(path) || readFileSync(path, 'utf8') !== script)
    writeFileSync(path, script, { mode: 0o755 });
  return path;
}

/** Toolchain made of the machine's own emcc: programs run as they are. */
async function systemToolchain(system) {
  if (!hasDeps()) await withLock('deps', () => hasDeps() || downloadDeps());
  const env = { ...process.env, EM_NODE_JS: nodeForLinking() };
  env.PATH = [system.folder, env.PATH, kNpmPrograms].filter(Boolean).join(delimiter);
  return {
    kind: 'system',
    description: `emcc ${system.version} of this machine`,
    deps: depsFolder(),
    command: (command, { env: extra = {} } = {}) => [
      command[0],
      command.slice(1),
      { env: { ...env, ...extra } },
    ],
  };
}

async function rootToolchain() {
  await ensureRoot();
  const root = rootFolder();
  if (!hasDeps()) await withLock('deps', () => hasDeps() || installDeps(root));
  const seen = [kSourceFolder, cacheFolder()];
  return {
    kind: 'root',
    description: `Debian ${kSuite} root in ${root}`,
    deps: depsFolder(),
    root,
    command: (command, { env: extra = {}, cwd = kSourceFolder, folders = [] } = {}) => {
      const mounts = [...new Set([...seen, ...folders.map((folder) => resolve(folder))])];
      const [program, args] = insideRoot(root, mounts, cwd, command);
      return [
        program,
        args,
        { env: insideEnvironment({ EM_NODE_JS: nodeForLinking(), ...extra }) },
      ];
    },
  };
}

/**
 * Finds or makes the toolchain. The result:
 *  - `kind` 'system' or 'root', `description` for people, `deps` the folder of C++ libraries;
 *  - `command(words, {env, cwd, folders})`: program, arguments and spawn options that run `words`
 *    with emcc, cmake and ninja on PATH. Inside a root only the checkout, the cache and `folders`
 *    are seen.
 */
export async function ensureToolchain() {
  const system = systemEmcc();
  return system ? systemToolchain(system) : rootToolchain();
}

async function main() {
  const toolchain = await ensureToolchain();
  const [verb, ...words] = process.argv.slice(2);
  if (verb !== 'run') {
    say(
      `toolchain: ${toolchain.description}\nlibraries: ${toolchain.deps} (${readdirSync(join(toolchain.deps, 'include')).join(', ')})`,
    );
    return;
  }
  const cwd = process.cwd();
  const [program, args, options] = toolchain.command(words, { cwd, folders: [cwd] });
  process.exitCode = await run(program, args, { ...options, cwd, allowFailure: true });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) runMain(main);
