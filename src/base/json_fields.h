#pragma once
// JsonFields: reads the members of one object without a test after each. The first thing that is
// not right is kept as the error, and from then on everything reads as absent.
//
//   JsonFields fields(json);
//   options.lowercase = fields.Bool("lowercase", true);
//   options.size = fields.Int("size", 512, 1, 4096);
//   PB_RETURN_IF_ERROR(fields.Finish());  // also: no member that was not asked for
//
// A member that is null counts as absent. Errors are those of Json's functions.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"

namespace pocketbert {

class JsonFields {
 public:
  // At most as many members may be asked for.
  static constexpr size_t kMostKeys = 24;

  // That `json` is no object is the error.
  explicit JsonFields(Json json);

  // The member, or what to take where it is absent.
  bool Bool(const char* key, bool fallback);
  int64_t Int(const char* key, int64_t fallback, int64_t min = INT64_MIN,
              int64_t max = INT64_MAX);
  double Double(const char* key, double fallback);
  std::string_view String(const char* key, std::string_view fallback);

  // The member, or a null where it is absent.
  Json Any(const char* key);
  Json Array(const char* key);
  Json Object(const char* key);

  // The member, which must be there; after an error an empty text, `min`, or a null.
  std::string_view RequiredString(const char* key);
  int64_t RequiredInt(const char* key, int64_t min = INT64_MIN, int64_t max = INT64_MAX);
  Json RequiredArray(const char* key);
  Json RequiredObject(const char* key);

  // The place of a text in `names`, a list such as "Left, Right". Another text is an error of code
  // kUnsupported.
  size_t Choice(const char* key, size_t fallback, const char* names);

  // Keeps `error` if there is none yet.
  void Fail(ErrorBox&& error);
  bool ok() const { return error_.empty(); }

  // The error, if there is one. Finish: a member that was not asked for is one too, of code
  // kUnsupported; FinishOpen: it may be there.
  Status Finish();
  Status FinishOpen();

 private:
  Json Read(const char* key);
  Json Require(const char* key);
  template <typename T>
  T Take(Result<T>&& result, T fallback);

  Json json_;
  ErrorBox error_;
  const char* asked_[kMostKeys];
  size_t asked_count_ = 0;
};

}  // namespace pocketbert
