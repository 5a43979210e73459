#include "tasks/fill_mask.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/sort.h"
#include "kernels/softmax.h"
#include "nn/encoder.h"
#include "nn/heads.h"

namespace pocketbert {
namespace {

// Masks that go through the decoder together: a vocabulary of 250,000 words needs 8 MB for them.
constexpr size_t kMaskRows = 8;
// Tokens in all sequences of one text; bounds the memory of a result.
constexpr size_t kMostSequenceTokens = 1 << 22;

// What may stand in a mask's place: these ids, or all if `only` is false.
struct Candidates {
  bool only = false;
  std::vector<int32_t> ids = {};
};

// Places of the batch's masks.
struct MaskPlaces {
  std::vector<uint32_t> tokens = {};  // [masks] rows of the batch
  std::vector<uint32_t> counts = {};  // [texts]
};

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// A target's entry of the vocabulary, else the first token of its encoding.
Result<int32_t> TargetId(const Tokenizer& tokenizer, std::string_view target,
                         JsonWriter& notes) {
  if (const std::optional<int32_t> id = tokenizer.TokenToId(target)) return *id;
  EncodeOptions options;
  options.add_special_tokens = false;
  PB_ASSIGN_OR_RETURN(const Encodings encoding, tokenizer.Encode(target, std::nullopt, options));
  const int32_t unknown = tokenizer.special_ids().unk;
  if (encoding.tokens.empty() || encoding.tokens[0].id == unknown) {
    return InvalidArgumentError(Message("target ") + Quoted(target) +
                                " is no entry of the vocabulary, nor does it begin with one");
  }
  const int32_t id = encoding.tokens[0].id;
  notes.String("target " + Quoted(target) + " is no entry of the vocabulary; " +
               Quoted(tokenizer.IdToToken(id).value_or("")) + " was taken in its place");
  return id;
}

Result<Candidates> ResolveTargets(const Tokenizer& tokenizer, std::span<const TextPair> targets,
                                  size_t vocab_size, std::string& notes) {
  Candidates candidates{.only = !targets.empty()};
  JsonWriter writer;
  writer.BeginArray();
  for (const TextPair& target : targets) {
    PB_ASSIGN_OR_RETURN(const int32_t id, TargetId(tokenizer, target.text, writer));
    if (id < 0 || static_cast<size_t>(id) >= vocab_size) {
      return InvalidArgumentError(Message("target ") + Quoted(target.text) + " has id " + id +
                                  ", expected one of the model's " + vocab_size + " words");
    }
    const auto end = candidates.ids.end();
    if (std::find(candidates.ids.begin(), end, id) == end) candidates.ids.push_back(id);
  }
  writer.EndArray();
  notes = writer.TakeText();
  return candidates;
}

// Finds the masks of the batch's texts; takes texts off its end whose results would be too much for
// one batch. `first_number` is that of the batch's first text.
Result<MaskPlaces> FindMasks(const Tokenizer& tokenizer, size_t words_per_mask,
                             size_t first_number, TextBatch& batch) {
  const int32_t mask = tokenizer.special_ids().mask;
  if (mask < 0) return UnsupportedError("the tokenizer has no mask token");
  MaskPlaces places;
  size_t all_sequence_tokens = 0;
  for (size_t i = 0; i < batch.texts(); ++i) {
    const size_t found = places.tokens.size();
    for (uint32_t t = batch.offsets[i]; t < batch.offsets[i + 1]; ++t) {
      if (batch.ids[t] == mask) places.tokens.push_back(t);
    }
    const size_t count = places.tokens.size() - found;
    if (count == 0) {
      const std::string_view kept = batch.truncated[i] ? " in the part that is kept" : "";
      return InvalidArgumentError(Message("text ") + (first_number + i) +
                                  " has no mask token" + kept + ", expected at least one " +
                                  tokenizer.IdToToken(mask).value_or(""));
    }
    const uint64_t tokens = batch.offsets[i + 1] - batch.offsets[i];
    const uint64_t sequence_tokens = uint64_t{count} * words_per_mask * tokens;
    if (sequence_tokens > kMostSequenceTokens) {
      return InvalidArgumentError(
          Message("text ") + (first_number + i) + ": top_k " + words_per_mask + " for " + count +
          " masks in " + tokens + " tokens gives " + sequence_tokens +
          " tokens of sequences, expected at most " + kMostSequenceTokens);
    }
    all_sequence_tokens += static_cast<size_t>(sequence_tokens);
    if (i > 0 && all_sequence_tokens > kMostSequenceTokens) {
      places.tokens.resize(found);
      batch.Keep(i);
      break;
    }
    places.counts.push_back(static_cast<uint32_t>(count));
  }
  return places;
}

// Indices of the `count` best of `size` candidates, best first; equal ones in their order. The list
// is cut back to `count` whenever it has doubled, so that few entries are ever sorted.
template <typename ScoreOf>
std::vector<uint32_t> BestIndices(size_t size, size_t count, const ScoreOf& score_of) {
  std::vector<uint32_t> best;
  float floor = -std::numeric_limits<float>::infinity();
  const auto cut = [&] {
    SortIndices(best, [&](uint32_t a, uint32_t b) { return score_of(a) > score_of(b); });
    if (best.size() < count) return;
    best.resize(count);
    floor = score_of(best.back());
  };
  for (size_t i = 0; i < size; ++i) {
    if (!(score_of(i) > floor)) continue;
    best.push_back(static_cast<uint32_t>(i));
    if (best.size() >= 2 * count) cut();
  }
  cut();
  return best;
}

class Filling {
 public:
  Filling(const Model& model, const TextBatch& batch, const MaskPlaces& places,
          const Candidates& candidates, FilledMasks& result)
      : tokenizer_(model.tokenizer()),
        batch_(batch),
        places_(places),
        candidates_(candidates),
        result_(result) {}

