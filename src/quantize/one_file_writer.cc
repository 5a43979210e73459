#include "quantize/one_file_writer.h"

#include <cstring>

#include "base/check.h"

namespace pocketbert {

uint64_t OneFileWriter::PlanLayout(SafetensorsHeader& header, size_t reserved_bytes) {
  PlanSafetensorsOffsets(header);
  const size_t used = EncodeSafetensorsHeader(header).size();
  header.data_start = EncodeSafetensorsHeader(header, used + reserved_bytes).size();
  return header.file_bytes();
}

Result<OneFileWriter> OneFileWriter::Create(SafetensorsHeader header, size_t reserved_bytes) {
  OneFileWriter writer;
  writer.header_ = std::move(header);
  const uint64_t bytes = PlanLayout(writer.header_, reserved_bytes);
  PB_ASSIGN_OR_RETURN(writer.block_, ByteBlock::Create(bytes, "the model in memory"));
  return writer;
}

std::span<uint8_t> OneFileWriter::Bytes(std::string_view tensor) {
  const TensorInfo* info = header_.Find(tensor);
  PB_CHECK(info != nullptr);
  return block_.bytes().subspan(static_cast<size_t>(header_.data_start + info->begin),
                                static_cast<size_t>(info->bytes()));
}

std::span<float> OneFileWriter::Floats(std::string_view tensor) {
  const std::span<uint8_t> bytes = Bytes(tensor);
  PB_CHECK(reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) == 0);
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

Result<TensorFile> OneFileWriter::Finish(
    std::string name, std::vector<std::pair<std::string, std::string>> metadata) && {
  for (auto& entry : metadata) header_.metadata.push_back(std::move(entry));
  const std::vector<uint8_t> bytes =
      EncodeSafetensorsHeader(header_, static_cast<size_t>(header_.data_start));
  PB_CHECK(bytes.size() == header_.data_start);
  std::memcpy(block_.data(), bytes.data(), bytes.size());
  return TensorFile::FromBytes(std::move(name), std::move(block_));
}

}  // namespace pocketbert
