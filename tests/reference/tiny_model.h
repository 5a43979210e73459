#pragma once
// Pseudo-random encoders of any size, as named tensors for the twin and bound to EncoderWeights.

#include <list>
#include <string>

#include "kernels/pack_i8.h"
#include "nn/weights.h"
#include "reference/encoder.h"
#include "reference/random.h"

namespace reference {

// Binds slots of VisitTensors to `tensors`, which must outlive the weights.
class TensorBinder {
 public:
  explicit TensorBinder(NamedTensors& tensors) : tensors_(tensors) {}

  void operator()(const pocketbert::TensorSpec& spec, pocketbert::LinearWeights& slot) {
    if (const auto found = tensors_.i8.find(spec.name); found != tensors_.i8.end()) {
      slot.i8 = Pack(found->second);
      const auto scale = tensors_.f32.find(spec.input_scale_name);
      if (scale != tensors_.f32.end()) slot.input_scale = scale->second.values;
    } else {
      slot.f32 = tensors_.f32.at(spec.name).view();
    }
  }
  void operator()(const pocketbert::TensorSpec& spec, pocketbert::EmbeddingTable& slot) {
    if (const auto found = tensors_.i8.find(spec.name); found != tensors_.i8.end()) {
      const Int8Weights& table = found->second;
      slot.i8 = table.values.view();
      slot.scales = table.scales.view();
      slot.group_size = table.group_size;
    } else {
      slot.f32 = tensors_.f32.at(spec.name).view();
    }
  }
  void operator()(const pocketbert::TensorSpec& spec, pocketbert::TensorView<float>& slot) {
    slot = tensors_.f32.at(spec.name).view();
  }
  void operator()(const pocketbert::TensorSpec& spec, std::span<float>& slot) {
    slot = tensors_.f32.at(spec.name).values;
  }

 private:
  struct Memory {
    std::vector<int8_t> panels;
    std::vector<float> scales, sums;
  };

  pocketbert::PackedI8 Pack(const Int8Weights& weights) {
    using pocketbert::PackedI8;
    const size_t rows = PackedI8::PaddedRows(weights.values.rows);
    Memory& memory = memory_.emplace_back();
    memory.panels.resize(rows * PackedI8::PaddedCols(weights.values.cols));
    memory.scales.resize(rows * weights.groups());
    memory.sums.resize(rows * weights.groups());
    return PackI8(weights.values.view(), weights.scales.view(), weights.group_size,
                  {memory.panels, memory.scales, memory.sums});
  }

  NamedTensors& tensors_;
  std::list<Memory> memory_;
};

// Fills `tensors` with random values for every tensor it is called with.
class TensorMaker {
 public:
  // `group_size` 0: float32 matrices and tables, else int8.
  TensorMaker(NamedTensors& tensors, size_t group_size, uint32_t seed)
      : tensors_(tensors), group_size_(group_size), random_(seed) {}

  template <typename Slot>
  void operator()(const pocketbert::TensorSpec& spec, const Slot&) {
    // Large enough that attention and GELU leave their linear parts.
    const float size = spec.kind == pocketbert::TensorKind::kMatrix ? 0.5f : 1.0f;
    if (group_size_ == 0 || spec.is_vector() ||
        spec.kind == pocketbert::TensorKind::kFloatTable) {
      tensors_.f32[spec.name] = random_.FloatMatrix(spec.rows, spec.cols, size);
      return;
    }
    Int8Weights weights{random_.Int8Matrix(spec.rows, spec.cols), {}, group_size_};
    weights.scales = random_.FloatMatrix(spec.rows, weights.groups(), size / 127);
    tensors_.i8[spec.name] = weights;
    // Half of the inputs that may be scaled are.
    if (!spec.input_scale_name.empty() && spec.name.find("output") == std::string::npos) {
      tensors_.f32[spec.input_scale_name] = random_.FloatMatrix(1, spec.cols, 2);
    }
  }

 private:
  NamedTensors& tensors_;
  size_t group_size_;
  Random random_;
};

// A random encoder; not movable, because the weights point into it.
struct TinyModel {
  pocketbert::EncoderConfig config;
  NamedTensors tensors;
  pocketbert::EncoderWeights weights;
  TensorBinder binder{tensors};

  TinyModel(const pocketbert::EncoderConfig& config, size_t group_size, uint32_t seed)
      : config(config) {
    weights.layers.resize(config.weight_sets());
    VisitTensors(config, weights, TensorMaker(tensors, group_size, seed));
    VisitTensors(config, weights, binder);
  }
  TinyModel(const TinyModel&) = delete;
  TinyModel& operator=(const TinyModel&) = delete;
};

}  // namespace reference
