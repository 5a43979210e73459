#include "nn/encoder.h"

#include <catch2/catch_amalgamated.hpp>

#include <cstring>

#include "reference/batch.h"
#include "reference/compare.h"
#include "reference/tiny_model.h"

using pocketbert::EncoderConfig;
using pocketbert::EncoderWorkspaceBytes;
using pocketbert::RelativePositions;
using pocketbert::Session;
using pocketbert::TensorView;
using pocketbert::ThreadPool;
using pocketbert::Workspace;
using reference::CountDifferentBits;
using reference::GreatestError;
using reference::Matrix;
using reference::OwnedBatch;
using reference::Random;
using reference::Sequence;
using reference::TinyModel;

namespace {

// Sizes that are no multiples of the kernels' tiles; each family's own traits.
EncoderConfig Bert() {
  return {.vocab_size = 61, .hidden_size = 24, .embedding_size = 24, .layers = 2, .heads = 3,
          .intermediate_size = 40, .max_positions = 48, .type_vocab_size = 2};
}
EncoderConfig DistilBert() {
  EncoderConfig config = Bert();
  config.type_vocab_size = 0;
  return config;
}
EncoderConfig Electra() {
  EncoderConfig config = Bert();
  config.embedding_size = 20;
  config.hidden_size = 28;
  config.heads = 4;
  config.intermediate_size = 50;
  config.activation = pocketbert::Activation::kGeluTanh;
  return config;
}
EncoderConfig OneOddHead() {
  EncoderConfig config = Bert();
  config.hidden_size = config.embedding_size = 37;
  config.heads = 1;
  config.intermediate_size = 41;
  config.first_position = 2;
  config.layer_norm_eps = 1e-5f;
  return config;
}
// Groups of 64 and 128 with a short last one, as in real models; texts of several query blocks.
EncoderConfig Wide() {
  EncoderConfig config = Bert();
  config.hidden_size = config.embedding_size = 144;
  config.heads = 9;
  config.intermediate_size = 200;
  config.max_positions = 100;
  return config;
}

EncoderConfig Roberta() {
  EncoderConfig config = Bert();
  config.type_vocab_size = 1;
  config.padding_id = 5;  // occurs in the texts
  config.first_position = 6;
  return config;
}
EncoderConfig Mpnet() {
  EncoderConfig config = Wide();
  config.max_positions = 300;  // distances beyond the last bucket
  config.relative = RelativePositions::kBias;
  config.relative_bias_rows = 33;
  return config;
}
EncoderConfig Albert() {
  EncoderConfig config = Electra();
  config.layers = 4;
  config.layer_sets = 2;
  return config;
}
EncoderConfig Deberta() {
  EncoderConfig config = Bert();
  config.type_vocab_size = 0;
  config.position_table = false;
  config.relative = RelativePositions::kDisentangled;
  config.relative_buckets = 8;
  config.relative_max_distance = 48;
  config.content_to_position = config.position_to_content = true;
  return config;
}
EncoderConfig OwnPositionProjections() {
  EncoderConfig config = Deberta();
  config.position_table = true;
  config.share_position_projections = false;
  config.relative_norm = false;
  config.relative_buckets = 0;
  config.relative_max_distance = 11;
  return config;
}
EncoderConfig OnlyPositionToContent() {
  EncoderConfig config = OwnPositionProjections();
  config.content_to_position = false;
  config.relative_buckets = 7;
  config.relative_max_distance = 60;
  return config;
}
EncoderConfig ModernBert() {
  EncoderConfig config = Wide();
  config.type_vocab_size = 0;
  config.layers = 4;
  config.position_table = config.norm_bias = config.attention_bias = false;
  config.attention_output_bias = config.intermediate_bias = config.output_bias = false;
  config.pre_norm = config.gated = true;
  config.first_attention_norm = false;
  config.relative = RelativePositions::kRotary;
  config.rotary_theta = 160000;
  config.global_every = 3;
  config.window_reach = 5;
  return config;
}
// A window that is wider than a block of queries, norms and biases everywhere.
EncoderConfig WideWindow() {
  EncoderConfig config = ModernBert();
  config.norm_bias = config.attention_bias = config.intermediate_bias = true;
  config.first_attention_norm = true;
  config.global_every = 2;
  config.window_reach = 20;
  return config;
}
EncoderConfig Nomic() {
  EncoderConfig config = Bert();
  config.hidden_size = config.embedding_size = 30;
  config.position_table = config.attention_bias = config.output_bias = false;
  config.gated = true;
  config.relative = RelativePositions::kRotary;
  config.rotary_theta = 1000;
  config.rotary_factor = 1.25f;
  config.activation = pocketbert::Activation::kSilu;
  return config;
}

const EncoderConfig kConfigs[] = {
    Bert(),    DistilBert(), Electra(), OneOddHead(),
    Wide(),    Roberta(),    Mpnet(),   Albert(),
    Deberta(), OwnPositionProjections(), OnlyPositionToContent(), ModernBert(),
    WideWindow(), Nomic()};

std::vector<Sequence> SequencesFor(const EncoderConfig& config, uint32_t seed) {
  Random random(seed);
  return RandomSequences(random, {5, 1, 17, 2, config.max_tokens(), 16, 3}, config.vocab_size,
                         config.type_vocab_size);
}

// Runs the encoder in a workspace of exactly the promised size.
Matrix<float> Run(const TinyModel& model, const OwnedBatch& batch, size_t threads,
                  size_t* high_water = nullptr) {
  ThreadPool pool(threads);
  const size_t bytes = EncoderWorkspaceBytes(model.config, batch.ids.size(), pool.size());
  Session session{Workspace::Create(bytes).value(), &pool};
  Workspace::Scope scope(session.workspace);
  const TensorView<float> hidden =
      RunEncoder(model.config, model.weights, batch.view(), session);
  Matrix<float> result(hidden.rows, hidden.cols);
  for (size_t r = 0; r < hidden.rows; ++r) {
    std::memcpy(&result.at(r, 0), hidden.Row(r).data(), hidden.cols * sizeof(float));
  }
  if (high_water != nullptr) *high_water = session.workspace.high_water();
  return result;
}

template <typename T>
std::vector<T> TwinOf(const TinyModel& model, const std::vector<Sequence>& sequences) {
  const reference::EncoderTwin<T> twin(model.config, model.tensors);
  std::vector<T> hidden;
  for (const Sequence& sequence : sequences) {
    const Matrix<T> one = twin.Run(sequence.ids, sequence.types);
    hidden.insert(hidden.end(), one.values.begin(), one.values.end());
  }
  return hidden;
}

// FNV-1a over the bytes.
uint64_t HashOf(std::span<const float> values) {
  uint64_t hash = 0xcbf29ce484222325;
  for (float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    for (int byte = 0; byte < 4; ++byte) {
      hash = (hash ^ (bits >> (8 * byte) & 255)) * 0x100000001b3;
    }
  }
  return hash;
}

}  // namespace

