#pragma once
// Opens the tiny models of tests/cases/hand (float32 unless told otherwise), with files replaced.

#include <catch2/catch_amalgamated.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/thread_pool.h"
#include "quantize/import_model.h"
#include "tasks/task_session.h"

namespace pocketbert {

inline const std::string kHand = std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases/hand/";
inline const std::string kFamiliesHand =
    std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases-families/hand/";

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  INFO(path);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

// Content of a folder by path; absent ones are left out.
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

inline bool IsWeightFile(const std::string& path) { return path.ends_with(".safetensors"); }

inline std::span<const uint8_t> AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

inline Result<Model> ImportFolder(const Folder& folder, Precision precision) {
  FolderTexts texts;
  for (const auto& [path, content] : folder) {
    if (!IsWeightFile(path)) texts.Add(path, content);
  }
  PB_ASSIGN_OR_RETURN(ModelImporter importer,
                      ModelImporter::Create(std::move(texts), {.precision = precision}));
  for (const auto& [path, content] : folder) {
    if (!IsWeightFile(path)) continue;
    PB_ASSIGN_OR_RETURN(const uint64_t needed,
                        importer.AddHeader(path, AsBytes(content), content.size()));
    REQUIRE(needed == 0);
  }
  for (const auto& [path, content] : folder) {
    if (IsWeightFile(path)) PB_RETURN_IF_ERROR(importer.Write(path, 0, AsBytes(content)));
  }
  PB_ASSIGN_OR_RETURN(TensorFile file, std::move(importer).Finish());
  return Model::Open(std::move(file));
}

// A model with a session of its own.
struct Opened {
  Model model;
  std::unique_ptr<ThreadPool> pool;
  TaskSession session;
};

inline Opened Open(const Folder& folder, Precision precision = Precision::kFloat32,
                   size_t max_batch_tokens = 64, size_t threads = 1) {
  auto model = ImportFolder(folder, precision);
  if (!model.ok()) FAIL(model.error().message);
  auto pool = std::make_unique<ThreadPool>(threads);
  auto session = OpenTaskSession(model.value(), max_batch_tokens, pool.get());
  REQUIRE(session.ok());
  return {std::move(model).value(), std::move(pool), std::move(session).value()};
}

inline Folder Fixture(const std::string& name) { return ReadFolder(kHand + "fixtures/" + name); }

// Sets every value of a tensor, F32, of the folder's model.safetensors.
inline void FillTensor(const std::string& name, float value, Folder& folder) {
  std::string& weights = folder["model.safetensors"];
  uint64_t header = 0;
  std::memcpy(&header, weights.data(), sizeof(header));
  const auto parsed = ParseJson(std::string_view(weights).substr(8, header), "header");
  REQUIRE(parsed.ok());
  const Json tensor = parsed.value().root().Get(name).value();
  REQUIRE(tensor.GetString("dtype").value() == "F32");
  std::vector<size_t> at;
  for (Json offset : tensor.GetArray("data_offsets").value().Items()) {
    at.push_back(8 + header + static_cast<size_t>(offset.AsInt(0, 1 << 30).value()));
  }
  for (size_t i = at[0]; i < at[1]; i += sizeof(value)) {
    std::memcpy(&weights[i], &value, sizeof(value));
  }
}

// So large that sums of a few overflow.
inline constexpr float kHuge = 3.3e38f;

// Replaces files as a case's `files` say: null, {"json": …} or {"file": path}.
inline void Overlay(Json files, const std::string& hand, Folder& folder) {
  for (const auto [path, change] : files.Members()) {
    const std::string key(path);
    if (change.is_null()) {
      folder.erase(key);
    } else if (const std::optional<Json> json = change.Find("json")) {
      folder[key] = WriteJson(*json);
    } else {
      folder[key] = ReadFile(hand + std::string(change.GetString("file").value()));
    }
  }
}

// The folder that a case of `hand` runs on, if it is one of the fixtures.
inline std::optional<Folder> CaseFolder(Json test, const std::string& hand = kHand) {
  const Json dir = test.Get("model").value().FindOrNull("dir");
  if (dir.is_null()) return std::nullopt;
  Folder folder = ReadFolder(hand + std::string(dir.AsString().value()));
  Overlay(test.FindOrNull("files"), hand, folder);
  return folder;
}

}  // namespace pocketbert
