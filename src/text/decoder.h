#pragma once
// Decoder: token texts back to a readable text.

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace pocketbert {

class Decoder {
 public:
  // Supported types: WordPiece, null (tokens joined by blanks). Others are refused by name.
  static Result<Decoder> FromJson(Json json);

  // ["hello", "##s", "!"] → "hellos!" (with clean-up; "hellos !" without)
  std::string Decode(std::span<const std::string_view> tokens, bool clean_up) const;

  // Whether the file asks for clean-up: no blank before . ? ! , and before English endings.
  bool cleans_up() const { return cleans_up_; }

 private:
  bool joins_pieces_ = false;
  std::string prefix_;
  bool cleans_up_ = false;
};

}  // namespace pocketbert
