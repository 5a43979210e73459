#pragma once
// Heads: small networks on one vector per sequence, of the form
//   output(activation(dense(x))) / temperature
// which is what BERT, DistilBERT, ELECTRA, RoBERTa and EnhancedClassifier heads all are:
//
//   BERT                pooler.dense      tanh  classifier           x = hidden state of [CLS]
//   DistilBERT          pre_classifier    relu  classifier           x = hidden state of [CLS]
//   ELECTRA             classifier.dense  gelu  classifier.out_proj  x = hidden state of [CLS]
//   EnhancedClassifier  classifier.0      gelu  classifier.3         x = [CLS] or pooled vector

#include <string>

#include "base/session.h"
#include "base/tensor.h"
#include "nn/weights.h"

namespace pocketbert {

struct HeadConfig {
  std::string dense_name;   // canonical name of the first map ("pooler.dense"); "" = none
  std::string output_name;  // canonical name of the second map ("classifier"); "" = none
  size_t inputs = 0;        // width of x
  size_t inner = 0;         // width after the first map; equals inputs without one
  size_t outputs = 0;       // width of the result (labels); equals inner without a second map
  Activation activation = Activation::kTanh;  // after the first map; not used without one
  float temperature = 1;    // results are divided by it; > 0
};

struct HeadWeights {
  LinearWeights dense;   // [inner, inputs]; empty without a first map
  LinearWeights output;  // [outputs, inner]; empty without a second map
};

// The head's tensors, as VisitTensors does for the encoder.
template <typename Head, typename Visit>
void VisitHeadTensors(const HeadConfig& config, Head& head, Visit&& visit) {
  if (!config.dense_name.empty()) {
    VisitLinear(config.dense_name, config.dense_name + ".input_scale",
                {config.inner, config.inputs}, head.dense, visit);
  }
  if (!config.output_name.empty()) {
    VisitLinear(config.output_name, config.output_name + ".input_scale",
                {config.outputs, config.inner}, head.output, visit);
  }
}

// Workspace that RunHead takes at most for `rows` vectors, its result included.
size_t HeadWorkspaceBytes(const HeadConfig& config, size_t rows, size_t threads);

// `input` [rows, inputs] → [rows, outputs] (raw scores), allocated in session.workspace.
TensorView<float> RunHead(const HeadConfig& config, const HeadWeights& weights,
                          TensorView<const float> input, Session& session);

}  // namespace pocketbert
