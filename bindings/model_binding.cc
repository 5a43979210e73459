// The engine, its models, and the import of Hugging Face folders.

#include <emscripten/bind.h>

#include <cstdint>
#include <memory>
#include <string>

#include "bindings/handles.h"
#include "quantize/import_model.h"
#include "tasks/describe.h"

namespace pocketbert {
namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(ModelReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(ImporterReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(NumberReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(StatusReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(FinishedReply);

std::unique_ptr<Engine> CreateEngine(size_t threads, size_t max_batch_tokens) {
  return std::make_unique<Engine>(threads, max_batch_tokens);
}

Result<std::unique_ptr<OpenModel>> Open(Engine& engine, ByteBuffer& file, std::string name) {
  PB_ASSIGN_OR_RETURN(TensorFile tensors,
                      TensorFile::FromBytes(std::move(name), std::move(file.block)));
  PB_ASSIGN_OR_RETURN(Model model, Model::Open(std::move(tensors)));
  PB_ASSIGN_OR_RETURN(TaskSession session,
                      OpenTaskSession(model, engine.max_batch_tokens, &engine.pool));
  return std::make_unique<OpenModel>(std::move(model), std::move(session));
}

// Takes the buffer's memory, also on failure.
ModelReply OpenModelFile(Engine& engine, ByteBuffer& file, const std::string& name) {
  return ReplyWith<ModelReply>(Open(engine, file, name), std::identity());
}

std::string DescribeOpenModel(const OpenModel& model) {
  return DescribeModel(model.model, model.session);
}

// Embind passes no pointer to const where a function takes `const Tokenizer&`; no function here takes it otherwise.
Tokenizer* TokenizerOf(const OpenModel& model) {
  return const_cast<Tokenizer*>(&model.model.tokenizer());
}

ImporterReply CreateImporter(const TextBlock& files, Precision precision,
                             const std::string& source) {
  return ReplyWith<ImporterReply>(
      ModelImporter::Create(files.Files(), {.precision = precision, .source = source}),
      [](ModelImporter importer) { return std::make_unique<ModelImporter>(std::move(importer)); });
}

// Sizes and offsets of files are doubles: whole numbers to 2^53.
NumberReply AddHeader(ModelImporter& importer, const std::string& file, const ByteBuffer& bytes,
                      double file_bytes) {
  return ReplyWith<NumberReply>(
      importer.AddHeader(file, bytes.block.bytes(), static_cast<uint64_t>(file_bytes)),
      [](uint64_t needed) { return static_cast<double>(needed); });
}

// Writes the first `count` bytes of `chunk`.
StatusReply Write(ModelImporter& importer, const std::string& file, double offset,
                  const ByteBuffer& chunk, size_t count) {
  return ReplyWith<StatusReply>(
      importer.Write(file, static_cast<uint64_t>(offset), chunk.block.bytes().first(count)),
      [](Done) { return val::undefined(); });
}

FinishedReply Finish(ModelImporter& importer) {
  return ReplyWith<FinishedReply>(std::move(importer).Finish(), [](TensorFile file) {
    return std::make_unique<ByteBuffer>(std::move(file).TakeBytes());
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(model) {
  using emscripten::allow_raw_pointers;
  using emscripten::class_;
  using emscripten::enum_;
  using emscripten::function;
  using emscripten::register_type;

  enum_<Precision>("Precision")
      .value("int8", Precision::kInt8)
      .value("float32", Precision::kFloat32);

  class_<Engine>("Engine");
  function("createEngine", &CreateEngine);

  class_<OpenModel>("Model");
  register_type<ModelReply>("Model | ErrorValue");
  function("openModel", &OpenModelFile);
  function("describeModel", &DescribeOpenModel);
  function("tokenizerOf", &TokenizerOf, allow_raw_pointers());

  class_<ModelImporter>("Importer");
  register_type<ImporterReply>("Importer | ErrorValue");
  register_type<NumberReply>("number | ErrorValue");
  register_type<StatusReply>("undefined | ErrorValue");
  register_type<FinishedReply>("ByteBuffer | ErrorValue");
  function("createImporter", &CreateImporter);
  function("addHeader", &AddHeader);
  function("write", &Write);
  function("finish", &Finish);
}

}  // namespace pocketbert
