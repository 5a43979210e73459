// The load-error cases of tests/cases/hand that concern files, as the importer and Model::Open see
// them: an error whose message holds one of the words that a case names.

#include <catch2/catch_amalgamated.hpp>

#include "base/json.h"
#include "model/model.h"
#include "support/model_folder.h"

namespace pocketbert {
namespace {

using testing::Folder;

const std::string kHand = std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases/hand/";

std::string Base64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t value =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (value == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return bytes;
}

// One entry of a case's `files`; nothing for a file that is to be absent.
std::optional<std::string> Content(Json change, const std::string& directory) {
  if (change.is_null()) return std::nullopt;
  if (const auto json = change.Find("json")) return WriteJson(*json);
  if (const auto text = change.Find("text")) return std::string(text->AsString().value());
  if (const auto base64 = change.Find("base64")) return Base64(base64->AsString().value());
  if (const auto file = change.Find("file")) {
    return testing::ReadFile(kHand + std::string(file->AsString().value()));
  }
  std::string content =
      testing::ReadFile(kHand + directory + "/" + std::string(change.GetString("of").value()));
  for (const Json patch : change.FindOrNull("patch").Items()) {
    std::vector<Json> parts;
    for (const Json part : patch.Items()) parts.push_back(part);
    const std::string bytes = Base64(parts.at(1).AsString().value());
    content.replace(static_cast<size_t>(parts.at(0).AsInt().value()), bytes.size(), bytes);
  }
  if (const auto keep = change.Find("keep_bytes")) {
    content.resize(static_cast<size_t>(keep->AsInt().value()));
  }
  return content;
}

Status Load(const Folder& folder, std::string_view task) {
  PB_ASSIGN_OR_RETURN(TensorFile file, testing::Import(folder));
  PB_ASSIGN_OR_RETURN(const Model model, Model::Open(std::move(file)));
  if (task == "classify") PB_RETURN_IF_ERROR(model.RequireHead(""));
  return Done{};
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

TEST_CASE("load-error cases give errors that name the cause") {
  const JsonDocument document =
      ParseJson(testing::ReadFile(kHand + "load-error.json"), "load-error.json").value();
  size_t seen = 0;
  for (const Json test : document.root().GetArray("cases").value().Items()) {
    const std::string id(test.GetString("id").value());
    // Tokens that only a text brings up are for the tasks' tests.
    if (id == "err-special-missing-h") continue;
    ++seen;
    const std::string directory(test.Get("model").value().GetString("dir").value());
    Folder folder = testing::ReadFolder(kHand + directory);
    for (const auto [path, change] : test.FindOrNull("files").Members()) {
      const std::optional<std::string> content = Content(change, directory);
      if (content) {
        folder[std::string(path)] = *content;
      } else {
        folder.erase(std::string(path));
      }
    }
    const Status status = Load(folder, test.Get("options").value().GetString("task").value());
    INFO(id);
    REQUIRE_FALSE(status.ok());
    const std::string message = Lower(status.error().message);
    INFO(message);
    bool found = false;
    for (const Json word :
         test.Get("expect").value().Get("error").value().Get("any").value().Items()) {
      found =
          found || message.find(Lower(std::string(word.AsString().value()))) != std::string::npos;
    }
    CHECK(found);
  }
  CHECK(seen >= 24);
}

}  // namespace
}  // namespace pocketbert
