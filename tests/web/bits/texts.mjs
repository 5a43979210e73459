// The 200 texts of the bits test, and pairs made of them: made by integers only, so that every
// engine makes the same. The first are written by hand for what they hold, the rest are put
// together from these until lengths from nothing to more tokens than fit are there.

const kByHand = [
  '',
  ' ',
  '\n\t\r\n',
  '\u200b\ufeff',
  '\u0000\u0001\u0002',
  'a',
  'A',
  '.',
  '!?!?…',
  '[MASK]',
  'open [SEP] door [CLS] shut [PAD] [UNK]',
  'The kettle whistles while the rain taps on the tin roof.',
  'Nobody saw who left the lantern burning in the boathouse.',
  'My invoice from March still lists the old address.',
  'HOW DO I CHANGE MY PASSWORD???',
  'The second act drags, but the ending made me forgive all of it.',
  'Worst sandwich I have ever paid for.',
  'Shares of the shipping company fell 4.7% after a strike in two harbours.',
  'The home side won 3–1 in extra time; 41,208 people watched.',
  'A new telescope mirror, 8.4 m wide, left the workshop on Tuesday.',
  'The parliament put off its vote on the fishing treaty for a third time.',
  'for (let i = 0; i < n; ++i) { sum += a[i] * b[i]; }',
  'SELECT name, price FROM items WHERE price > 9.99 ORDER BY price DESC;',
  '{"id": 17, "tags": ["red", "wool"], "note": null}',
  'https://shop.example/path/to?item=42&colour=blue#reviews',
  'write to office@example.org or call +44 20 7946 0018',
  '0 00 000 0000 00000 1e-9 -273.15 3.14159265358979',
  "don't can't won't it's we've they'd o'clock rock'n'roll",
  'well-known mother-in-law re-entry e-mail co-op x-ray',
  'naïve café, über-großes Œuvre, Ångström, piñata, façade',
  'na\u0069\u0308ve cafe\u0301 A\u030angstro\u0308m',
  'Příliš žluťoučký kůň úpěl ďábelské ódy',
  'Zażółć gęślą jaźń',
  'Iğdır ılık İstanbul ŞIK',
  'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία',
  'Съешь ещё этих мягких французских булок, да выпей чаю',
  'שלום עולם, מה שלומך היום?',
  'مرحبا بالعالم، كيف حالك اليوم؟',
  'नमस्ते दुनिया, आज मौसम अच्छा है',
  'ภาษาไทยไม่มีช่องว่างระหว่างคำ',
  '春眠不觉晓，处处闻啼鸟。',
  '吾輩は猫である。名前はまだ無い。',
  'ﾊﾝｶｸｶﾀｶﾅ と ｆｕｌｌｗｉｄｔｈ ＡＢＣ１２３',
  '안녕하세요 세계, 오늘 날씨가 좋네요',
  'ខ្ញុំចូលចិត្តអានសៀវភៅ',
  'ሰላም ለዓለም',
  '🙂',
  'great 👍🏽 job 👨‍👩‍👧‍👦 today 🎉🎉🎉 🇪🇺🇯🇵',
  '🦴🪐🫠🫡 new emoji in old tables',
  '∑∫√∞≠≈ ∀x∈ℝ: x² ≥ 0',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝕞𝕒𝕥𝕙 𝓁𝑒𝓉𝓉𝑒𝓇𝓈',
  '♔♕♖ ☀☁☂ ←↑→↓ ■□▲△ ♪♫',
  'z̷̢͝a̸̡l̶̨g̵̛o̸ text climbs',
  'lone \ud800 high and low \udfff surrogates \ud83d here',
  'a\u00adb\u200dc\u2060d soft and joined',
  'tab\tnew\nline\rreturn\u2028separator\u00a0hard blank',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'antidisestablishmentarianism floccinaucinihilipilification pneumonoultramicroscopicsilicovolcanoconiosis',
  'wxyzq vbnmk qqqq zzzz xkcd sdfghjkl',
  'the the the the the the the the the the the the the the the the',
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  '$1,299.00 €15,50 £3 ¥5000 ₹250 ₿0.01',
  'Mr. O\u2019Neill said \u201cno comment\u201d \u2014 twice.',
  'Dr. A. B. Smith-Jones, Ph.D., born 12/03/1971 in St. Ives',
  '<p class="x">bold <b>claim</b> &amp; more</p>',
  '# Heading\n\n- one\n- two\n\n> quoted\n\n```js\nlet x;\n```',
  'I am neither happy nor unhappy with the blender; it blends.',
  'Not bad at all, though not as good as the first one was not.',
];

/** Numbers that look random: a linear congruence modulo 2³², high half used. */
export function numbersFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(((state >>> 16) * below) / 65536);
  };
}

function makeTexts(count) {
  const next = numbersFrom(20240917);
  const made = new Set(kByHand);
  while (made.size < count) {
    // Mostly short, now and then longer than the 256 tokens of the default model.
    const parts = 2 + (made.size % 12 === 0 ? next(30) : next(3));
    const joint = [' ', ' ', '\n', ', ', ''][next(5)];
    made.add(Array.from({ length: parts }, () => kByHand[next(kByHand.length)]).join(joint));
  }
  return [...made];
}

/** No two are equal. */
export const texts = makeTexts(200);

/** Text and pair for a classifier that takes two. */
export const pairs = texts.map((text, i) => ({ text, pair: texts[(i * 37 + 11) % texts.length] }));

/** A fixed order of `count` things that mixes short and long: position → index. */
export function shuffledOrder(count) {
  const next = numbersFrom(7);
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = next(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
