/**
 * Which wasm file runs here: an ordered table, best variant first, and what each one needs. The host
 * is probed (by validating a few bytes of wasm), never guessed from its name: an engine that lacks
 * relaxed SIMD refuses a whole module that holds a single such instruction.
 */

import { relaxedSimd, simd, threads } from 'wasm-feature-detect';
import { PocketBertError, refuse } from '../errors.js';
import type { VariantName } from './types.js';

/** What is known of the browser or node that runs this. */
export interface Host {
  simd: boolean;
  relaxedSimd: boolean;
  /** Shared wasm memory can be made and handed to another thread. */
  sharedMemory: boolean;
  /** False only in a page or worker that is not cross-origin isolated. */
  isolated: boolean;
  /** A worker can be started from here. */
  workers: boolean;
  cores: number;
}

interface Need {
  met: (host: Host) => boolean;
  /** Ends the sentence "relaxed-mt is not used: …". */
  otherwise: string;
}

const kNeeds = {
  simd: { met: (host) => host.simd, otherwise: 'this WebAssembly engine has no SIMD' },
  relaxedSimd: {
    met: (host) => host.relaxedSimd,
    otherwise: 'this WebAssembly engine has no relaxed SIMD',
  },
  isolation: {
    met: (host) => host.isolated,
    otherwise:
      'the page is not cross-origin isolated (it needs the headers Cross-Origin-Opener-Policy: ' +
      'same-origin and Cross-Origin-Embedder-Policy: require-corp)',
  },
  sharedMemory: {
    met: (host) => host.sharedMemory,
    otherwise: 'this WebAssembly engine has no shared memory',
  },
  workers: { met: (host) => host.workers, otherwise: 'workers cannot be started here' },
  cores: { met: (host) => host.cores > 1, otherwise: 'this machine offers one core' },
} satisfies Record<string, Need>;

interface VariantRow {
  name: VariantName;
  needs: readonly (keyof typeof kNeeds)[];
  threaded: boolean;
}

/** In order of preference; needs in the order in which they are reported. */
export const kVariants: readonly VariantRow[] = [
  {
    name: 'relaxed-mt',
    needs: ['simd', 'relaxedSimd', 'isolation', 'sharedMemory', 'workers', 'cores'],
    threaded: true,
  },
  { name: 'relaxed', needs: ['simd', 'relaxedSimd'], threaded: false },
  { name: 'simd', needs: ['simd'], threaded: false },
];

/** More threads than this gain little on texts of usual length. */
const kMostThreadsByDefault = 4;

export interface Choice {
  variant: VariantName;
  threads: number;
}

export interface Candidates {
  /** What to try, best first; never empty. */
  choices: Choice[];
  /** Why better variants are not among them, one sentence each. */
  reasons: string[];
}

/** The first need of a variant that this host does not meet, if any. */
function unmetNeed(row: VariantRow, host: Host): string | undefined {
  const name = row.needs.find((need) => !kNeeds[need].met(host));
  return name === undefined ? undefined : kNeeds[name].otherwise;
}

function threadsOf(row: VariantRow, host: Host, asked: number | undefined): number {
  return row.threaded ? (asked ?? Math.min(host.cores, kMostThreadsByDefault)) : 1;
}

function forcedChoice(name: string, host: Host, asked: number | undefined): Candidates {
  const row = kVariants.find((candidate) => candidate.name === name);
  if (row === undefined) {
    const names = kVariants.map((candidate) => candidate.name).join(', ');
    return refuse('variant', name, names);
  }
  const unmet = unmetNeed(row, host);
  // One core is a reason not to choose threads unasked, not to refuse them.
  if (unmet !== undefined && unmet !== kNeeds.cores.otherwise) {
    throw new PocketBertError('unsupported', `variant ${name} cannot run here: ${unmet}`, {
      hint: 'leave `variant` out: the best one that runs here is then chosen',
    });
  }
  const threadCount = threadsOf(row, host, asked);
  const reasons =
    asked !== undefined && asked > threadCount
      ? [`${String(asked)} threads are not used: variant ${name} has one`]
      : [];
  return { choices: [{ variant: row.name, threads: threadCount }], reasons };
}

/** Goes down the table. A variant asked for by name is the only candidate, or an error. */
export function chooseVariants(
  host: Host,
  variant: string = 'auto',
  asked: number | undefined = undefined,
): Candidates {
  if (variant !== 'auto') return forcedChoice(variant, host, asked);
  const choices: Choice[] = [];
  const reasons: string[] = [];
  for (const row of kVariants) {
    if (row.threaded && asked === 1) continue;
    const unmet = unmetNeed(row, host);
    if (unmet === undefined) {
      choices.push({ variant: row.name, threads: threadsOf(row, host, asked) });
    } else if (choices.length === 0) {
      reasons.push(`${row.name} is not used: ${unmet}`);
    }
  }
  if (choices.length === 0) {
    throw new PocketBertError('unsupported', `no variant can run here: ${kNeeds.simd.otherwise}`, {
      hint: 'every browser since 2023 and node since 16.4 has it, unless it is switched off',
    });
  }
  return { choices, reasons };
}

/** Looks at the browser or node that runs this. */
export async function probeHost(): Promise<Host> {
  const [hasSimd, hasRelaxed, hasThreads] = await Promise.all([simd(), relaxedSimd(), threads()]);
  return {
    simd: hasSimd,
    relaxedSimd: hasRelaxed,
    sharedMemory: hasThreads && typeof SharedArrayBuffer !== 'undefined',
    isolated: !('crossOriginIsolated' in globalThis) || globalThis.crossOriginIsolated,
    workers: typeof Worker !== 'undefined' || isNode(),
    cores: coreCount(),
  };
}

/** Node, and not a browser or a bundle for one that carries a `process` of its own. */
export function isNode(): boolean {
  return typeof process !== 'undefined' && typeof process.versions?.node === 'string';
}

function coreCount(): number {
  if (isNode()) return process.getBuiltinModule('node:os').availableParallelism();
  return globalThis.navigator?.hardwareConcurrency ?? 1;
}