TEST_CASE("a batch gives the bits of the twin, which takes its sequences one by one") {
  uint32_t seed = 20;
  for (const EncoderConfig& config : kConfigs) {
    for (size_t group_size : {0, 32, 64, 128}) {
      const TinyModel model(config, group_size, ++seed);
      const std::vector<Sequence> sequences = SequencesFor(config, seed);
      const std::vector<float> expected = TwinOf<float>(model, sequences);
      CAPTURE(config.hidden_size, config.type_vocab_size, group_size);
      for (size_t threads : {1, 2, 3}) {
        const Matrix<float> hidden = Run(model, OwnedBatch(sequences), threads);
        CHECK(CountDifferentBits(hidden.values, expected) == 0);
      }
    }
  }
}

TEST_CASE("float32 weights: within 1e-5 of the double reference, 2e-5 where nothing tames sums") {
  uint32_t seed = 40;
  for (const EncoderConfig& config : kConfigs) {
    const TinyModel model(config, 0, ++seed);
    const std::vector<Sequence> sequences = SequencesFor(config, seed);
    const Matrix<float> hidden = Run(model, OwnedBatch(sequences), 1);
    const double error =
        GreatestError<double>(hidden.values, TwinOf<double>(model, sequences));
    CAPTURE(config.hidden_size, config.layers, config.gated, config.max_positions, error);
    CHECK(error <= (config.pre_norm ? 2e-5 : 1e-5));
  }
}

