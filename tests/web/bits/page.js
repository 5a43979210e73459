// Measures in a page: every setting that this browser can run.

import * as pocketbert from '/dist/index.js';
import { report } from '/harness/page.js';
import { measureAll } from './measure.mjs';

const fixture = (name) => new URL(`/cases/hand/fixtures/${name}/`, location.href);

await report(() =>
  measureAll(pocketbert, { enc: fixture('enc'), cls: fixture('cls') }, (line) => console.log(line)),
);
