/** From a compiled module and its glue to a running instance. */

import { Instance } from './instance.js';
import type { Glue, RawModule, SharedModule } from './raw_module.js';

/** Workers that did not start by then never will: a policy of the page holds them back. */
const kThreadStartMs = 10_000;

/** Lines of the module's error output that are kept. */
const kLogLines = 20;

/** Starts a compiled module. Rejects with whatever keeps it from running here. */
export async function instantiate<Module extends SharedModule = RawModule>(
  glue: Glue<Module>,
  module: WebAssembly.Module,
  threads = 1,
): Promise<Instance<Module>> {
  const log: string[] = [];
  const keep = (line: string): void => {
    log.push(line);
    if (log.length > kLogLines) log.shift();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const raw = await new Promise<Module>((resolve, reject) => {
    if (threads > 1) {
      const late = () => reject(new Error(`its workers did not start: ${log.at(-1) ?? 'no answer'}`));
      timer = setTimeout(late, kThreadStartMs);
    }
    glue({
      threads,
      instantiateWasm: (imports, receive) => {
        WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module), reject);
        return {};
      },
      print: keep,
      printErr: keep,
    }).then(resolve, reject);
  }).finally(() => clearTimeout(timer));
  return new Instance(raw, log);
}

