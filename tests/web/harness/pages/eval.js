import { report } from '/harness/page.js';

await report(() => {
  try {
    return { evaluated: new Function('return true')() };
  } catch {
    return { evaluated: false };
  }
});
