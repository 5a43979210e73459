#include "quantize/import_model.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/source_names.h"
#include "quantize/describe_import.h"
#include "quantize/folder_description.h"
#include "quantize/graph_head.h"
#include "quantize/graph_writer.h"
#include "quantize/import_plan.h"
#include "quantize/memory_meter.h"
#include "quantize/one_file_writer.h"
#include "quantize/row_splitter.h"
#include "quantize/tensor_writer.h"

namespace pocketbert {
namespace {

// Progress through one weight file.
struct FileProgress {
  uint64_t received = 0;              // bytes of the file, header included
  // Per tensor: indices of the targets that its parts are, or -1.
  std::vector<std::array<int32_t, kMaxFusedParts>> targets;
  std::vector<size_t> row_bytes;      // per tensor: of the source's rows, 0 = passed over
  std::vector<RowSplitter> splitter;  // one, once the layout is fixed
  std::unique_ptr<GraphWriter> graph;  // of an ONNX file, instead of all these
};

constexpr std::string_view kGraphEnding = ".onnx";
constexpr std::string_view kValuesEnding = "_data";  // of a graph

}  // namespace

struct ModelImporter::State {
  ImportOptions options;
  FolderDescription folder;
  std::vector<SourceFile> files;
  std::vector<FileProgress> progress;  // [files], from the first Write on
  ImportPlan plan;
  std::vector<TensorWriter> writer;  // one, from the first Write on
  MemoryMeter meter;

  bool planned() const { return !writer.empty(); }
  Result<size_t> FindFile(std::string_view path) const;
  Status Plan();
  void PlanFile(size_t file);
  // Takes a file of a graph's values, which has no header; false if it is none.
  bool AddValues(std::string_view path);
  Status WriteData(size_t file, std::span<const uint8_t> bytes);
  Status CheckComplete() const;
};

Result<size_t> ModelImporter::State::FindFile(std::string_view path) const {
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].path == path) return i;
  }
  return InvalidArgumentError(Message(path) + ": its header was not given");
}

bool ModelImporter::State::AddValues(std::string_view path) {
  if (!path.ends_with(kValuesEnding)) return false;
  const auto graph = FindFile(path.substr(0, path.size() - kValuesEnding.size()));
  if (!graph.ok() || !files[graph.value()].graph) return false;
  SourceFile file{std::string(path), {}};
  file.values_of = graph.value();
  files.push_back(std::move(file));
  return true;
}

Status ModelImporter::State::Plan() {
  PB_ASSIGN_OR_RETURN(plan, PlanImport(folder.model, files, options.precision));
  PB_ASSIGN_OR_RETURN(TensorWriter made, TensorWriter::Create(folder, plan, options, meter));
  writer.push_back(std::move(made));
  progress.resize(files.size());
  for (size_t i = 0; i < files.size(); ++i) PlanFile(i);
  return Done{};
}

void ModelImporter::State::PlanFile(size_t file) {
  if (files[file].graph) {
    progress[file].graph =
        std::make_unique<GraphWriter>(files[file], file, plan, writer.front(), meter);
    return;
  }
  const std::vector<TensorInfo>& tensors = files[file].header.tensors;
  FileProgress& state = progress[file];
  state.targets.assign(tensors.size(), {-1, -1, -1});
  state.row_bytes.assign(tensors.size(), 0);
  for (size_t i = 0; i < plan.targets.size(); ++i) {
    const Target& target = plan.targets[i];
    if (target.file != file) continue;
    state.targets[target.tensor][target.part] = static_cast<int32_t>(i);
    state.row_bytes[target.tensor] = target.spec.cols * DTypeSize(tensors[target.tensor].dtype);
  }
  state.splitter.emplace_back(tensors, state.row_bytes);
}

Status ModelImporter::State::WriteData(size_t file, std::span<const uint8_t> bytes) {
  FileProgress& state = progress[file];
  const std::vector<TensorInfo>& tensors = files[file].header.tensors;
  RowSplitter& splitter = state.splitter.front();
  meter.Remove(splitter.held_bytes());
  Status status =
      splitter.Feed(bytes, [&](size_t tensor, size_t row, std::span<const uint8_t> data) -> Status {
        // All parts of a tensor are targets if one is, and have as many rows.
        const auto& targets = state.targets[tensor];
        const size_t rows = plan.targets[static_cast<size_t>(targets[0])].spec.rows;
        const auto target = static_cast<size_t>(targets[row / rows]);
        const TensorPlace place{files[file].path, tensors[tensor].name, tensors[tensor].dtype};
        PB_RETURN_IF_ERROR(writer.front().WriteRow(target, row % rows, data, place));
        if (row % rows < rows - 1) return Done{};
        return writer.front().TensorComplete(target);
      });
  meter.Add(splitter.held_bytes());
  return status;
}

