/** `Classifier`: texts to labels. */

import { PocketBertError } from '../errors.js';
import { later } from '../models/platform.js';
import type {
  ClassifyOptions,
  CreateOptions,
  Labels,
  TextInput,
  ZeroShotLabels,
  ZeroShotOptions,
} from '../types.js';
import { itemsOf, textsOf } from './encoding.js';
import { candidatesOf, headOf, labelsOf } from './label_scores.js';
import { ModelUser, ownOptions } from './model_user.js';
import { check, classifyTable, zeroShotTable } from './options.js';

/**
 * Says which of the model's labels fit a text, or a pair of texts.
 *
 *     const classifier = await Classifier.create();
 *     await classifier.classify('The match went to extra time.', { head: 'topics', top_k: 1 });
 *     // [{ label: 'Sports', score: 0.98 }]
 */
export class Classifier extends ModelUser {
  static async create(options: CreateOptions = {}): Promise<Classifier> {
    const needs =
      'classifies texts: neither classifier.weight of a ...ForSequenceClassification nor a file in heads/';
    const hint = 'an Embedder can use it';
    const classifier = new Classifier(await ModelUser.openHead(options, 'classify', needs, hint));
    // What such a model is for needs no request afterwards.
    const { heads } = classifier.info.model;
    if (heads.some(({ labels }) => labels.some((label) => /^entail/i.test(label)))) await judging();
    return classifier;
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
    const { explain, ...own } = ownOptions(options);
    const items = itemsOf(texts);
    const all = await this.forUser(options, texts, async (call) => {
      const labels = labelsOf(await call('classify', { items, options: own }), options);
      if (explain === undefined || explain === false) return labels;
      const { explanationsOf } = await later(import('./explaining.js'));
      const known = headOf(this.info.model, own.head).labels;
      const explanations = await explanationsOf(call, items, { own, explain, known });
      return labels.map((found, i) => Object.assign(found, { explanation: explanations[i] }));
    });
    return oneOrAll(all, texts);
  }

  /**
   * Which of your own labels fit a text, best first, by a model of natural language inference: it judges for
   * each whether the sentence made of it follows from the text.
   *
   *     await classifier.zeroShot('The match went to extra time.', ['sports', 'politics']);
   */
  zeroShot(
    text: string,
    labels: readonly string[],
    options?: ZeroShotOptions,
  ): Promise<ZeroShotLabels>;
  zeroShot(
    texts: readonly string[],
    labels: readonly string[],
    options?: ZeroShotOptions,
  ): Promise<ZeroShotLabels[]>;
  zeroShot(
    texts: string | readonly string[],
    labels: readonly string[],
    options?: ZeroShotOptions,
  ): Promise<ZeroShotLabels | ZeroShotLabels[]>;
  async zeroShot(
    texts: string | readonly string[],
    labels: readonly string[],
    options: ZeroShotOptions = {},
  ): Promise<ZeroShotLabels | ZeroShotLabels[]> {
    const { model } = this.info;
    check(options, zeroShotTable(model));
    const candidates = candidatesOf(labels);
    const list = textsOf(texts);
    const own = ownOptions(options);
    const all = await this.forUser(options, texts, async (call) => {
      const { judge } = await judging();
      return judge(call, { model, texts: list, labels: candidates, own }, options.onProgress);
    });
    return oneOrAll(all, texts);
  }
}

/** Few pages have such a model. */
const judging = () => later(import('./judging.js'));

function oneOrAll<Result>(all: Result[], texts: unknown): Result | Result[] {
  if (Array.isArray(texts)) return all;
  const [only] = all;
  if (only === undefined) throw new PocketBertError('trap', 'the engine gave no labels');
  return only;
}
