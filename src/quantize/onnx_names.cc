#include "quantize/onnx_names.h"

#include <algorithm>

#include "base/sort.h"
#include "model/source_names.h"
#include "nn/weights.h"

namespace pocketbert {
namespace {

constexpr std::string_view kAddedEndings[] = {"_quantized", "_Transposed", "_q"};
constexpr std::string_view kTensorEndings[] = {".weight", ".bias", ".gamma", ".beta"};

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

struct NameCollector {
  std::vector<std::string>& names;
  template <typename Slot>
  void operator()(const TensorSpec& spec, Slot&) {
    names.push_back(spec.name);
  }
};

}  // namespace

std::string OwnName(std::string_view value) {
  for (const std::string_view ending : kAddedEndings) {
    if (value.ends_with(ending)) value.remove_suffix(ending.size());
  }
  const bool is_tensor =
      std::any_of(std::begin(kTensorEndings), std::end(kTensorEndings),
                  [&](std::string_view ending) { return value.ends_with(ending); });
  if (!is_tensor || !std::all_of(value.begin(), value.end(), IsNameCharacter)) return "";
  return std::string(value);
}

std::string PlaceName(std::string_view node, std::string_view ending) {
  const size_t last = node.rfind('/');
  if (last == std::string_view::npos || last == 0 || !node.starts_with('/')) return "";
  std::string name(node.substr(1, last - 1));
  std::replace(name.begin(), name.end(), '/', '.');
  return OwnName(name.append(ending));
}

WeightNames::WeightNames(const HfConfig& config) : family_(config.family) {
  EncoderWeights weights;
  weights.layers.resize(config.encoder.weight_sets());
  NameCollector collect{expected_};
  VisitTensors(config.encoder, weights, collect);
  SortStably(expected_, [](const std::string& a, const std::string& b) { return a < b; });
}

bool WeightNames::IsExpected(const std::string& canonical_name) const {
  const std::string first = SplitFusedName(canonical_name)[0];
  return std::binary_search(expected_.begin(), expected_.end(), first);
}

size_t WeightNames::EncoderName(std::string_view name) const {
  for (size_t begin = 0; begin != std::string_view::npos;) {
    if (IsExpected(CanonicalTensorName(family_, name.substr(begin)))) return begin;
    const size_t dot = name.find('.', begin);
    begin = dot == std::string_view::npos ? dot : dot + 1;
  }
  return std::string_view::npos;
}

void WeightNames::Learn(size_t rule, std::string_view name) {
  const size_t begin = EncoderName(name);
  if (begin != std::string_view::npos && wrappers_[rule].empty()) {
    wrappers_[rule] = name.substr(0, begin);
  }
}

std::string WeightNames::Canonical(size_t rule, std::string_view name) const {
  const size_t begin = EncoderName(name);
  if (begin != std::string_view::npos) {
    name.remove_prefix(begin);
  } else if (name.starts_with(wrappers_[rule])) {
    name.remove_prefix(wrappers_[rule].size());
  }
  return CanonicalTensorName(family_, name);
}

}  // namespace pocketbert
