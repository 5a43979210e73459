/** `Ranker`: documents by how well they answer a query. */

import { later } from '../models/platform.js';
import type { CreateOptions, Ranking, RankOptions } from '../types.js';
import { ModelUser } from './model_user.js';
import type { rank } from './ranking.js';

/**
 * Ranks documents with a cross-encoder, which reads query and document together.
 *
 *     const ranker = await Ranker.create({ model: 'https://host/ms-marco-MiniLM-L6-v2/' });
 *     await ranker.rank('who was on the boat', documents, { top_k: 3, return_documents: true });
 *     // [{ corpus_id: 12, score: 0.98, text: 'The old man and the child …' }, …]
 */
export class Ranker extends ModelUser {
  #work!: typeof rank;

  static async create(options: CreateOptions = {}): Promise<Ranker> {
    const { rank: work } = await later(import('./ranking.js'));
    const needs = 'scores pairs of texts, as those of a ...ForSequenceClassification do';
    const ranker = new Ranker(await ModelUser.openHead(options, 'classify', needs));
    ranker.#work = work;
    return ranker;
  }

  /**
   * The documents, best first; equal ones in their order. The short ones are scored first, a few at a
   * time: `onResult` tells of each as soon as it is there, and memory stays flat.
   */
  rank(
    query: string,
    documents: readonly string[],
    options: RankOptions = {},
  ): Promise<Ranking> {
    const { model } = this.info;
    return this.#work(
      model,
      (work) => this.forUser(options, documents, work),
      { query, documents },
      options,
    );
  }
}