TEST_CASE("one golden hash holds in every build") {
  // Of the float twin's output for this model, so that builds that differ from each other (native,
  // wasm with and without relaxed SIMD) show even if each agreed with its own twin.
  const struct {
    size_t group_size;
    uint64_t hash;
  } golden[] = {{0, 0xfdef3d09f95374ba}, {128, 0x707194eae0dc2e26}};
  for (const auto& [group_size, hash] : golden) {
    const TinyModel model(Wide(), group_size, 60);
    const std::vector<Sequence> sequences = SequencesFor(model.config, 60);
    CAPTURE(group_size);
    CHECK(HashOf(TwinOf<float>(model, sequences)) == hash);
    CHECK(HashOf(Run(model, OwnedBatch(sequences), 2).values) == hash);
  }
}

TEST_CASE("a text alone, first, last or among others has the same bits") {
  for (size_t group_size : {0, 64}) {
    const TinyModel model(Electra(), group_size, 70);
    Random random(71);
    const Sequence text = RandomSequences(random, {19}, 61, 2).front();
    const Matrix<float> alone = Run(model, OwnedBatch({text}), 1);
    std::vector<Sequence> others =
        RandomSequences(random, {7, 30, 1, 0, 12}, model.config.vocab_size, 2);
    for (size_t place = 0; place <= others.size(); ++place) {
      std::vector<Sequence> sequences = others;
      sequences.insert(sequences.begin() + static_cast<ptrdiff_t>(place), text);
      const OwnedBatch batch(sequences);
      const Matrix<float> hidden = Run(model, batch, 2);
      const float* rows = &hidden.values[batch.offsets[place] * hidden.cols];
      CHECK(CountDifferentBits({rows, alone.values.size()}, alone.values) == 0);
    }
  }
}

TEST_CASE("positions may be given") {
  const TinyModel model(Bert(), 0, 80);
  OwnedBatch batch(SequencesFor(model.config, 80));
  std::vector<uint32_t> positions;
  for (size_t s = 0; s + 1 < batch.offsets.size(); ++s) {
    for (uint32_t t = batch.offsets[s]; t < batch.offsets[s + 1]; ++t) {
      positions.push_back(t - batch.offsets[s]);
    }
  }
  const Matrix<float> expected = Run(model, batch, 1);
  ThreadPool pool(1);
  Session session{
      Workspace::Create(EncoderWorkspaceBytes(model.config, batch.ids.size(), 1)).value(), &pool};
  pocketbert::TokenBatch view = batch.view();
  view.positions = positions;
  const TensorView<float> hidden = RunEncoder(model.config, model.weights, view, session);
  CHECK(CountDifferentBits({hidden.data, expected.values.size()}, expected.values) == 0);
}

TEST_CASE("type ids may be left out: all 0") {
  const TinyModel model(Bert(), 0, 81);
  OwnedBatch batch(SequencesFor(model.config, 81));
  std::fill(batch.types.begin(), batch.types.end(), uint8_t{0});
  const Matrix<float> expected = Run(model, batch, 1);
  batch.types.clear();
  CHECK(CountDifferentBits(Run(model, batch, 1).values, expected.values) == 0);
}

TEST_CASE("the promised workspace suffices and is not far from what is used") {
  for (const EncoderConfig& config : kConfigs) {
    for (size_t group_size : {0, 64}) {
      const TinyModel model(config, group_size, 90);
      Random random(91);
      for (size_t threads : {1, 3}) {
        for (const std::vector<size_t>& lengths :
             {std::vector<size_t>{1}, {40, 40, 40}, std::vector<size_t>(60, 1)}) {
          const OwnedBatch batch(RandomSequences(random, lengths, config.vocab_size,
                                                 config.type_vocab_size));
          size_t high_water = 0;
          Run(model, batch, threads, &high_water);
          const size_t promised =
              EncoderWorkspaceBytes(config, batch.ids.size(), threads);
          CAPTURE(config.hidden_size, group_size, threads, batch.ids.size());
          CHECK(high_water <= promised);
          // Scratch for the threads' blocks is there whatever the weights and the texts' lengths.
          const size_t for_blocks = threads * 64 * 1024;
          CHECK(high_water + for_blocks >= promised);
        }
      }
    }
  }
}
