#pragma once
// Heads: small networks on one vector per sequence or per token, of the form
//   output(norm(activation(dense(x)))) / temperature
// where any part but one map may be missing. That is what the heads of all families are:
//
//   text classification    dense              activation  norm       output               x
//   BERT, ALBERT           pooler.dense       tanh        -          classifier           [CLS]
//   DistilBERT             pre_classifier     relu        -          classifier           [CLS]
//   ELECTRA                classifier.dense   gelu        -          classifier.out_proj  [CLS]
//   RoBERTa, MPNet         classifier.dense   tanh        -          classifier.out_proj  [CLS]
//   DeBERTa                pooler.dense       gelu        -          classifier           [CLS]
//   ModernBERT             head.dense         gelu        head.norm  classifier           [CLS], mean
//   EnhancedClassifier     classifier.0       gelu        -          classifier.3         any vector
//   entities, answers      -                  -           -          classifier, qa_…     each token
//   masked words (BERT)    …transform.dense   gelu        …LayerNorm the word embeddings  each token

#include <string>

#include "base/session.h"
#include "base/tensor.h"
#include "nn/weights.h"

namespace pocketbert {

struct HeadConfig {
  std::string dense_name;   // canonical name of the first map ("pooler.dense"); "" = none
  std::string norm_name;    // canonical name of the LayerNorm; "" = none
  std::string output_name;  // canonical name of the second map ("classifier"); "" = none
  size_t inputs = 0;        // width of x
  size_t inner = 0;         // width after the first map; equals inputs without one
  size_t outputs = 0;       // width of the result (labels); equals inner without a second map
  Activation activation = Activation::kTanh;  // after the first map; not used without one
  float temperature = 1;    // results are divided by it; > 0
  bool dense_bias = true;
  bool norm_bias = true;
  float norm_eps = 1e-12f;
  // The second map's matrix is the table of word embeddings; only its bias has a name of its own.
  bool tied_output = false;
};

struct HeadWeights {
  LinearWeights dense;           // [inner, inputs]; empty without a first map
  LinearWeights output;          // [outputs, inner]; empty without a second map; only bias if tied
  LayerNormWeights norm = {};    // [inner]; empty without one
  EmbeddingTable words = {};     // [outputs, inner], for a tied second map only: the encoder's
};

// The head's tensors, as VisitTensors does for the encoder; the words of a tied map are not among
// them.
void VisitHeadTensors(const HeadConfig& config, HeadWeights& head, TensorVisitor visit);

// Workspace that RunHead takes at most for `rows` vectors, its result included.
size_t HeadWorkspaceBytes(const HeadConfig& config, size_t rows, size_t threads);

// `input` [rows, inputs], any sequences' or tokens' vectors → [rows, outputs] (raw scores),
// allocated in session.workspace. A row's result depends on that row only.
TensorView<float> RunHead(const HeadConfig& config, const HeadWeights& weights,
                          TensorView<const float> input, Session& session);

}  // namespace pocketbert