  // Appends the best words of mask number `mask` by the shares of all words.
  Status Append(size_t mask, std::span<const float> shares) {
    const auto id_of = [&](size_t i) {
      return candidates_.only ? candidates_.ids[i] : static_cast<int32_t>(i);
    };
    const auto share_of = [&](size_t i) { return shares[static_cast<size_t>(id_of(i))]; };
    const size_t choice = candidates_.only ? candidates_.ids.size() : shares.size();
    const std::vector<uint32_t> best = BestIndices(choice, result_.words_per_mask, share_of);
    if (best.size() < result_.words_per_mask) {
      return FormatError("the model's scores of words are no numbers");
    }
    while (mask >= masks_before_ + places_.counts[text_]) masks_before_ += places_.counts[text_++];
    for (const uint32_t i : best) {
      result_.scores.push_back(share_of(i));
      AppendWord(id_of(i), places_.tokens[mask]);
    }
    return Done{};
  }

 private:
  void AppendWord(int32_t id, size_t token) {
    result_.ids.push_back(id);
    AppendText({&id, 1}, false);
    const size_t begin = batch_.offsets[text_];
    const auto first = batch_.ids.begin();
    sequence_.assign(first + static_cast<ptrdiff_t>(begin),
                     first + static_cast<ptrdiff_t>(batch_.offsets[text_ + 1]));
    sequence_[token - begin] = id;
    AppendText(sequence_, places_.counts[text_] == 1);
  }

  void AppendText(std::span<const int32_t> ids, bool skip_special_tokens) {
    const std::string text =
        tokenizer_.Decode(ids, {.skip_special_tokens = skip_special_tokens});
    result_.texts.insert(result_.texts.end(), text.begin(), text.end());
    result_.ends.push_back(static_cast<uint32_t>(result_.texts.size()));
  }

  const Tokenizer& tokenizer_;
  const TextBatch& batch_;
  const MaskPlaces& places_;
  const Candidates& candidates_;
  FilledMasks& result_;
  size_t text_ = 0;          // of the mask at work
  size_t masks_before_ = 0;  // masks of the texts before it
  std::vector<int32_t> sequence_;
};

}  // namespace

size_t FillMaskWorkspaceBytes(const HeadConfig& config, size_t threads) {
  return Workspace::BytesFor<float>(kMaskRows * config.inputs) +
         HeadWorkspaceBytes(config, kMaskRows, threads);
}

Result<FilledMasks> FillMaskBatch(const Model& model, TaskSession& task, TextList list,
                                  const FillMaskOptions& options) {
  PB_ASSIGN_OR_RETURN(const Head* head, model.RequireHead("", HeadTask::kFillMask));
  if (options.top_k == 0) return InvalidArgumentError("top_k is 0, expected 1 or more");
  const size_t words = head->spec.config.outputs;
  FilledMasks result;
  PB_ASSIGN_OR_RETURN(const Candidates candidates,
                      ResolveTargets(model.tokenizer(), options.targets, words, result.notes));
  result.words_per_mask = std::min(options.top_k, candidates.only ? candidates.ids.size() : words);
  PB_ASSIGN_OR_RETURN(TextBatch batch, FillBatch(model, task, list, {}, options.length));
  PB_ASSIGN_OR_RETURN(MaskPlaces places, FindMasks(model.tokenizer(), result.words_per_mask,
                                                   list.first_number, batch));
  result.tokens = batch.Lengths();
  result.truncated = batch.truncated;
  if (batch.texts() == 0) return result;

  Workspace& workspace = task.session.workspace;
  Workspace::Scope scope(workspace);
  const TensorView<float> hidden =  // [tokens, hidden_size]
      RunEncoder(model.encoder_config(), model.encoder(), batch.view(), task.session);
  Filling filling(model, batch, places, candidates, result);
  for (size_t begin = 0; begin < places.tokens.size(); begin += kMaskRows) {
    const size_t count = std::min(kMaskRows, places.tokens.size() - begin);
    Workspace::Scope rows(workspace);
    const TensorView<float> inputs = workspace.Alloc<float>(count, hidden.cols);
    for (size_t r = 0; r < count; ++r) {
      const std::span<const float> state = hidden.Row(places.tokens[begin + r]);
      std::copy(state.begin(), state.end(), inputs.Row(r).begin());
    }
    const TensorView<float> shares =  // [count, words]
        RunHead(head->spec.config, head->weights, inputs, task.session);
    Softmax(1, shares);
    for (size_t r = 0; r < count; ++r) {
      PB_RETURN_IF_ERROR(filling.Append(begin + r, shares.Row(r)));
    }
  }
  result.masks = std::move(places.counts);
  return result;
}

}  // namespace pocketbert
