/** Text into passages and sentences, with their places. */

export interface Span {
  /** `text.slice(start, end)`, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export interface Passage extends Span {
  readonly sentences: readonly Span[];
}

/** UTF-16 code units. A paragraph that is longer becomes several passages. */
const longestPassage = 700;
/** A longer "sentence" (a table, a log) is cut at a space: models read a few hundred tokens. */
const longestSentence = 500;
/** Text that goes through the segmenter at once. */
const sliceLength = 1 << 14;
/** Milliseconds after which the page may draw and listen again. */
const patience = 12;

const sentenceSegmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The part of [start, end) without white space at its ends, or null if nothing is left. */
function trimmed(text: string, start: number, end: number): Span | null {
  const part = text.slice(start, end);
  const lead = part.length - part.trimStart().length;
  const length = part.trim().length;
  return length === 0 ? null : { start: start + lead, end: start + lead + length };
}

/** Where to cut so that at most `length` units lie in [start, cut): behind white space, if any. */
function cutAt(text: string, start: number, end: number, length: number): number {
  if (end - start <= length) return end;
  for (let cut = start + length; cut > start + length / 2; cut -= 1) {
    if (/\s/.test(text.charAt(cut - 1))) return cut;
  }
  const splitsPair = /[\udc00-\udfff]/.test(text.charAt(start + length));
  return start + length - (splitsPair ? 1 : 0);
}

/** Paragraphs: they are parted by blank lines. */
function* paragraphsOf(text: string): Generator<Span> {
  let start = 0;
  for (const { index, 0: gap } of text.matchAll(/\n\s*\n/g)) {
    yield { start, end: index };
    start = index + gap.length;
  }
  yield { start, end: text.length };
}

function* sentencesOf(text: string, { start, end }: Span): Generator<Span> {
  for (const { segment, index } of sentenceSegmenter.segment(text.slice(start, end))) {
    const last = start + index + segment.length;
    for (let from = start + index; from < last;) {
      const cut = cutAt(text, from, last, longestSentence);
      const sentence = trimmed(text, from, cut);
      if (sentence !== null) yield sentence;
      from = cut;
    }
  }
}

/** Sentences in groups of at most `longestPassage`. */
function* passagesOf(sentences: readonly Span[]): Generator<Passage> {
  let group: Span[] = [];
  let start = 0;
  for (const sentence of sentences) {
    const last = group.at(-1);
    if (last !== undefined && sentence.end - start > longestPassage) {
      yield { start, end: last.end, sentences: group };
      group = [];
    }
    if (group.length === 0) start = sentence.start;
    group.push(sentence);
  }
  const last = group.at(-1);
  if (last !== undefined) yield { start, end: last.end, sentences: group };
}

const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** All passages of a text of any length; the page stays free. None once `signal` is aborted. */
export async function cutIntoPassages(text: string, signal: AbortSignal): Promise<Passage[]> {
  const passages: Passage[] = [];
  let since = performance.now();
  for (const paragraph of paragraphsOf(text)) {
    const sentences: Span[] = [];
    for (let { start } = paragraph; start < paragraph.end;) {
      const end = cutAt(text, start, paragraph.end, sliceLength);
      sentences.push(...sentencesOf(text, { start, end }));
      start = end;
      if (performance.now() - since < patience) continue;
      await breath();
      if (signal.aborted) return [];
      since = performance.now();
    }
    passages.push(...passagesOf(sentences));
  }
  return passages;
}
