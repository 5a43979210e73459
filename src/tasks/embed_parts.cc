#include "tasks/embed_parts.h"

#include <algorithm>
#include <span>
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

Result<PartEmbeddings> EmbedWindows(const Model& model, TaskSession& task, TextList list,
                                    const PartOptions& options) {
  PB_ASSIGN_OR_RETURN(const EmbedPlan plan, PlanEmbedding(model, options.embed));
  PB_ASSIGN_OR_RETURN(const std::vector<WindowedText> texts,
                      CutIntoWindows(model, task, list,
                                     {.max_length = options.embed.length.max_length,
                                      .stride = options.stride,
                                      .prefix = plan.prompt}));
  PartEmbeddings result{.dimensions = plan.vectors.dimensions};
  for (size_t t = 0; t < texts.size(); ++t) {
    const WindowedText& text = texts[t];
    if (options.each && text.windows.size() > kMostValues / result.dimensions) {
      Status error = TooLongError(Message("has ") + text.windows.size() +
                                  " windows, more than 64 MB of vectors");
      return AboutText(list.first_number + t, std::move(error).error());
    }
    result.counts.push_back(static_cast<uint32_t>(text.windows.size()));
    for (const Window& window : text.windows) {
      const size_t tokens = text.tokens_around() + window.size();
      const Range range = RangeOf(text, window);
      AddPart(tokens, range.begin, range.end, text.prefix_units, result.parts);
    }
  }
  if (!options.each) result.data.resize(texts.size() * result.dimensions);
  Status status = Done{};
  EncodeWindows(model, task, texts, [&](const WindowBatch& batch, TensorView<float> hidden) {
    const TensorView<float> vectors =  // [windows, dimensions]
        SentenceVectors(model, hidden, batch.view(), plan.vectors, task.session);
    for (size_t i = 0; i < batch.places.size() && status.ok(); ++i) {
      const WindowBatch::Place& place = batch.places[i];
      status = CheckNumbers(list.first_number + place.text, vectors.Rows(i, i + 1), "vectors");
      if (options.each) continue;
      float* mean = result.data.data() + place.text * result.dimensions;
      AddToMean(vectors.Row(i), texts[place.text], place.window, plan.vectors.normalize,
                {mean, 1, result.dimensions});
    }
    if (options.each) AppendRows(vectors, result.data);
  });
  PB_RETURN_IF_ERROR(std::move(status));
  return result;
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

Result<PartEmbeddings> EmbedPartsBatch(const Model& model, TaskSession& task, TextList list,
                                       const PartOptions& options) {
  if (options.tokens) return EmbedTokens(model, task, list, options.embed);
  return EmbedWindows(model, task, list, options);
}

}  // namespace pocketbert
