/**
 * Long calls are made of steps, whether of many texts or of the windows of one: after any of them a call can
 * end, and others get in between.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EngineModel, EngineRun } from '../../web/src/core/types.js';
import { Session } from '../../web/src/models/session.js';
import { ModelUser } from '../../web/src/tasks/model_user.js';
import type { CallOptions } from '../../web/src/types.js';
import type { Args, Method } from '../../web/src/worker/protocol.js';
import { load } from '../bindings/support/setup.js';
import { failure } from './support/errors.js';
import { enc, ner, qa } from './support/public_api.js';

const sentence = 'Anna Smithson met Li in New York . ';
const long = sentence.repeat(60);
const windows = { stride: 2, embed: { maxLength: 8 } };

type Call = (asker: Asker, options?: CallOptions) => Promise<unknown>;

const of =
  <K extends Method>(method: K, args: Args[K]): Call =>
  (asker, options) =>
    asker.run(method, args, options);

const kinds: readonly (readonly [name: string, model: string, call: Call])[] = [
  ['texts', enc, of('embed', { texts: Array.from({ length: 60 }, () => sentence), options: {} })],
  ['windows', enc, of('embedParts', { texts: [long], options: { ...windows, each: true } })],
  ['pooled windows', enc, of('embedParts', { texts: [long], options: windows })],
  ['entities', ner, of('tag', { texts: [long], options: { maxLength: 16, stride: 4 } })],
  ['answers', qa, of('answer', { items: [{ text: 'who', pair: long }], options: { max_seq_len: 24 } })],
];

/** An object of the API that passes anything on. */
class Asker extends ModelUser {
  constructor(session: Session) {
    super(session);
  }
  run<K extends Method>(method: K, args: Args[K], options: CallOptions = {}) {
    return this.ask(method, args, { priority: 'batch', ...options });
  }
}

/** The model; `count` is called before each step of its runs. */
function counting(model: EngineModel, count: () => void): EngineModel {
  const counted = <Result>(run: EngineRun<Result>): EngineRun<Result> => ({
    total: run.total,
    step: () => (count(), run.step()),
    finish: () => run.finish(),
    destroy: () => run.destroy(),
  });
  return {
    tokenizer: model.tokenizer,
    info: () => model.info(),
    embed: (...args) => model.embed(...args),
    startEmbed: (...args) => counted(model.startEmbed(...args)),
    startEmbedParts: (...args) => counted(model.startEmbedParts(...args)),
    classify: (...args) => model.classify(...args),
    startClassify: (...args) => counted(model.startClassify(...args)),
    startZeroShot: (...args) => counted(model.startZeroShot(...args)),
    startTag: (...args) => counted(model.startTag(...args)),
    startAnswer: (...args) => counted(model.startAnswer(...args)),
    startFillMask: (...args) => counted(model.startFillMask(...args)),
    destroy: () => model.destroy(),
  };
}

for (const [name, model, call] of kinds) {
  describe(`a long call of ${name}`, () => {
    let steps = 0;
    let session: Session;
    let keeper: Asker;
    let whole: unknown;
    let total = 0;
    before(async () => {
      session = await Session.open({
        model,
        tokenizerOnly: false,
        loadEngine: async () => {
          const engine = await load('simd', { maxBatchTokens: 64 });
          const open = engine.openModel.bind(engine);
          engine.openModel = (...args) => counting(open(...args), () => void steps++);
          return engine;
        },
      });
      keeper = new Asker(session);
      steps = 0;
      whole = await call(keeper);
      total = steps;
    });
    after(() => keeper.destroy());

    /** The call, which `act` may end after its second step; resolves to the error that it does end with. */
    async function interrupted(asker: Asker, act: () => unknown, options: CallOptions = {}) {
      steps = 0;
      let told = 0;
      const onProgress = () => void (++told === 2 && act());
      const running = call(asker, { ...options, onProgress });
      return running.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    }

    test('has many steps and tells of each', async () => {
      assert.ok(total >= 10, `${total} steps`);
      const seen: number[] = [];
      await call(keeper, { onProgress: ({ done, total: all }) => void seen.push(done / all) });
      assert.equal(seen.length, total);
      assert.equal(seen.at(-1), 1);
      assert.ok(seen.every((share, i) => share > (seen[i - 1] ?? 0)), seen.join(' '));
    });

    const control = new AbortController();
    const endings: readonly (readonly [
      code: 'aborted' | 'superseded' | 'destroyed',
      options: CallOptions,
      act: (asker: Asker) => unknown,
    ])[] = [
      ['aborted', { signal: control.signal }, () => control.abort()],
      ['superseded', { supersede: true }, (asker) => asker.run('requests', {}, { supersede: true })],
      ['destroyed', {}, (asker) => asker.destroy()],
    ];
    for (const [code, options, act] of endings) {
      test(`${code} in the middle: no step more, and all memory back`, async () => {
        const before = await session.memory();
        const asker = new Asker(session);
        failure(code)(await interrupted(asker, () => act(asker), options));
        // This comes after whatever is left of the call.
        await keeper.run('requests', {});
        assert.equal(steps, 2);
        assert.deepEqual(await session.memory(), before);
        await asker.destroy();
        assert.deepEqual(await call(keeper), whole);
      });
    }

    test('an urgent call gets in between, and changes nothing', async () => {
      let atAnswer = 0;
      let urgent: Promise<unknown> = Promise.resolve();
      const act = () => {
        urgent = session
          .call('embed', { texts: ['boat'], options: {} }, { priority: 'interactive' })
          .then(() => (atAnswer = steps));
      };
      assert.equal(await interrupted(keeper, act), undefined);
      await urgent;
      // Its own step, and one of the call that it may have to wait for.
      assert.ok(atAnswer >= 3 && atAnswer <= 4, `answered after ${atAnswer} steps`);
      assert.equal(steps, total + 1);
      assert.deepEqual(await call(keeper), whole);
    });
  });
}
