import { report } from '/harness/page.js';

await report(() => {
  throw new Error('the page failed on purpose');
});
