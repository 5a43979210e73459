#include "quantize/import_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/sort.h"
#include "model/checkpoint_heads.h"
#include "model/source_names.h"
#include "quantize/equalize.h"

namespace pocketbert {
namespace {

// Heads, pooler and Dense modules stay in float32 up to this many bytes in all.
constexpr uint64_t kMaxFloatHeadBytes = 4'000'000;
// A staged matrix is held whole; in wasm sizes have 32 bits.
constexpr uint64_t kMaxStagedBytes = (uint64_t{1} << 31) - 1;

std::string_view Folder(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view WithoutExtension(std::string_view path) {
  return path.ends_with(".safetensors") ? path.substr(0, path.size() - 12) : path;
}

const DenseConfig* FindDense(const ModelDescription& description, std::string_view path) {
  for (const SentenceStep& step : description.sentence.steps) {
    if (step.kind == SentenceStep::Kind::kDense && step.dense.path == Folder(path)) {
      return &step.dense;
    }
  }
  return nullptr;
}

const HeadSpec* FindHeadFile(const ModelDescription& description, std::string_view path) {
  for (const ModelDescription::HeadFile& head : description.head_files) {
    if (head.stem == WithoutExtension(path)) return &head.spec;
  }
  return nullptr;
}

// Anything else below the encoder's folder: shards may lie in folders of their own.
bool IsEncoderFile(const ModelDescription& description, std::string_view path) {
  const std::string& folder = description.sentence.transformer_path;
  const bool below = folder.empty() || (path.starts_with(folder) &&
                                        path.substr(folder.size()).starts_with('/'));
  return below && FindDense(description, path) == nullptr &&
         FindHeadFile(description, path) == nullptr;
}

// What is put before a file's tensor names to make them canonical.
std::string NamePrefix(const ModelDescription& description, std::string_view path) {
  if (const HeadSpec* head = FindHeadFile(description, path)) return "heads." + head->name + ".";
  if (const DenseConfig* dense = FindDense(description, path))
    return "modules." + dense->path + ".";
  return "";
}

std::string TensorPlace(const SourceFile& file, const TensorInfo& tensor) {
  return file.path + ": tensor " + tensor.name;
}

// All tensors of all files by canonical name.
class SourceIndex {
 public:
  struct Entry {
    std::string name;
    size_t file;
    size_t tensor;
    size_t part;   // of the source tensor's rows,
    size_t parts;  // which are divided into so many
    bool used = false;
  };

  SourceIndex(const ModelDescription& description, const std::vector<SourceFile>& files)
      : description_(description), files_(files) {
    for (size_t f = 0; f < files.size(); ++f) {
      const bool encoder = IsEncoderFile(description, files[f].path);
      const std::string prefix = NamePrefix(description, files[f].path);
      const std::vector<TensorInfo>& tensors = files[f].header.tensors;
      for (size_t t = 0; t < tensors.size(); ++t) {
        const GraphWeight* weight = files[f].graph ? &files[f].graph->weights[t] : nullptr;
        std::vector<std::string> names = {prefix + tensors[t].name};
        if (weight != nullptr) {
          names = SplitFusedName(weight->name);
        } else if (encoder) {
          names = SplitFusedName(CanonicalTensorName(description.config.family, tensors[t].name));
        }
        // What has its name from its place only may be anything: nobody misses it.
        const bool used = weight != nullptr && !weight->named;
        for (size_t part = 0; part < names.size(); ++part) {
          entries_.push_back({std::move(names[part]), f, t, part, names.size(), used});
        }
      }
    }
    SortStably(entries_, [](const Entry& a, const Entry& b) {
      return a.name != b.name ? a.name < b.name
                              : (a.file != b.file ? a.file < b.file : a.tensor < b.tensor);
    });
  }

  const SourceFile& file(const Entry& entry) const { return files_[entry.file]; }
  const TensorInfo& tensor(const Entry& entry) const {
    return files_[entry.file].header.tensors[entry.tensor];
  }
  const std::vector<Entry>& entries() const { return entries_; }

  Entry* Find(std::string_view name) {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), name,
                         [](const Entry& entry, std::string_view key) { return entry.name < key; });
    return found != entries_.end() && found->name == name ? &*found : nullptr;
  }

