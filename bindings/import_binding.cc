// The import of Hugging Face folders: a module of its own, which only pages load that open one.

#include <emscripten/bind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bindings/handles.h"
#include "quantize/describe_import.h"
#include "quantize/import_model.h"
#include "tasks/tokenize.h"

namespace pocketbert {

template <>
inline constexpr ObjectKind kKindOf<ModelImporter> = ObjectKind::kImporter;

namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(StatusReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(TextReply);

NumberReply CreateImporter(Handle files, Precision precision, const std::string& source) {
  return ReplyWith<NumberReply>(
      ModelImporter::Create(At<TextBlock>(files).Files(),
                            {.precision = precision, .source = source}),
      HandOver<ModelImporter, ModelImporter>);
}

// Sizes and offsets of files are doubles: whole numbers to 2^53. A size below 0 is not known.
NumberReply AddHeader(Handle importer, const std::string& file, Handle bytes, double file_bytes) {
  return ReplyWith<NumberReply>(
      At<ModelImporter>(importer).AddHeader(
          file, At<ByteBuffer>(bytes).block.bytes(),
          file_bytes < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(file_bytes))),
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

TextReply Describe(Handle importer) {
  return ReplyWith<TextReply>(std::move(At<ModelImporter>(importer)).Describe(),
                              [](std::string text) { return text; });
}

TextReply DescribeFile(const std::string& name, Handle head, double file_bytes) {
  return ReplyWith<TextReply>(DescribeOneFile(name, At<ByteBuffer>(head).block.bytes(),
                                              static_cast<uint64_t>(file_bytes)),
                              [](std::string text) { return text; });
}

NumberReply OpenFolderTokenizer(Handle files) {
  return ReplyWith<NumberReply>(OpenTokenizer(At<TextBlock>(files).Files()),
                                HandOver<Tokenizer, Tokenizer>);
}

}  // namespace

EMSCRIPTEN_BINDINGS(import) {
  using emscripten::enum_;
  using emscripten::function;
  using emscripten::register_type;

  enum_<Precision>("Precision")
      .value("int8", Precision::kInt8)
      .value("float32", Precision::kFloat32);

  register_type<StatusReply>("undefined | ErrorValue");
  register_type<TextReply>("string | ErrorValue");
  function("createImporter", &CreateImporter);
  function("addHeader", &AddHeader);
  function("write", &Write);
  function("finish", &Finish);
  function("describeImport", &Describe);
  function("describeFile", &DescribeFile);
  function("openTokenizer", &OpenFolderTokenizer);
}

}  // namespace pocketbert
