// Kind ner: the entities of a text, alone and between others.

import { Tagger } from 'pocketbert';
import { compareSpans, sameSpans } from './compare.mjs';
import { opening } from './opening.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playNer(testCase, context) {
  const { input, expect } = testCase;
  const { files, callOptions, open } = await opening(Tagger, testCase, context);
  return settle(expect, {
    files,
    canary: context.canary,
    compare,
    attempt: async () => {
      const tagger = await open();
      const entities = await tagger.tag(input.text, callOptions);
      const batch = [`x ${input.text}`, input.text, '', input.text.slice(3)];
      const [, between] = await tagger.tag(batch, callOptions);
      return { entities, between, text: input.text };
    },
  });
}

function compare({ entities, between, text }, { entities: expected, abs }) {
  const found = entities.map(({ entity, entity_group: label = entity, ...rest }) => ({
    label,
    ...rest,
  }));
  const wanted = expected.map((entity) => ({
    ...entity,
    text: text.slice(entity.start, entity.end),
  }));
  return [
    ...compareSpans('entities', found, wanted, abs),
    ...sameSpans('between other texts', between, entities),
  ];
}
