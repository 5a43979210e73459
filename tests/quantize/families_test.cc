// Every family's fixture, imported in both precisions, against what transformers computed
// (tests/golden/families).

#include <catch2/catch_amalgamated.hpp>

#include <cmath>

#include "kernels/activation.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "nn/heads.h"
#include "nn/pooling.h"
#include "reference/compare.h"
#include "support/family_model.h"

namespace pocketbert {
namespace {

using reference::CountDifferentBits;
using reference::Sequence;
using testing::FamilyCases;
using testing::FamilyFolder;
using testing::Folder;
using testing::HiddenStates;
using testing::OpenedFile;
using testing::OpenedFolder;
using testing::RunModel;
using testing::SequencesOf;

// Fixtures of families that are refused by name.
bool IsRefused(std::string_view fixture) { return fixture == "mobilebert"; }

Folder FolderOf(Json golden) {
  Folder folder = FamilyFolder(std::string(golden.GetString("fixture").value()));
  const std::string_view config = golden.StringOr("config", "").value();
  if (!config.empty()) folder["config.json"] = std::string(config);
  return folder;
}

// A row per sequence.
using Rows = std::vector<std::vector<float>>;

Rows CopyRows(TensorView<const float> matrix) {
  Rows rows;
  for (size_t r = 0; r < matrix.rows; ++r) {
    rows.emplace_back(matrix.Row(r).begin(), matrix.Row(r).end());
  }
  return rows;
}

Rows Embed(const Model& model, const std::vector<Sequence>& sequences, size_t threads = 1) {
  Rows vectors;
  RunModel(model, sequences, threads,
           [&](TensorView<float> hidden, const TokenBatch& batch, Session& session) {
             const std::vector<PoolingMode>& modes = model.sentence().pooling;
             const TensorView<float> pooled = session.workspace.Alloc<float>(
                 batch.sequences(), modes.size() * hidden.cols);
             Pool(modes, hidden, batch, 0, pooled);
             for (size_t r = 0; r < pooled.rows; ++r) NormalizeRow(pooled.Row(r));
             vectors = CopyRows(pooled);
           });
  return vectors;
}

// The head's scores of every sequence, or, if it reads tokens, of every token.
Rows HeadScores(const Model& model, HeadTask task, const std::vector<Sequence>& sequences,
                bool raw = false) {
  const Result<const Head*> found = model.RequireHead("", task);
  if (!found.ok()) FAIL(found.error().message);
  const Head& head = *found.value();
  Rows scores;
  RunModel(model, sequences, 2,
           [&](TensorView<float> hidden, const TokenBatch& batch, Session& session) {
             TensorView<float> input = hidden;
             if (head.spec.input != HeadInput::kTokens) {
               const PoolingMode mode = head.spec.input == HeadInput::kMeanToken
                                            ? PoolingMode::kMean
                                            : PoolingMode::kCls;
               input = session.workspace.Alloc<float>(batch.sequences(), hidden.cols);
               Pool({&mode, 1}, hidden, batch, 0, input);
             }
             const TensorView<float> logits =
                 RunHead(head.spec.config, head.weights, input, session);
             if (!raw && head.spec.score_function == ScoreFunction::kSoftmax) Softmax(1, logits);
             if (!raw && head.spec.score_function == ScoreFunction::kSigmoid) {
               Activate(Activation::kSigmoid, logits);
             }
             scores = CopyRows(logits);
           });
  return scores;
}

double Cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return dot / std::sqrt(aa * bb);
}

Rows Expected(Json golden) {
  Rows rows;
  for (const Json row : golden.GetArray("vectors").value().Items()) {
    rows.emplace_back();
    for (const Json v : row.Items()) {
      rows.back().push_back(static_cast<float>(v.AsDouble().value()));
    }
  }
  return rows;
}

double GreatestDifference(const Rows& a, const Rows& b) {
  REQUIRE(a.size() == b.size());
  double greatest = 0;
  for (size_t r = 0; r < a.size(); ++r) {
    REQUIRE(a[r].size() == b[r].size());
    for (size_t c = 0; c < a[r].size(); ++c) {
      greatest = std::max(greatest, std::abs(double{a[r][c]} - double{b[r][c]}));
    }
  }
  return greatest;
}

double LeastCosine(const Rows& a, const Rows& b) {
  REQUIRE(a.size() == b.size());
  double least = 1;
  for (size_t r = 0; r < a.size(); ++r) least = std::min(least, Cosine(a[r], b[r]));
  return least;
}

TEST_CASE("families: sentence vectors are those of transformers, in int8 nearly") {
  const JsonDocument document = FamilyCases("embed");
  for (const Json golden : document.root().Items()) {
    const std::string id(golden.GetString("id").value());
    INFO(id);
    if (IsRefused(golden.GetString("fixture").value())) continue;
    const Folder folder = FolderOf(golden);
    const std::vector<Sequence> sequences = SequencesOf(golden);
    const Rows expected = Expected(golden);
    const double error = GreatestDifference(
        Embed(OpenedFolder(folder, Precision::kFloat32), sequences), expected);
    const double cosine =
        LeastCosine(Embed(OpenedFolder(folder, Precision::kInt8), sequences), expected);
    CHECK(error <= 1e-5);
    CHECK(cosine >= 0.999);
  }
}

TEST_CASE("families: labels of texts and pairs score as in transformers") {
  const JsonDocument document = FamilyCases("classify");
  for (const Json golden : document.root().Items()) {
    const std::string id(golden.GetString("id").value());
    INFO(id);
    const Json options = golden.GetObject("options").value();
    const bool raw = options.StringOr("activation", "").value() == "none";
    const std::vector<Sequence> sequences = SequencesOf(golden);
    for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
      const Model model = OpenedFolder(FolderOf(golden), precision);
      const Rows scores = HeadScores(model, HeadTask::kClassify, sequences, raw);
      const std::vector<std::string>& labels = model.RequireHead("").value()->spec.labels;
      double error = 0;
      size_t r = 0;
      for (const Json result : golden.GetArray("results").value().Items()) {
        REQUIRE(result.size() == labels.size());
        for (size_t i = 0; i < labels.size(); ++i) {
          error = std::max(error, std::abs(scores[r][i] - result.GetDouble(labels[i]).value()));
        }
        ++r;
      }
      CHECK(error <= (precision == Precision::kFloat32 ? 1e-5 : raw ? 0.1 : 0.05));
    }
  }
}

