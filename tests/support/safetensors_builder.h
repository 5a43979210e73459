#pragma once
// Builds safetensors files for tests, right or wrong on purpose: nothing here checks anything, and
// nothing here uses the reader under test.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace pocketbert::testing {

using Bytes = std::vector<uint8_t>;

// 8 bytes of length, the header's text as it is, then the data.
inline Bytes SafetensorsFile(std::string_view header, const Bytes& data) {
  Bytes file(8 + header.size() + data.size());
  const uint64_t length = header.size();
  std::memcpy(file.data(), &length, 8);
  std::memcpy(file.data() + 8, header.data(), header.size());
  if (!data.empty()) std::memcpy(file.data() + 8 + header.size(), data.data(), data.size());
  return file;
}

// Collects tensors and lays them back to back in the order of Add.
class SafetensorsBuilder {
 public:
  SafetensorsBuilder& Metadata(std::string_view json_object) {
    metadata_ = std::string(json_object);
    return *this;
  }

  SafetensorsBuilder& Add(std::string_view name, std::string_view dtype,
                          const std::vector<uint64_t>& shape, const Bytes& data) {
    std::string dimensions;
    for (const uint64_t dimension : shape) {
      dimensions += (dimensions.empty() ? "" : ",") + std::to_string(dimension);
    }
    tensors_ += (tensors_.empty() ? "\"" : ",\"") + std::string(name) + "\":{\"dtype\":\"" +
                std::string(dtype) + "\",\"shape\":[" + dimensions + "],\"data_offsets\":[" +
                std::to_string(data_.size()) + "," + std::to_string(data_.size() + data.size()) +
                "]}";
    data_.insert(data_.end(), data.begin(), data.end());
    return *this;
  }

  SafetensorsBuilder& AddFloats(std::string_view name, const std::vector<uint64_t>& shape,
                                const std::vector<float>& values) {
    Bytes data(values.size() * sizeof(float));
    if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
    return Add(name, "F32", shape, data);
  }

  std::string Header() const {
    std::string text = "{";
    if (!metadata_.empty()) {
      text += "\"__metadata__\":" + metadata_ + (tensors_.empty() ? "" : ",");
    }
    return text + tensors_ + "}";
  }

  Bytes Build() const { return SafetensorsFile(Header(), data_); }

 private:
  std::string metadata_, tensors_;
  Bytes data_;
};

}  // namespace pocketbert::testing
