#pragma once
// Model folders for tests: the tiny fixtures of tests/cases/hand, or made up on the spot, and how
// to run them through the importer.

#include <catch2/catch_amalgamated.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantize/import_model.h"

namespace pocketbert::testing {

inline const std::string kFixtures =
    std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases/hand/fixtures/";

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  INFO(path);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

// Contents by path within the folder.
using Folder = std::map<std::string, std::string>;

inline Folder ReadFolder(const std::string& path) {
  Folder folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (!entry.is_regular_file()) continue;
    folder[std::filesystem::relative(entry.path(), path).generic_string()] =
        ReadFile(entry.path().string());
  }
  return folder;
}

inline Folder Fixture(const std::string& name) { return ReadFolder(kFixtures + name); }

// The fixture `enc` with its weights in two shards and an index.
inline Folder ShardedFixture() {
  Folder folder = Fixture("enc");
  folder.erase("model.safetensors");
  for (const char* name : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                           "model.safetensors.index.json"}) {
    folder[name] = ReadFile(kFixtures + "enc-weights/" + name);
  }
  return folder;
}

// The fixture `enc` as older sentence-transformers wrote models: the encoder's files in the folder
// 0_Transformer, which modules.json names by `module_path`.
inline Folder OlderFixture(const std::string& module_path) {
  Folder folder;
  for (const auto& [path, content] : Fixture("enc")) {
    const bool top = path == "modules.json" || path.find('/') != std::string::npos;
    folder[top ? path : "0_Transformer/" + path] = content;
  }
  std::string& modules = folder.at("modules.json");
  const std::string empty_path = "\"path\": \"\"";
  modules.replace(modules.find(empty_path), empty_path.size(), "\"path\": \"" + module_path + "\"");
  return folder;
}

inline bool IsWeights(const std::string& path) {
  return path.ends_with(".safetensors") || path.ends_with(".onnx") || path.ends_with(".onnx_data");
}

inline std::span<const uint8_t> AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

struct ImportSettings {
  ImportOptions options = {};
  size_t chunk = size_t{1} << 30;
  // Weight files in the order in which they stream; empty: as in the folder.
  std::vector<std::string> order = {};
  // Give a piece of each file in turn instead of file after file.
  bool interleave = false;
  // Tell the size of the files beforehand.
  bool sizes_known = true;
  size_t* peak_bytes = nullptr;
};

// The importer after all texts and headers.
inline Result<ModelImporter> BeginImport(const Folder& folder, const ImportSettings& settings) {
  FolderTexts texts;
  for (const auto& [path, content] : folder) {
    if (!IsWeights(path)) texts.Add(path, content);
  }
  PB_ASSIGN_OR_RETURN(ModelImporter importer,
                      ModelImporter::Create(std::move(texts), settings.options));
  for (const auto& [path, content] : folder) {
    if (!IsWeights(path)) continue;
    uint64_t given = std::min<uint64_t>(content.size(), settings.chunk);
    while (true) {
      const std::optional<uint64_t> size =
          settings.sizes_known ? std::optional<uint64_t>(content.size()) : std::nullopt;
      PB_ASSIGN_OR_RETURN(
          const uint64_t needed,
          importer.AddHeader(path, AsBytes(content).first(static_cast<size_t>(given)), size));
      if (needed == 0) break;
      if (needed > content.size()) return FormatError(path + ": the test's file is too short");
      REQUIRE(needed > given);
      given = needed;
    }
  }
  return importer;
}

inline Result<TensorFile> Import(const Folder& folder, const ImportSettings& settings = {}) {
  PB_ASSIGN_OR_RETURN(ModelImporter importer, BeginImport(folder, settings));
  std::vector<std::string> order = settings.order;
  if (order.empty()) {
    for (const auto& [path, content] : folder) {
      if (IsWeights(path)) order.push_back(path);
    }
  }
  std::map<std::string, size_t> sent;
  const auto send = [&](const std::string& path) -> Status {
    const std::string& content = folder.at(path);
    size_t& at = sent[path];
    const size_t count = std::min(settings.chunk, content.size() - at);
    const size_t from = at;
    at += count;
    return importer.Write(path, from, AsBytes(content).subspan(from, count));
  };
  for (bool more = true; more;) {
    more = false;
    for (const std::string& path : order) {
      while (sent[path] < folder.at(path).size()) {
        PB_RETURN_IF_ERROR(send(path));
        more = true;
        if (settings.interleave) break;
      }
    }
  }
  if (settings.peak_bytes != nullptr) *settings.peak_bytes = importer.peak_bytes();
  return std::move(importer).Finish();
}

}  // namespace pocketbert::testing
