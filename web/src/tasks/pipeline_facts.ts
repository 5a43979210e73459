/** What all functions that `pipeline()` gives have in common. */

import type { ModelUser } from './model_user.js';

/** Gives the function what transformers.js gives its pipelines. */
export function withFacts<Call extends (...args: never[]) => unknown>(
  call: Call,
  task: string,
  user: ModelUser,
) {
  return Object.assign(call, { task, info: user.info, dispose: () => user.destroy() });
}
