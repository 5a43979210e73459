#include "nn/linear.h"

#include <algorithm>

#include "kernels/gemm_f32.h"
#include "kernels/gemm_i8.h"
#include "kernels/quantize_rows.h"

namespace pocketbert {

namespace {

// Rows that one thread takes through a matrix at a time: their codes stay in the second-level cache
// while the weights pass by.
constexpr size_t kRowBlock = 32;
constexpr size_t kTileRows = 4;
constexpr size_t kPanelRows = PackedI8::kPanelRows;
// Smallest group size that LinearWorkspaceBytes provides for.
constexpr size_t kMinGroupSize = 32;

constexpr size_t RoundUp(size_t value, size_t step) { return (value + step - 1) / step * step; }

// How the result is cut into parts for the threads: by rows; by columns too if the rows are few.
struct Grid {
  size_t row_block;
  size_t row_blocks;
  size_t column_parts;

  Grid(size_t rows, size_t threads)
      : row_block(std::min(kRowBlock, RoundUp((rows + threads - 1) / threads, kTileRows))),
        row_blocks(row_block == 0 ? 0 : (rows + row_block - 1) / row_block),
        column_parts(row_blocks >= threads || row_blocks == 0
                         ? 1
                         : (threads + row_blocks - 1) / row_blocks) {}
};

// A part of the result: rows, and which of `parts` equal parts of the columns.
struct Part {
  size_t row_begin, row_end;
  size_t column_part, column_parts;

  // The part's range of `count` panels (of 8 columns).
  std::pair<size_t, size_t> Panels(size_t count) const {
    return {count * column_part / column_parts, count * (column_part + 1) / column_parts};
  }
};

// Where one thread keeps quantized rows.
struct QuantizeScratch {
  std::span<ActivationCode> codes;  // [kRowBlock, padded inputs]
  std::span<float> scales;          // [kRowBlock, groups]
  std::span<float> offsets;         // [kRowBlock, groups]
};

// Columns [begin, end) of a vector that may be empty.
std::span<const float> Columns(std::span<const float> vector, size_t begin, size_t end) {
  return vector.empty() ? vector : vector.subspan(begin, end - begin);
}

void RunPartF32(std::span<const LinearTask> tasks, TensorView<const float> input,
                const Part& part) {
  for (const auto& [weights, output] : tasks) {
    const auto [first, last] = part.Panels((weights->outputs() + kPanelRows - 1) / kPanelRows);
    const size_t begin = first * kPanelRows;
    const size_t end = std::min(weights->outputs(), last * kPanelRows);
    MatMulTransposed(input.Rows(part.row_begin, part.row_end), weights->f32.Rows(begin, end),
                     Columns(weights->bias, begin, end),
                     output.Rows(part.row_begin, part.row_end).Cols(begin, end));
  }
}

void RunPartI8(std::span<const LinearTask> tasks, TensorView<const float> input, const Part& part,
               const QuantizeScratch& scratch) {
  const LinearWeights& shared = *tasks.front().weights;
  const size_t rows = part.row_end - part.row_begin;
  const QuantizedRows<ActivationCode> quantized{
      {scratch.codes.data(), rows, PackedI8::PaddedCols(input.cols)},
      {scratch.scales.data(), rows, shared.i8.group_count()},
      {scratch.offsets.data(), rows, shared.i8.group_count()},
      input.cols,
      shared.i8.group_size};
  QuantizeRows(input.Rows(part.row_begin, part.row_end), shared.input_scale, quantized);
  for (const auto& [weights, output] : tasks) {
    const auto [first, last] = part.Panels(weights->i8.panel_count());
    if (first == last) continue;
    const PackedI8 panels = weights->i8.PanelRange(first, last);
    const size_t begin = first * kPanelRows;
    const size_t end = begin + panels.rows;
    MatMulI8(quantized, panels, Columns(weights->bias, begin, end),
             output.Rows(part.row_begin, part.row_end).Cols(begin, end));
  }
}

void CheckTasks(std::span<const LinearTask> tasks, TensorView<const float> input) {
  const LinearWeights& first = *tasks.front().weights;
  for (const auto& [weights, output] : tasks) {
    PB_CHECK(weights->inputs() == input.cols && weights->outputs() == output.cols);
    PB_CHECK(output.rows == input.rows);
    PB_CHECK(weights->is_i8() == first.is_i8());
    PB_CHECK(weights->input_scale.data() == first.input_scale.data());
    PB_CHECK(weights->i8.group_size == first.i8.group_size);
  }
}

// The part of the scratch that belongs to `thread`.
QuantizeScratch ScratchOf(const TensorView<ActivationCode>& codes,
                          const TensorView<float>& factors, size_t thread) {
  const std::span<float> both = factors.Row(thread);
  return {codes.Row(thread), both.first(both.size() / 2), both.last(both.size() / 2)};
}

}  // namespace

void RunLinears(std::span<const LinearTask> tasks, TensorView<const float> input,
                Session& session) {
  CheckTasks(tasks, input);
  Workspace::Scope scope(session.workspace);
  const PackedI8& weights = tasks.front().weights->i8;
  const bool is_i8 = tasks.front().weights->is_i8();
  const size_t threads = session.pool->size();
  TensorView<ActivationCode> codes;  // [threads, row block * padded inputs]
  TensorView<float> factors;         // [threads, 2 * row block * groups]: scales, then offsets
  if (is_i8) {
    PB_CHECK(weights.group_size >= kMinGroupSize);
    codes = session.workspace.Alloc<ActivationCode>(
        threads, RoundUp(kRowBlock * PackedI8::PaddedCols(input.cols), 64));
    factors = session.workspace.Alloc<float>(threads, 2 * kRowBlock * weights.group_count());
  }
  const Grid grid(input.rows, threads);
  session.pool->Run(grid.row_blocks * grid.column_parts, [&](size_t index, size_t thread) {
    const size_t begin = index / grid.column_parts * grid.row_block;
    const Part part{begin, std::min(input.rows, begin + grid.row_block),
                    index % grid.column_parts, grid.column_parts};
    if (is_i8) {
      RunPartI8(tasks, input, part, ScratchOf(codes, factors, thread));
    } else {
      RunPartF32(tasks, input, part);
    }
  });
}

void RunLinear(const LinearWeights& weights, TensorView<const float> input,
               TensorView<float> output, Session& session) {
  const LinearTask task{&weights, output};
  RunLinears({&task, 1}, input, session);
}

size_t LinearWorkspaceBytes(size_t inputs, size_t threads) {
  const size_t codes = RoundUp(kRowBlock * PackedI8::PaddedCols(inputs), 64);
  const size_t groups = PackedI8::GroupCount(inputs, kMinGroupSize);
  return Workspace::BytesFor<ActivationCode>(threads * codes) +
         Workspace::BytesFor<float>(threads * 2 * kRowBlock * groups);
}

}  // namespace pocketbert