  Status CheckUnique() const {
    for (size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i].name != entries_[i - 1].name) continue;
      return FormatError(Message(TensorPlace(file(entries_[i]), tensor(entries_[i]))) +
                         " is there twice: also as " + tensor(entries_[i - 1]).name + " in " +
                         file(entries_[i - 1]).path);
    }
    return Done{};
  }

  // Finds the source of `spec` and checks its shape and type.
  Result<Target> Require(const TensorSpec& spec, TargetForm form) {
    Entry* entry = Find(spec.name);
    if (entry == nullptr) return Missing(spec.name);
    entry->used = true;
    const Target target{spec, form, entry->file, entry->tensor, entry->part};
    if (file(*entry).graph) return target;
    const TensorInfo& source = tensor(*entry);
    std::vector<uint64_t> shape = {spec.cols};
    if (!spec.is_vector()) shape.insert(shape.begin(), spec.rows);
    shape[0] *= entry->parts;
    if (source.shape != shape) {
      return FormatError(Message(TensorPlace(file(*entry), source)) + " has shape " +
                         ShapeText(source.shape) + ", expected " + ShapeText(shape) +
                         " from the sizes in the configuration");
    }
    if (!IsDecodableFloat(source.dtype)) {
      return UnsupportedError(Message(TensorPlace(file(*entry), source)) + " has dtype " +
                              DTypeName(source.dtype) + ", expected F32, F16, BF16 or F64");
    }
    if (form == TargetForm::kStaged && source.bytes() > kMaxStagedBytes) {
      return OutOfMemoryError(Message(TensorPlace(file(*entry), source)) + " has " +
                              source.bytes() + " bytes, more than the " + kMaxStagedBytes +
                              " that a matrix may have while it waits to be quantized");
    }
    return target;
  }

 private:
  ErrorBox Missing(const std::string& name) const {
    std::string message = "tensor " + name + " is missing";
    const std::string shard = ShardOf(name);
    if (!shard.empty()) {
      return FormatError(Message(shard) + ": " + message +
                         ": model.safetensors.index.json says that it is "
                         "in this shard, which was not found or does not hold it");
    }
    message += "; files looked into:";
    for (const SourceFile& file : files_) message += " " + file.path;
    if (files_.empty()) message += " none";
    for (const SourceFile& file : files_) {
      if (!file.graph || file.graph->foreign_op.empty()) continue;
      return UnsupportedError(Message(message) + "; its graph has the op " +
                              file.graph->foreign_op + ", whose weights are not read");
    }
    return FormatError(message);
  }

  // The file that the shard index names for a tensor, or "".
  std::string ShardOf(const std::string& name) const {
    if (description_.shard_index.empty()) return "";
    const auto document = ParseJson(description_.shard_index, "model.safetensors.index.json");
    if (!document.ok()) return "";
    for (const auto [key, file] : document.value().root().FindOrNull("weight_map").Members()) {
      if (CanonicalTensorName(description_.config.family, key) == name && file.is_string()) {
        return std::string(file.AsString().value());
      }
    }
    return "";
  }

  const ModelDescription& description_;
  const std::vector<SourceFile>& files_;
  std::vector<Entry> entries_;
};

// Walks the Visit… lists and collects targets; keeps the first error.
struct TargetCollector {
  SourceIndex& index;
  std::vector<Target>& targets;
  bool quantize;
  Status status = Done{};

  TargetForm FormOf(const TensorSpec& spec) const {
    if (!quantize || spec.is_vector() || spec.kind == TensorKind::kFloatTable) {
      return TargetForm::kFloat;
    }
    return IsEqualized(spec.input_scale_name) ? TargetForm::kStaged : TargetForm::kInt8;
  }

  template <typename Slot>
  void operator()(const TensorSpec& spec, Slot&) {
    if (!status.ok()) return;
    Result<Target> target = index.Require(spec, FormOf(spec));
    if (!target.ok()) {
      status = std::move(target).error();
      return;
    }
    targets.push_back(std::move(target).value());
  }
};

// Outputs of the head that ends in `output`; of an ONNX file, whose shapes come later, what the
// configuration says (transformers' default is two labels).
uint64_t HeadOutputs(const SourceIndex& index, const SourceIndex::Entry& output,
                     const HfConfig& config, HeadTask task) {
  if (!index.file(output).graph) return index.tensor(output).shape[0];
  if (task == HeadTask::kFillMask) return config.encoder.vocab_size;
  const bool has_labels = task != HeadTask::kAnswer && !config.predicts_next_sentence();
  return has_labels && !config.labels.empty() ? config.labels.size() : 2;
}