Status ModelImporter::State::CheckComplete() const {
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].values_of) continue;
    if (files[i].graph) {
      PB_RETURN_IF_ERROR(progress[i].graph->Finish());
      continue;
    }
    const uint64_t expected = files[i].header.file_bytes();
    const uint64_t received = planned() ? progress[i].received : 0;
    if (received != expected) {
      return FormatError(Message(files[i].path) + ": the file is incomplete: found " + received +
                         " bytes, expected " + expected);
    }
  }
  return Done{};
}

ModelImporter::ModelImporter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModelImporter::~ModelImporter() = default;
ModelImporter::ModelImporter(ModelImporter&& other) noexcept = default;
ModelImporter& ModelImporter::operator=(ModelImporter&& other) noexcept = default;

Result<ModelImporter> ModelImporter::Create(FolderTexts files, ImportOptions options) {
  auto state = std::make_unique<State>();
  PB_ASSIGN_OR_RETURN(state->folder, DescribeFolder(files));
  state->options = std::move(options);
  state->meter.Add(state->folder.config_text.size() + state->folder.tokenizer_text.size() +
                   state->folder.vocabulary.size() + state->folder.model.shard_index.size());
  return ModelImporter(std::move(state));
}

Result<uint64_t> ModelImporter::AddHeader(std::string_view file, std::span<const uint8_t> bytes,
                                          std::optional<uint64_t> file_bytes) {
  if (state_->planned()) {
    return InvalidArgumentError(Message(file) + ": its header came after the first data");
  }
  if (!IsWeightFile(state_->folder.model, file)) {
    return InvalidArgumentError(Message(file) + ": no part of this model reads weights from it");
  }
  if (state_->FindFile(file).ok()) {
    return InvalidArgumentError(Message(file) + ": its header was given twice");
  }
  if (state_->AddValues(file)) return uint64_t{0};
  if (file.ends_with(kGraphEnding)) {
    PB_ASSIGN_OR_RETURN(GraphHead head,
                        ReadGraphHead(file, bytes, file_bytes, state_->folder.model.config));
    if (head.needed == 0) state_->files.push_back(std::move(head.file));
    return head.needed;
  }
  const bool whole = file_bytes && bytes.size() >= *file_bytes;
  if (bytes.size() < kSafetensorsLengthBytes && !whole) return uint64_t{kSafetensorsLengthBytes};
  PB_ASSIGN_OR_RETURN(const uint64_t needed, SafetensorsDataStart(file, bytes, file_bytes));
  if (bytes.size() < needed) return needed;
  PB_ASSIGN_OR_RETURN(SafetensorsHeader header, ParseSafetensorsHeader(file, bytes, file_bytes));
  state_->files.push_back({std::string(file), std::move(header)});
  return uint64_t{0};
}

Status ModelImporter::Write(std::string_view file, uint64_t offset,
                            std::span<const uint8_t> bytes) {
  if (!state_->planned()) PB_RETURN_IF_ERROR(state_->Plan());
  PB_ASSIGN_OR_RETURN(const size_t index, state_->FindFile(file));
  const SafetensorsHeader& header = state_->files[index].header;
  uint64_t& received = state_->progress[index].received;
  if (offset != received) {
    return InvalidArgumentError(Message(file) + ": bytes given from " + offset +
                                " on, expected from " + received);
  }
  const SourceFile& source = state_->files[index];
  if (source.graph || source.values_of) {
    received += bytes.size();
    GraphWriter& graph = *state_->progress[source.values_of.value_or(index)].graph;
    return source.graph ? graph.Write(bytes) : graph.WriteValues(bytes);
  }
  if (bytes.size() > header.file_bytes() - received) {
    return FormatError(Message(file) + ": the size is more than the " + header.file_bytes() +
                       " bytes that its header accounts for");
  }
  const uint64_t skipped = received < header.data_start
                               ? std::min<uint64_t>(header.data_start - received, bytes.size())
                               : 0;
  received += bytes.size();
  return state_->WriteData(index, bytes.subspan(static_cast<size_t>(skipped)));
}

Result<TensorFile> ModelImporter::Finish() && {
  if (!state_->planned()) PB_RETURN_IF_ERROR(state_->Plan());
  PB_RETURN_IF_ERROR(state_->CheckComplete());
  return std::move(state_->writer.front()).Finish();
}

Result<std::string> ModelImporter::Describe() && {
  State& state = *state_;
  PB_ASSIGN_OR_RETURN(const ImportPlan plan,
                      PlanImport(state.folder.model, state.files, state.options.precision));
  uint64_t parameters = 0;
  for (const Target& target : plan.targets) {
    parameters += uint64_t{target.spec.is_vector() ? 1 : target.spec.rows} * target.spec.cols;
  }
  const std::string tokenizer = state.folder.tokenizer_text;
  const uint64_t bytes = TensorWriter::FileBytes(state.folder, plan, state.options);
  return DescribeImport({state.folder.model.config, state.folder.model.sentence, plan.heads,
                         tokenizer, plan.ignored, state.options.precision, parameters, bytes});
}

size_t ModelImporter::held_bytes() const { return state_->meter.held; }
size_t ModelImporter::peak_bytes() const { return state_->meter.peak; }

}  // namespace pocketbert