TEST_CASE("families: tokens have the labels of transformers") {
  const JsonDocument document = FamilyCases("tag");
  for (const Json golden : document.root().Items()) {
    INFO(golden.GetString("id").value());
    const Model model = OpenedFolder(FolderOf(golden), Precision::kFloat32);
    const Rows scores = HeadScores(model, HeadTask::kTag, SequencesOf(golden));
    const Head& head = *model.RequireHead("", HeadTask::kTag).value();
    for (const Json token : golden.GetArray("tokens").value().Items()) {
      const std::vector<float>& row =
          scores[static_cast<size_t>(token.GetInt("index").value())];
      const auto best = std::max_element(row.begin(), row.end());
      const std::string& label = head.spec.labels[static_cast<size_t>(best - row.begin())];
      const std::string_view expected = token.GetString("label").value();
      CHECK(label == expected);
      CHECK(std::abs(*best - token.GetDouble("score").value()) <= 1e-5);
    }
  }
}

// Every classifier on tokens, of the fixtures whose cases need words as well: it loads, and its
// outputs are as many as the labels.
TEST_CASE("families: heads of token classification are bound") {
  for (const char* name : {"xlmr-ner", "deberta-ner", "modernbert-ner"}) {
    CAPTURE(name);
    for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
      const Model model = OpenedFolder(FamilyFolder(name), precision);
      CHECK_FALSE(model.RequireHead("").ok());
      const Rows scores = HeadScores(model, HeadTask::kTag, {{{1, 5, 9, 2}, {0, 0, 0, 0}}});
      REQUIRE(scores.size() == 4);
      CHECK(scores[0].size() == 5);
    }
  }
}

