// Kind ner: the entities of a text, alone and between others.

import { Tagger } from 'pocketbert';
import { compareSpans, sameSpans } from './compare.mjs';
import { settle } from './settle.mjs';

/** @returns {Promise<import('./outcome.mjs').Difference[]>} */
export async function playNer(testCase, { suite, sources, sessions, canary }) {
  const { model, files: overlay, input, options, expect } = testCase;
  // `weights` names a graph that the overlay has put in the place of model.safetensors.
  const { precision = 'float32', weights: _inOverlay, ...callOptions } = options;
  const files = await sources.modelFiles(suite.folder, model, overlay);
  return settle(expect, {
    files,
    canary,
    compare,
    attempt: async () => {
      const key = [suite.folder, model, overlay, precision];
      const tagger = await sessions.open(Tagger, key, async () => ({ model: files, precision }));
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
