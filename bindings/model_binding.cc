// The engine, its models, and the import of Hugging Face folders.

#include <emscripten/bind.h>

#include <cstdint>
#include <string>

#include "bindings/handles.h"
#include "tasks/describe.h"
#include "tasks/warm_up.h"

namespace pocketbert {
namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(StatusReply);

Handle CreateEngine(size_t threads, size_t max_batch_tokens) {
  return HandOver<Engine>(threads, max_batch_tokens);
}

void WarmUpEngine(Handle engine) { WarmUp(&At<Engine>(engine).pool); }

Result<Handle> Open(Engine& engine, ByteBuffer& file, std::string name) {
  PB_ASSIGN_OR_RETURN(TensorFile tensors,
                      TensorFile::FromBytes(std::move(name), std::move(file.block)));
  PB_ASSIGN_OR_RETURN(Model model, Model::Open(std::move(tensors)));
  PB_ASSIGN_OR_RETURN(TaskSession session,
                      OpenTaskSession(model, engine.max_batch_tokens, &engine.pool));
  return HandOver<OpenModel>(std::move(model), std::move(session));
}

// Takes the buffer's memory, also on failure.
NumberReply OpenModelFile(Handle engine, Handle file, const std::string& name) {
  return ReplyWith<NumberReply>(Open(At<Engine>(engine), At<ByteBuffer>(file), name),
                                std::identity());
}

std::string DescribeOpenModel(Handle model) {
  const OpenModel& open = At<OpenModel>(model);
  return DescribeModel(open.model, open.session);
}

NumberReply CreateImporter(Handle files, Precision precision, const std::string& source) {
  return ReplyWith<NumberReply>(
      ModelImporter::Create(At<TextBlock>(files).Files(),
                            {.precision = precision, .source = source}),
      HandOver<ModelImporter, ModelImporter>);
}

// Sizes and offsets of files are doubles: whole numbers to 2^53.
NumberReply AddHeader(Handle importer, const std::string& file, Handle bytes, double file_bytes) {
  return ReplyWith<NumberReply>(
      At<ModelImporter>(importer).AddHeader(file, At<ByteBuffer>(bytes).block.bytes(),
                                            static_cast<uint64_t>(file_bytes)),
      [](uint64_t needed) { return static_cast<double>(needed); });
}

// Writes the first `count` bytes of `chunk`.
StatusReply Write(Handle importer, const std::string& file, double offset, Handle chunk,
                  size_t count) {
  return ReplyWith<StatusReply>(
      At<ModelImporter>(importer).Write(file, static_cast<uint64_t>(offset),
                                        At<ByteBuffer>(chunk).block.bytes().first(count)),
      [](Done) { return val::undefined(); });
}

NumberReply Finish(Handle importer) {
  return ReplyWith<NumberReply>(
      std::move(At<ModelImporter>(importer)).Finish(),
      [](TensorFile file) { return HandOver<ByteBuffer>(std::move(file).TakeBytes()); });
}

}  // namespace

EMSCRIPTEN_BINDINGS(model) {
  using emscripten::enum_;
  using emscripten::function;
  using emscripten::register_type;

  enum_<Precision>("Precision")
      .value("int8", Precision::kInt8)
      .value("float32", Precision::kFloat32);

  function("createEngine", &CreateEngine);
  function("warmUp", &WarmUpEngine);

  function("openModel", &OpenModelFile);
  function("describeModel", &DescribeOpenModel);

  register_type<StatusReply>("undefined | ErrorValue");
  function("createImporter", &CreateImporter);
  function("addHeader", &AddHeader);
  function("write", &Write);
  function("finish", &Finish);
}

}  // namespace pocketbert