TEST_CASE("families: the best answer scores as in transformers") {
  const JsonDocument document = FamilyCases("answer");
  for (const Json golden : document.root().Items()) {
    INFO(golden.GetString("id").value());
    const Model model = OpenedFolder(FolderOf(golden), Precision::kFloat32);
    const Rows logits = HeadScores(model, HeadTask::kAnswer, SequencesOf(golden), true);
    std::vector<int> tokens = testing::IntList(golden.GetArray("context").value());
    tokens.insert(tokens.begin(), 0);  // the first token takes part in softmax
    std::vector<double> shares[2];
    for (size_t side = 0; side < 2; ++side) {
      double sum = 0;
      for (const int t : tokens) {
        sum += std::exp(double{logits[static_cast<size_t>(t)][side]});
      }
      for (const int t : tokens) {
        shares[side].push_back(std::exp(double{logits[static_cast<size_t>(t)][side]}) / sum);
      }
    }
    double best = 0;
    for (size_t i = 1; i < tokens.size(); ++i) {
      for (size_t j = i; j < std::min(tokens.size(), i + 15); ++j) {
        best = std::max(best, shares[0][i] * shares[1][j]);
      }
    }
    CHECK(std::abs(best - golden.GetDouble("score").value()) <= 1e-5);
  }
}

TEST_CASE("families: masked words score as in transformers") {
  const JsonDocument document = FamilyCases("fill_mask");
  for (const Json golden : document.root().Items()) {
    INFO(golden.GetString("id").value());
    for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
      const Model model = OpenedFolder(FolderOf(golden), precision);
      const Rows scores = HeadScores(model, HeadTask::kFillMask, SequencesOf(golden));
      const std::vector<float>& row = scores[static_cast<size_t>(golden.GetInt("mask").value())];
      CHECK(row.size() == model.encoder_config().vocab_size);
      for (const Json word : golden.GetArray("words").value().Items()) {
        const auto id = static_cast<size_t>(word.GetInt("id").value());
        const double tolerance = precision == Precision::kFloat32 ? 1e-5 : 0.05;
        CHECK(std::abs(row[id] - word.GetDouble("score").value()) <= tolerance);
      }
    }
  }
}

TEST_CASE("families: a text alone, in a batch, with other threads: the same bits") {
  const JsonDocument document = FamilyCases("embed");
  for (const Json golden : document.root().Items()) {
    INFO(golden.GetString("id").value());
    if (IsRefused(golden.GetString("fixture").value())) continue;
    const std::vector<Sequence> sequences = SequencesOf(golden);
    for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
      const Model model = OpenedFolder(FolderOf(golden), precision);
      const std::vector<float> together = HiddenStates(model, sequences, 1);
      CHECK(CountDifferentBits(HiddenStates(model, sequences, 2), together) == 0);
      size_t at = 0;
      for (const Sequence& sequence : sequences) {
        const std::vector<float> alone = HiddenStates(model, {sequence}, 2);
        CHECK(CountDifferentBits(alone, std::span(together).subspan(at, alone.size())) == 0);
        at += alone.size();
      }
    }
  }
}

TEST_CASE("families: a saved one-file model opens to the same bits, whatever the chunks") {
  const JsonDocument document = FamilyCases("embed");
  for (const Json golden : document.root().Items()) {
    INFO(golden.GetString("id").value());
    if (IsRefused(golden.GetString("fixture").value())) continue;
    const Folder folder = FolderOf(golden);
    for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
      TensorFile file =
          testing::Import(folder, {.options = {.precision = precision}, .chunk = 1000}).value();
      const std::vector<uint8_t> saved(file.bytes().begin(), file.bytes().end());
      const std::vector<Sequence> sequences = SequencesOf(golden);
      const std::vector<float> imported = HiddenStates(OpenedFile(std::move(file)), sequences, 1);
      ByteBlock block = ByteBlock::Create(saved.size(), "saved").value();
      std::copy(saved.begin(), saved.end(), block.data());
      const Model reopened = OpenedFile(TensorFile::FromBytes("saved", std::move(block)).value());
      CHECK(CountDifferentBits(HiddenStates(reopened, sequences, 1), imported) == 0);
      CHECK(CountDifferentBits(HiddenStates(OpenedFolder(folder, precision), sequences, 1),
                               imported) == 0);
    }
  }
}

}  // namespace
}  // namespace pocketbert
