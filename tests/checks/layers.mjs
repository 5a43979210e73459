// Who may include whom. A layer is a folder; it may use the ones it names here and itself.

/** C++: folders of src/, lowest first. Lower layers of a named layer are named, too: they come with it. */
export const kLayers = {
  base: [],
  io: ['base'],
  text: ['base'],
  kernels: ['base'],
  nn: ['base', 'kernels'],
  model: ['base', 'io', 'text', 'kernels', 'nn'],
  tasks: ['base', 'io', 'text', 'kernels', 'nn', 'model'],
  quantize: ['base', 'io', 'text', 'kernels', 'nn', 'model'],
  train: ['base', 'io', 'text', 'kernels', 'nn', 'model'],
};

/** Libraries from outside, and the only files of src/ and bindings/ that may include them. */
export const kLibraries = [
  { name: 'Highway', header: /^hwy\//, users: /^src\/kernels\/simd\.h$/ },
  {
    name: 'Emscripten',
    header: /^emscripten/,
    users: /^(bindings\/.*|src\/base\/thread_pool\.cc)$/,
  },
  { name: 'nlohmann/json', header: /^nlohmann\//, users: /^$/ },
  { name: 'Catch2', header: /^catch2\//, users: /^$/ },
  { name: 'wasm intrinsics', header: /^wasm_simd128\.h$/, users: /^src\/kernels\/simd\.h$/ },
];

/**
 * TypeScript: folders of web/src (`.` is web/src itself: errors.ts, types.ts and the entries
 * index.ts and bundle.ts). The page uses the package by its name only.
 */
export const kWebFolders = {
  'web/src': ['web/src', 'web/src/core', 'web/src/worker', 'web/src/models', 'web/src/tasks'],
  'web/src/core': ['web/src'],
  'web/src/worker': ['web/src', 'web/src/core'],
  'web/src/models': ['web/src', 'web/src/core', 'web/src/worker'],
  'web/src/tasks': ['web/src', 'web/src/core', 'web/src/worker', 'web/src/models'],
  'web/src/cli': ['web/src', 'web/src/core', 'web/src/models'],
  'web/demo': [],
};

/** Packages that a folder of web/ may import by name. */
export const kWebPackages = {
  'web/src/core': [/^#glue\/pocketbert-[\w-]+\.js$/, /^wasm-feature-detect$/],
  'web/src/cli': [/^node:/, /^pocketbert$/],
  'web/demo': [/^pocketbert$/, /^vite$/],
};

function folderOf(path) {
  return path.slice(0, path.lastIndexOf('/'));
}

/** What a C++ file includes: [{ line, header }]. */
export function includesOf(text) {
  return text.split('\n').flatMap((line, i) => {
    const header = /^\s*#\s*include\s+[<"]([^>"]+)[>"]/.exec(line)?.[1];
    return header ? [{ line: i + 1, header }] : [];
  });
}

/** Complaints about a file of src/ or bindings/. */
export function includeFaults(path, text) {
  const [top, layer] = path.split('/');
  const allowed = top === 'bindings' ? Object.keys(kLayers) : kLayers[layer];
  if (!allowed) return [`${path}: src/${layer} is no layer of tests/checks/layers.mjs`];
  return includesOf(text).flatMap(({ line, header }) => {
    const library = kLibraries.find((one) => one.header.test(header));
    if (library && !library.users.test(path))
      return [`${path}:${line}: includes ${library.name} (${header})`];
    const target = header.split('/')[0];
    const known = header.includes('/') && (target in kLayers || target === 'bindings');
    if (!known || target === layer || allowed.includes(target) || target === top) return [];
    return [`${path}:${line}: ${top === 'src' ? layer : top} may not include ${header}`];
  });
}

/** Module names that a TypeScript file imports or re-exports: [{ line, name }]. */
export function importsOf(source) {
  const found = [];
  const text = source.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)['"]([^'"]+)['"]/gm;
  for (const match of text.matchAll(pattern)) {
    found.push({ line: text.slice(0, match.index).split('\n').length, name: match[1] });
  }
  return found;
}

function resolved(folder, name) {
  const parts = folder.split('/');
  for (const part of name.split('/').slice(0, -1)) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Complaints about a TypeScript file of web/src or web/demo. */
export function importFaults(path, text) {
  const folder = folderOf(path);
  const layer = folder.startsWith('web/demo') ? 'web/demo' : folder;
  const allowed = kWebFolders[layer];
  if (!allowed) return [`${path}: ${layer} is no folder of tests/checks/layers.mjs`];
  return importsOf(text).flatMap(({ line, name }) => {
    if (!name.startsWith('.')) {
      const packages = kWebPackages[layer] ?? [];
      return packages.some((pattern) => pattern.test(name))
        ? []
        : [`${path}:${line}: ${layer} may not import ${name}`];
    }
    const target = resolved(folder, name);
    const inside = target === layer || (target.startsWith(`${layer}/`) && layer === 'web/demo');
    return inside || allowed.includes(target)
      ? []
      : [`${path}:${line}: ${layer} may not import ${name}`];
  });
}
