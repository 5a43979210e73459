/** Text into passages (paragraphs) and sentences, with their places. */

export interface Span {
  /** `text.slice(start, end)`, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export interface Passage extends Span {
  readonly sentences: readonly Span[];
}

const sentenceSegmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The part of [start, end) without white space at its ends, or null if nothing is left. */
function trimmed(text: string, start: number, end: number): Span | null {
  const part = text.slice(start, end);
  const lead = part.length - part.trimStart().length;
  const length = part.trim().length;
  return length === 0 ? null : { start: start + lead, end: start + lead + length };
}

/** Paragraphs are parted by blank lines; each has at least one sentence. */
export function cutIntoPassages(text: string): Passage[] {
  const passages: Passage[] = [];
  let from = 0;
  for (const block of text.split(/(\n\s*\n)/)) {
    const span = trimmed(text, from, from + block.length);
    if (span !== null) {
      const sentences: Span[] = [];
      for (const { segment, index } of sentenceSegmenter.segment(text.slice(span.start, span.end))) {
        const start = span.start + index;
        const sentence = trimmed(text, start, start + segment.length);
        if (sentence !== null) sentences.push(sentence);
      }
      passages.push({ ...span, sentences });
    }
    from += block.length;
  }
  return passages;
}
