/** `Classifier`: texts to labels. */

import type { ClassifyResult } from '../core/types.js';
import { PocketBertError } from '../errors.js';
import type { ClassifyOptions, CreateOptions, Label, Labels, TextInput } from '../types.js';
import { itemsOf } from './encoding.js';
import { ModelUser, ownOptions } from './model_user.js';
import { check, classifyTable } from './options.js';

/**
 * Says which of the model's labels fit a text, or a pair of texts.
 *
 *     const classifier = await Classifier.create();
 *     await classifier.classify('The match went to extra time.', { head: 'topics', top_k: 1 });
 *     // [{ label: 'Sports', score: 0.98 }]
 */
export class Classifier extends ModelUser {
  static async create(options: CreateOptions = {}): Promise<Classifier> {
    const session = await ModelUser.open(options);
    if ((session.model?.heads.length ?? 0) > 0) return new Classifier(session);
    const name = session.info.model.name || 'the model';
    return ModelUser.refuse(
      session,
      new PocketBertError(
        'unsupported',
        `${name} (${session.model?.architectures.join() || 'of no architecture'}) has no head that classifies texts: neither classifier.weight of a ...ForSequenceClassification nor a file in heads/`,
        {
          hint: 'an Embedder can use it',
        },
      ),
    );
  }

  /** The labels of one text or pair, best first; of a list, one such list each. */
  classify(text: TextInput, options?: ClassifyOptions): Promise<Labels>;
  classify(texts: readonly TextInput[], options?: ClassifyOptions): Promise<Labels[]>;
  classify(
    texts: TextInput | readonly TextInput[],
    options?: ClassifyOptions,
  ): Promise<Labels | Labels[]>;
  async classify(
    texts: TextInput | readonly TextInput[],
    options: ClassifyOptions = {},
  ): Promise<Labels | Labels[]> {
    check(options, classifyTable(this.info.model));
    const args = { items: itemsOf(texts), options: ownOptions(options) };
    const result = await this.ask('classify', args, options, texts);
    const all = labelsOf(result);
    if (Array.isArray(texts)) return all;
    const [only] = all;
    if (only === undefined) throw new PocketBertError('trap', 'the engine gave no labels');
    return only;
  }
}

function labelsOf(result: ClassifyResult): Labels[] {
  const { count, labels, topK, indices, scores, tokens, truncated } = result;
  return Array.from({ length: count }, (_, item) => {
    const best = Array.from({ length: topK }, (__, rank): Label => {
      const at = item * topK + rank;
      return { label: labels[indices[at] ?? 0] ?? '', score: scores[at] ?? 0 };
    });
    return Object.assign(best, { tokens: tokens[item] ?? 0, truncated: truncated[item] === 1 });
  });
}
