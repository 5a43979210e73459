#pragma once
// Models of the families' fixtures (tests/cases-families), run on token ids: the tokenizers that
// the fixtures need are none of the networks' business.

#include <catch2/catch_amalgamated.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/model.h"
#include "nn/encoder.h"
#include "reference/batch.h"
#include "reference/matrix.h"
#include "support/model_folder.h"

namespace pocketbert::testing {

// The folder of a fixture with a tokenizer that every build can read, and whose ids all fit.
inline Folder FamilyFolder(const std::string& name) {
  const std::string fixtures =
      std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases-families/hand/fixtures/";
  Folder folder = ReadFolder(fixtures + name);
  for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
    folder[file] = ReadFile(fixtures + "electra/" + file);
  }
  return folder;
}

inline JsonDocument FamilyCases(const std::string& kind) {
  const std::string file = "tests/golden/families/" + kind + ".json";
  return ParseJson(ReadFile(std::string(POCKETBERT_SOURCE_DIR) + "/" + file), file).value();
}

inline std::vector<int> IntList(Json list) {
  std::vector<int> values;
  for (const Json item : list.Items()) values.push_back(static_cast<int>(item.AsInt().value()));
  return values;
}

inline std::vector<reference::Sequence> SequencesOf(Json golden) {
  std::vector<reference::Sequence> sequences;
  for (const Json item : golden.GetArray("sequences").value().Items()) {
    sequences.push_back({IntList(item.GetArray("ids").value()),
                         IntList(item.GetArray("types").value())});
  }
  return sequences;
}

inline Model OpenedFile(TensorFile file) {
  Result<Model> model = Model::Open(std::move(file));
  if (!model.ok()) FAIL(model.error().message);
  return std::move(model).value();
}

inline Model OpenedFolder(const Folder& folder, Precision precision) {
  Result<TensorFile> file = Import(folder, {.options = {.precision = precision}});
  if (!file.ok()) FAIL(file.error().message);
  return OpenedFile(std::move(file).value());
}

// Runs `read(hidden, batch, session)` on the last hidden states of `sequences`, as one batch.
template <typename Read>
void RunModel(const Model& model, const std::vector<reference::Sequence>& sequences,
              size_t threads, const Read& read) {
  const reference::OwnedBatch batch(sequences);
  constexpr size_t kRoom = 1 << 22;  // for heads
  ThreadPool pool(threads);
  const size_t bytes =
      EncoderWorkspaceBytes(model.encoder_config(), batch.ids.size(), pool.size());
  Session session{Workspace::Create(bytes + kRoom).value(), &pool};
  Workspace::Scope scope(session.workspace);
  const TensorView<float> hidden =
      RunEncoder(model.encoder_config(), model.encoder(), batch.view(), session);
  CHECK(session.workspace.high_water() <= bytes);
  read(hidden, batch.view(), session);
}

// The last hidden states themselves.
inline std::vector<float> HiddenStates(const Model& model,
                                       const std::vector<reference::Sequence>& sequences,
                                       size_t threads) {
  std::vector<float> values;
  RunModel(model, sequences, threads,
           [&](TensorView<float> hidden, const TokenBatch&, Session&) {
             values.assign(hidden.data, hidden.data + hidden.rows * hidden.cols);
           });
  return values;
}

}  // namespace pocketbert::testing