// The checkpoint's own head for a task, if its tensors are there.
Status AddCheckpointHead(const HfConfig& config, HeadTask task, SourceIndex& index,
                         std::vector<HeadSpec>& heads) {
  PB_ASSIGN_OR_RETURN(const HeadSpec names,
                      CheckpointHead(config, std::max<size_t>(config.labels.size(), 1), task));
  const std::string last = names.config.tied_output ? ".bias" : ".weight";
  const SourceIndex::Entry* output = index.Find(names.config.output_name + last);
  const size_t dimensions = names.config.tied_output ? 1 : 2;
  if (output == nullptr) return Done{};
  const bool fits = index.tensor(*output).shape.size() == dimensions;
  if (!fits && !index.file(*output).graph) return Done{};
  // A classifier's architecture says that all is there; others may have lost a part of the head.
  if (!config.HasArchitecture("ForSequenceClassification")) {
    for (const std::string& part : {names.config.dense_name, names.config.norm_name}) {
      if (!part.empty() && index.Find(part + ".weight") == nullptr) return Done{};
    }
  }
  const uint64_t outputs = HeadOutputs(index, *output, config, task);
  if (task == HeadTask::kFillMask && outputs != config.encoder.vocab_size) return Done{};
  if (task == HeadTask::kAnswer && outputs != 2) return Done{};
  Result<HeadSpec> head = CheckpointHead(config, static_cast<size_t>(outputs), task);
  if (!head.ok()) {
    return FormatError(Message(index.file(*output).path) + ": " + std::move(head).error().message);
  }
  heads.push_back(std::move(head).value());
  return Done{};
}

// Bytes in float32 of all matrices of heads and Dense modules.
uint64_t HeadBytes(const ModelDescription& description, const std::vector<HeadSpec>& heads) {
  uint64_t elements = 0;
  for (const HeadSpec& head : heads) {
    const HeadConfig& config = head.config;
    if (!config.tied_output) elements += uint64_t{config.inner} * config.outputs;
    if (!config.dense_name.empty()) elements += uint64_t{config.inner} * config.inputs;
  }
  for (const SentenceStep& step : description.sentence.steps) {
    elements += uint64_t{step.dense.inputs} * step.dense.outputs;
  }
  return elements * sizeof(float);
}

// Tensors that no part of the model asked for.
Status CollectIgnored(const SourceIndex& index, const ModelDescription& description,
                      std::vector<std::string>& ignored) {
  for (const SourceIndex::Entry& entry : index.entries()) {
    if (entry.used) continue;
    const bool encoder = IsEncoderFile(description, index.file(entry).path);
    const UnusedTensor kind = encoder ? ClassifyUnusedTensor(entry.name) : UnusedTensor::kHead;
    if (kind == UnusedTensor::kEncoder) {
      return UnsupportedError(Message(TensorPlace(index.file(entry), index.tensor(entry))) +
                              " is no part of the " + description.config.model_type +
                              " encoder that config.json describes (" +
                              description.config.encoder.layers + " layers)");
    }
    if (kind == UnusedTensor::kHead && entry.part == 0) ignored.push_back(index.tensor(entry).name);
  }
  return Done{};
}

}  // namespace

bool IsWeightFile(const ModelDescription& description, std::string_view path) {
  return IsEncoderFile(description, path) || FindDense(description, path) != nullptr ||
         FindHeadFile(description, path) != nullptr;
}

Result<ImportPlan> PlanImport(const ModelDescription& description,
                              const std::vector<SourceFile>& files, Precision precision) {
  ImportPlan plan;
  SourceIndex index(description, files);
  PB_RETURN_IF_ERROR(index.CheckUnique());
  const EncoderConfig& encoder = description.config.encoder;
  const bool quantize = precision == Precision::kInt8;
  TargetCollector collect{index, plan.targets, quantize};
  EncoderWeights names_only;
  names_only.layers.resize(encoder.weight_sets());
  VisitTensors(encoder, names_only, collect);
  PB_RETURN_IF_ERROR(std::move(collect.status));

  for (const HeadTask task : CheckpointHeadTasks(description.config)) {
    PB_RETURN_IF_ERROR(AddCheckpointHead(description.config, task, index, plan.heads));
  }
  for (const ModelDescription::HeadFile& head : description.head_files) {
    plan.heads.push_back(head.spec);
  }
  const bool large = HeadBytes(description, plan.heads) > kMaxFloatHeadBytes;
  TargetCollector collect_heads{index, plan.targets, large && quantize};
  for (const HeadSpec& head : plan.heads) {
    HeadWeights weights;
    VisitHeadTensors(head.config, weights, collect_heads);
  }
  for (const SentenceStep& step : description.sentence.steps) {
    if (step.kind != SentenceStep::Kind::kDense) continue;
    LinearWeights weights;
    VisitLinear(step.dense.LinearName(), "",
                {step.dense.outputs, step.dense.inputs, step.dense.bias}, weights, collect_heads);
  }
  PB_RETURN_IF_ERROR(std::move(collect_heads.status));
  PB_RETURN_IF_ERROR(CollectIgnored(index, description, plan.ignored));
  return plan;
}

}  // namespace pocketbert
