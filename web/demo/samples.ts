/** What stands in the page's fields at the start, and what its examples put there. */

export const sampleQueries: readonly string[] = [
  'how do plants live without water?',
  'my internet connection is broken',
  'prices are rising more slowly',
  'travelling while you sleep',
  'is there life on other planets?',
];

export const sampleCorpus = `The old ferry crosses the strait four times a day. Its captain keeps a notebook of every storm since 1987, and the harbour office asks him for advice before it closes the port.

Cacti store water in thick stems and lose little of it through their waxy skin. After one shower their shallow roots drink for days, and then they wait months for the next.

The central bank left interest rates unchanged on Thursday. Economists had expected a small cut, since inflation has slowed for the fifth month in a row.

A good sourdough needs time more than skill. Mix flour, water and salt with a lively starter, fold the dough every half hour, and let it rest in the cold overnight.

The goalkeeper saved two penalties and the visitors won the cup for the first time in thirty years. Fans filled the square until the early morning.

To reset the router, hold the small button on its back for ten seconds. The light turns orange, then green; your settings are gone, so write down the password first.

Night trains are coming back. Three operators announced new routes between the coast and the capital, with bunks that can be booked from a telephone.

The telescope found water vapour in the air of a planet that circles a red dwarf. It is far too hot for life, but the method will work on cooler worlds.`;

export const sampleSentences = [
  'The cat sleeps on the warm windowsill.',
  'A kitten is napping by the window.',
  'The dog barked at the postman all morning.',
  'Interest rates stayed the same this month.',
  'The central bank did not change its policy.',
  'She scored the winning goal in the last minute.',
  'The match was decided by a late strike.',
  'Restart the computer if the screen freezes.',
];

export const sampleTexts: readonly string[] = [
  'The app crashes whenever I open the settings.',
  'I was charged twice, please return my money.',
  'The package still has not arrived after two weeks.',
  'Great service, thank you so much!',
  'Their striker scored twice before half time.',
];

export const sampleLabels = `technical: the device or the app does not work
refund: the customer wants money back
delivery: the parcel is late or lost
praise: the customer is happy and says thank you`;

export const sampleTokens =
  'Tokenization isn’t magic: “unbelievably” falls into pieces, a naïve café loses its accents, 東京 becomes two tokens, and this vocabulary does not know the 🦉.';
