/** Texts over which the loss of a conversion is measured: many registers, from one word to a page. */

export const sampleTexts: readonly string[] = [
  // single words and fragments, as in search boxes
  'umbrella',
  'Thursday',
  'cheap flights lisbon',
  'how to descale a kettle',
  'opening hours pharmacy near station',
  'not responding',
  'Yes!',
  // plain statements
  'The ferry leaves the harbour every morning at seven.',
  'My sister paints birds on old tiles.',
  'It has been raining on the northern coast since Sunday.',
  'Nobody in the village could remember a colder spring.',
  'She put the letter back into the drawer and said nothing.',
  'Two boys are kicking a ball against the garage door.',
  'A woman slices an onion on a wooden board.',
  'The tomatoes on the balcony are finally turning red.',
  // questions
  'Where can I return a parcel that was delivered to the wrong address?',
  'Why does bread rise faster in summer?',
  'Is it possible to see the northern lights from the ground in October?',
  'Could you move our call to half past three?',
  'Who wrote the first dictionary of this language, and when?',
  'What is the difference between a fjord and an estuary?',
  // news
  'The central bank left its key rate unchanged on Wednesday, citing slower wage growth.',
  'Firefighters brought the blaze at the paper mill under control shortly after midnight; no one was hurt.',
  'The visitors equalised in the 89th minute but lost the shoot-out by four penalties to two.',
  'Scientists report that the glacier lost eleven metres of thickness within a single decade.',
  'Shares of the chip maker fell 7 percent after it warned of weak orders for phones.',
  'Voters in three regions go to the polls on Sunday to elect new councils.',
  // reviews and opinions
  'Great little toaster, heats evenly, but the cord is much too short.',
  'The first hour drags, the last ten minutes are magnificent.',
  'I would not recommend this hotel to my worst enemy.',
  'Surprisingly quiet for its price, and the battery lasted the whole trip.',
  'The soup was cold, the waiter was rude and the bill was wrong.',
  'Meh. It does what it says, nothing more.',
  // chat and social
  'omg did you SEE that goal??? 😂😂',
  'brb, the cat is on the keyboard again',
  'happy birthday grandpa!! 🎂 see u on saturday',
  'lol no way, u r kidding',
  '@maria thanks for the link, reading it now #gardening',
  // office and customer service
  'Please find attached the minutes of yesterday\'s meeting and the revised budget.',
  'Your order 48-1127 has been shipped and should arrive within two working days.',
  'We are sorry to hear that the zip of your jacket broke; a replacement is on its way.',
  'Unfortunately your card was declined. Check the expiry date or try another card.',
  'To reset your password, open Settings, choose Security, and follow the steps on the screen.',
  // technical
  'TypeError: cannot read properties of undefined (reading "length")',
  'for (let i = 0; i < rows.length; i++) total += rows[i].price * rows[i].count;',
  'The cache is flushed when the last writer releases its lock.',
  'SELECT name, COUNT(*) FROM visits WHERE day >= \'2024-01-01\' GROUP BY name;',
  'Tighten the four bolts crosswise with a torque of 45 Nm and check them again after 50 km.',
  'git push was rejected because the remote contains work that you do not have locally.',
  'The converter raises 12 V to 48 V with an efficiency of about 93 % at half load.',
  // science and medicine
  'Mitochondria convert the energy of nutrients into adenosine triphosphate.',
  'Patients with a resting pulse above 100 should consult a physician before using the device.',
  'The orbit of the comet is inclined by 162 degrees, so that it moves against the planets.',
  'Photosynthesis in these algae stops within minutes when the water is shaded.',
  // law and contracts
  'The tenant shall notify the landlord in writing of any defect without undue delay.',
  'Neither party is liable for delays caused by events beyond its reasonable control.',
  'The court dismissed the appeal and ordered the claimant to bear the costs.',
  // literature and sayings
  'Better a bird in the hand than two on the roof.',
  'At the edge of the moor the road simply ended, as if whoever had built it had lost heart.',
  'O wind, be still a while, and let the reeds finish their song.',
  // instructions and recipes
  'Whisk three eggs with a pinch of salt, fold in the grated cheese and bake for twenty minutes at 180 °C.',
  'Turn left at the chapel, cross the footbridge, and keep the lake on your right for two miles.',
  // numbers, names, odd characters
  'Invoice no. 2023/00417, total 1,284.50 EUR, due 31.03.2023',
  'Tel. +44 20 7946 0018, open Mon-Fri 9:00-17:30',
  'https://example.org/a/b?query=red+shoes&page=2',
  'Dr. Zsófia Kovács-O\'Neill, Zürich → Kraków (via Brno), seat 14C',
  'A: 3/4 cup = 180 ml; B: 2½ tbsp; C: ~0.7 oz',
  'WARNING!!! DO NOT OPEN THE LID WHILE THE MOTOR IS RUNNING!!!',
  // other languages and scripts
  'Der Zug nach Hamburg fährt heute von Gleis sieben ab.',
  'El gato duerme todo el día junto a la ventana.',
  'Le marché est fermé le lundi, sauf en été.',
  'Завтра утром мы поедем на дачу.',
  '図書館は月曜日に休みです。',
  // longer passages
  'The library was built in 1911 with money left by a shipping merchant who had never learned to read. ' +
    'Its reading room faces north, so that the light is even all day, and the ceiling still shows the constellations ' +
    'that his daughter painted there. In 1953 a flood reached the third shelf; the tide mark can be seen behind the stairs.',
  'Thank you for your question. The warranty covers faults of material and workmanship for two years from the date of purchase. ' +
    'It does not cover batteries, damage caused by falls or water, or repairs made by others. If you send us the device, please include ' +
    'a copy of the receipt and a short description of the fault. We usually answer within five working days, and we pay for the return.',
  'Soil is not just broken rock. A spoonful of it holds more living things than there are people on the earth: bacteria that take ' +
    'nitrogen out of the air, threads of fungi that carry water to roots in exchange for sugar, mites, springtails and worms that mix ' +
    'dead leaves into the depth. When a field is ploughed every year, much of that web is torn, and it takes decades to mend. ' +
    'Farmers who leave the roots of the last crop in the ground, and sow into them, lose less water in dry summers and less earth in wet ' +
    'ones. The harvest is often smaller in the first seasons and larger in the tenth.',
];
