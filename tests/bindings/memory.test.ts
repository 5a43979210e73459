import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { packTexts } from '../../web/src/core/texts.js';
import { encode, failure, fixture, load, openFixture, rejection, runnableVariants, textsOf } from './support/setup.js';

const kText = 'A new stone bridge by the mill, one day and one night at the water city. '.repeat(4);

for (const variant of await runnableVariants()) {
  describe(`memory of ${variant}`, () => {
    test('flat over a thousand calls of every kind, failing ones too', async () => {
      const engine = await load(variant, { threads: variant === 'relaxed-mt' ? 2 : 1 });
      const model = await openFixture(engine, 'cls');
      const calls = () => {
        model.embed([kText, 'boat']);
        model.classify([{ text: kText, pair: 'boat' }]);
        const { ids } = encode(model.tokenizer, [{ text: kText }], { truncation: { max_length: 20 } });
        model.tokenizer.decode(ids);
        model.tokenizer.countTokens(packTexts([{ text: kText }]));
        model.tokenizer.idsToTokens(ids);
        failure('too_long', () => model.embed([kText], { truncate: 'error' }));
        const run = model.startEmbed([kText, kText]);
        run.step();
        run.destroy();
        engine.allocate(10_000).free();
      };
      for (let i = 0; i < 20; i++) calls();
      const before = engine.memory();
      for (let i = 0; i < 1000; i++) calls();
      assert.deepEqual(engine.memory(), before);
      engine.destroy();
    });

    test('texts that are only counted, or refused by their length, are not kept as tokens', async () => {
      const engine = await load(variant, { threads: 1 });
      const model = await openFixture(engine, 'cls');
      const text = 'boat '.repeat(500_000);
      const whole = { truncate: 'error' } as const;
      // Cut texts are read as far as is needed.
      model.classify([{ text, pair: text }], { maxLength: 47 });
      model.tokenizer.countTokens(packTexts([{ text: 'boat' }]));
      const before = engine.memory();
      const pair = failure('too_long', () => model.classify([{ text: 'boat', pair: text }], whole));
      assert.match(pair.message, /has 500004 tokens/);
      failure('too_long', () => model.classify([{ text, pair: text }], whole));
      failure('too_long', () => model.embed([text], whole));
      assert.equal(model.tokenizer.countTokens(packTexts([{ text, pair: text }]))[0], 1_000_003);
      assert.equal(engine.memory().wasmBytes, before.wasmBytes);
      engine.destroy();
    });

    test('models and importers give back what they took', async () => {
      const engine = await load(variant, { threads: 1 });
      const cycle = async () => {
        const model = await openFixture(engine, 'cls', { precision: 'int8' });
        model.embed([kText]);
        model.destroy();
        await rejection('format', engine.createImporter({ 'config.json': '{' }));
        const { 'tokenizer.json': json = '' } = textsOf(fixture('enc'));
        (await engine.openTokenizer({ 'tokenizer.json': json })).destroy();
        failure('format', () => engine.openModel(new Uint8Array(500_000)));
      };
      await cycle();
      const before = engine.memory();
      for (let i = 0; i < 50; i++) await cycle();
      assert.deepEqual(engine.memory(), before);
      engine.destroy();
    });
  });
}
