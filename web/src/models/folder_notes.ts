/** What a folder's configurations say and is not done: for `info.model.notes`, and for who converts. */

import { isRecord, parseJson } from './files.js';
import type { Folder } from './folder_files.js';
import { isGraph } from './weight_header.js';

type Json = { readonly [key: string]: unknown };

const sentenceConfig = 'config_sentence_transformers.json';

function lengthNotes(lengths: Json, config: Json): string[] {
  const wanted = lengths['max_seq_length'];
  const positions = config['max_position_embeddings'];
  if (typeof wanted !== 'number' || typeof positions !== 'number' || wanted <= positions) return [];
  return [
    `max_seq_length of sentence_bert_config.json is ${wanted}; the model has ${positions} positions, which is the limit`,
  ];
}

function labelNotes({ label2id: ids, id2label: labels }: Json): string[] {
  if (!isRecord(ids) || !isRecord(labels)) return [];
  const agree = Object.entries(ids).every(([label, id]) => labels[String(id)] === label);
  return agree ? [] : ['label2id and id2label of config.json contradict each other; id2label is used'];
}

function sentenceNotes({ similarity_fn_name: similarity, truncate_dim: dimensions }: Json): string[] {
  const notes: string[] = [];
  if (typeof similarity === 'string' && similarity !== 'cosine') {
    notes.push(
      `similarity_fn_name of ${sentenceConfig} is ${similarity}; similarity and search compare by cosine`,
    );
  }
  if (typeof dimensions === 'number') {
    notes.push(
      `truncate_dim of ${sentenceConfig} is ${dimensions} and is not applied; embed takes dimensions: ${dimensions}`,
    );
  }
  return notes;
}

function graphNotes(weights: Folder['weights']): string[] {
  const graph = weights.find(({ path }) => isGraph(path));
  return graph === undefined
    ? []
    : [`there is no model.safetensors: weights are those of the graph ${graph.path}`];
}

/** Sentences about what a folder has or says and is not done. */
export function folderNotes({ texts, weights }: Pick<Folder, 'texts' | 'weights'>): string[] {
  // The encoder's own files may lie in a folder; a module's config.json is another file.
  const read = (name: string, beside = name): Json => {
    const path = Object.keys(texts).find((other) => other === beside || other.endsWith(`/${beside}`));
    const value = parseJson(path === undefined ? texts[name] : texts[path.slice(0, -beside.length) + name]);
    return isRecord(value) ? value : {};
  };
  const isThere = (name: string): boolean => Object.keys(texts).some((path) => path.endsWith(name));
  const beside = ['tokenizer.json', 'vocab.json'].find(isThere) ?? 'vocab.txt';
  const config = read('config.json', beside);
  return [
    ...lengthNotes(read('sentence_bert_config.json'), config),
    ...labelNotes(config),
    ...sentenceNotes(read(sentenceConfig)),
    ...graphNotes(weights),
  ];
}
