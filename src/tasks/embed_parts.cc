#include "tasks/embed_parts.h"

#include <algorithm>
#include <utility>

#include "kernels/elementwise.h"
#include "nn/encoder.h"
#include "tasks/check_numbers.h"
#include "tasks/sentence_vector.h"
#include "tasks/token_windows.h"

namespace pocketbert {
namespace {

constexpr size_t kMostValues = size_t{1} << 24;

// Adds a part. `begin` and `end` are of the text with a prefix of so many units before it.
void AddPart(size_t tokens, uint32_t begin, uint32_t end, uint32_t prefix,
             std::vector<uint32_t>& parts) {
  parts.push_back(static_cast<uint32_t>(tokens));
  parts.push_back(std::max(begin, prefix) - prefix);
  parts.push_back(std::max(end, prefix) - prefix);
}

// From the first unit of the window's tokens to the last.
Range RangeOf(const WindowedText& text, const Window& window) {
  if (window.size() == 0) return {};
  Range range = text.tokens[text.begin + window.begin].range;
  for (size_t i = window.begin; i < window.end; ++i) {
    const Range& token = text.tokens[text.begin + i].range;
    range.begin = std::min(range.begin, token.begin);
    range.end = std::max(range.end, token.end);
  }
  return range;
}

// Adds the vector of window `w` to `mean`, which is zero before the first and right after the last.
void AddToMean(std::span<const float> vector, const WindowedText& text, size_t w, bool normalize,
               TensorView<float> mean) {
  const std::span<float> row = mean.Row(0);
  if (text.windows.size() == 1) {
    std::copy(vector.begin(), vector.end(), row.begin());
    return;
  }
  AddScaled(static_cast<float>(text.windows[w].size()), vector, row);
  if (w + 1 < text.windows.size()) return;
  size_t tokens = 0;
  for (const Window& window : text.windows) tokens += window.size();
  Scale(1.0f / static_cast<float>(tokens), row);
  if (normalize) ScaleToLengthOne(mean);
}

Status CheckCounts(const WindowQueue& queue, size_t dimensions) {
  for (size_t t = 0; t < queue.texts.size(); ++t) {
    const size_t windows = queue.texts[t].windows.size();
    if (windows <= kMostValues / dimensions) continue;
    Status error = TooLongError(Message("has ") + windows + " windows, more than 64 MB of vectors");
    return AboutText(queue.first_number + t, std::move(error).error());
  }
  return Done{};
}

Result<PartEmbeddings> EmbedTokens(const Model& model, TaskSession& task, TextList list,
                                   const EmbedOptions& options) {
  PB_ASSIGN_OR_RETURN(const EmbedPlan plan, PlanTokens(model, options));
  PB_ASSIGN_OR_RETURN(TextBatch batch, FillBatch(model, task, list, plan.prompt, options.length));
  PartEmbeddings result{.dimensions = plan.vectors.dimensions,
                        .counts = batch.Lengths(),
                        .truncated = std::move(batch.truncated)};
  if (result.texts() == 0) return result;
  const uint32_t prefix = PrefixUnits(plan.prompt);
  for (size_t i = 0; i < batch.ranges.size(); i += 2) {
    AddPart(1, batch.ranges[i], batch.ranges[i + 1], prefix, result.parts);
  }

  Workspace::Scope scope(task.session.workspace);
  const TensorView<float> hidden =  // [tokens, hidden_size]
      RunEncoder(model.encoder_config(), model.encoder(), batch.view(), task.session);
  const TensorView<float> vectors = hidden.Cols(0, result.dimensions);
  if (plan.vectors.normalize) ScaleToLengthOne(vectors);
  for (size_t i = 0; i < result.texts(); ++i) {
    PB_RETURN_IF_ERROR(CheckNumbers(list.first_number + i,
                                    vectors.Rows(batch.offsets[i], batch.offsets[i + 1]),
                                    "vectors"));
  }
  AppendRows(vectors, result.data);
  return result;
}

}  // namespace

void PartsRun::AddWindow(const WindowPlace& place, std::span<const float> vector, bool normalize,
                         PartEmbeddings& result) {
  const WindowedText& text = queue_.texts[place.text];
  const Window& window = text.windows[place.window];
  const Range range = RangeOf(text, window);
  AddPart(text.tokens_around() + window.size(), range.begin, range.end, text.prefix_units,
          result.parts);
  const bool is_last = place.window + 1 == text.windows.size();
  if (is_last) result.counts.push_back(static_cast<uint32_t>(text.windows.size()));
  if (mean_.empty()) {
    result.data.insert(result.data.end(), vector.begin(), vector.end());
    return;
  }
  if (place.window == 0) std::fill(mean_.begin(), mean_.end(), 0.0f);
  AddToMean(vector, text, place.window, normalize, {mean_.data(), 1, mean_.size()});
  if (is_last) result.data.insert(result.data.end(), mean_.begin(), mean_.end());
}

Result<PartEmbeddings> PartsRun::StepWindows(const Model& model, TaskSession& task, TextList list,
                                             const PartOptions& options) {
  PB_ASSIGN_OR_RETURN(const EmbedPlan plan, PlanEmbedding(model, options.embed));
  const VectorOptions& vectors = plan.vectors;
  if (queue_.done()) {
    PB_ASSIGN_OR_RETURN(queue_, CutIntoWindows(model, task, list,
                                               {.max_length = options.embed.length.max_length,
                                                .stride = options.stride,
                                                .prefix = plan.prompt}));
    if (options.each) PB_RETURN_IF_ERROR(CheckCounts(queue_, vectors.dimensions));
    mean_.resize(options.each ? 0 : vectors.dimensions);
  }
  PartEmbeddings result{.dimensions = vectors.dimensions};
  if (queue_.done()) return result;
  Workspace::Scope scope(task.session.workspace);
  const WindowBatch batch = TakeWindows(model, task, queue_);
  const TensorView<float> hidden =  // [tokens, hidden_size]
      RunEncoder(model.encoder_config(), model.encoder(), batch.view(), task.session);
  const TensorView<float> rows =  // [windows, dimensions]
      SentenceVectors(model, hidden, batch.view(), vectors, task.session);
  for (size_t i = 0; i < batch.places.size(); ++i) {
    const WindowPlace& place = batch.places[i];
    PB_RETURN_IF_ERROR(
        CheckNumbers(queue_.first_number + place.text, rows.Rows(i, i + 1), "vectors"));
    AddWindow(place, rows.Row(i), vectors.normalize, result);
  }
  result.begun = queue_.begun();
  if (queue_.done()) queue_ = {};
  return result;
}

Result<PartEmbeddings> PartsRun::Step(const Model& model, TaskSession& task, TextList list,
                                      const PartOptions& options) {
  if (options.tokens) return EmbedTokens(model, task, list, options.embed);
  return StepWindows(model, task, list, options);
}

}  // namespace pocketbert
