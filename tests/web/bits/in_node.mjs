// Measures in this node and prints the result as JSON: run as a process of its own, for the flags.
//   node [flags] tests/web/bits/in_node.mjs

import { fileURLToPath } from 'node:url';
import * as pocketbert from 'pocketbert';
import { measureAll } from './measure.mjs';

const fixture = (name) =>
  fileURLToPath(new URL(`../../cases/hand/fixtures/${name}`, import.meta.url));

const results = await measureAll(pocketbert, { enc: fixture('enc'), cls: fixture('cls') }, (line) =>
  console.error(line),
);
console.log(JSON.stringify(results));
