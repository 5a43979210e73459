// Pairs of which little is kept: read no further than needed, with the same results.

#include <catch2/catch_amalgamated.hpp>

#include <algorithm>

#include "support/text_encoding.h"
#include "tiny_tokenizer.h"

namespace pocketbert {
namespace {

std::string Repeat(std::string_view words, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += words;
  return text;
}

// `cut` is what `whole` is, without its windows.
void CheckSame(const Tokenizer& tokenizer, const TextPair& pair, EncodeOptions options) {
  const auto whole = EncodeText(tokenizer, pair.text, pair.pair, options);
  options.return_overflow = false;
  const auto cut = EncodeText(tokenizer, pair.text, pair.pair, options);
  REQUIRE(cut.ok() == whole.ok());
  if (!cut.ok()) {
    CHECK(cut.error().message == whole.error().message);
    return;
  }
  CHECK(cut.value().ids == whole.value().ids);
  CHECK(cut.value().offsets == whole.value().offsets);
  CHECK(cut.value().word_ids == whole.value().word_ids);
  CHECK(cut.value().type_ids == whole.value().type_ids);
  CHECK(cut.value().special_tokens_mask == whole.value().special_tokens_mask);
  CHECK(cut.value().truncated == whole.value().truncated);
  CHECK(cut.value().overflow.empty());
}

TEST_CASE("without its windows, a cut pair is what it is with them") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  const std::string words[] = {"hello ", "unaffable ", "world! "};
  std::vector<std::string> texts;
  for (const size_t count : {0, 1, 5, 40, 41, 1000, 1001}) {
    texts.push_back(Repeat(words[texts.size() % 3], count));
  }
  for (const auto strategy : {TruncationStrategy::kLongestFirst, TruncationStrategy::kOnlyFirst,
                              TruncationStrategy::kOnlySecond}) {
    for (const Side side : {Side::kLeft, Side::kRight}) {
      for (const size_t length : {3, 4, 8, 9, 3000, 3001, 100000}) {
        EncodeOptions options;
        options.truncation =
            Truncation{.max_length = length, .strategy = strategy, .direction = side};
        for (const std::string& first : texts) {
          for (const std::string& second : texts) {
            // All windows would be too many.
            if (first.size() * second.size() > 20000 * length) continue;
            INFO(first.size() << " and " << second.size() << " bytes, " << length << " tokens, side "
                              << static_cast<int>(side) << ", strategy "
                              << static_cast<int>(strategy));
            CheckSame(tokenizer, {first, second}, options);
          }
        }
      }
    }
  }
}

TEST_CASE("the odd token is the longer text's, however long both are") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  const std::string shorter = Repeat("hello ", 30000), longer = Repeat("hello ", 30001);
  for (const Side side : {Side::kLeft, Side::kRight}) {
    EncodeOptions options;
    options.return_overflow = false;
    options.truncation = Truncation{.max_length = 10, .direction = side};
    const auto firsts = [&](std::string_view first, std::string_view second) {
      const auto encoding = EncodeText(tokenizer, first, second, options);
      REQUIRE(encoding.ok());
      const std::vector<int8_t>& sequences = encoding.value().sequence_ids;
      return std::count(sequences.begin(), sequences.end(), 0);
    };
    CHECK(firsts(longer, shorter) == 4);
    CHECK(firsts(shorter, longer) == 3);
    CHECK(firsts(shorter, shorter) == 3);
  }
}

TEST_CASE("what is cut off a pair on the right need not be read") {
  TinyTokenizer tiny;
  tiny.model_options = R"("unk_token":"<unk>")";  // not there: an error where it is needed
  const Tokenizer tokenizer = tiny.Load();
  const std::string unread = Repeat("hello ", 50000) + "xyz";
  EncodeOptions options;
  options.return_overflow = false;
  options.truncation = Truncation{.max_length = 12};
  CHECK(EncodeText(tokenizer, "hello", unread, options).ok());
  CHECK(EncodeText(tokenizer, unread, "hello", options).ok());
  options.truncation->strategy = TruncationStrategy::kOnlyFirst;
  CHECK(EncodeText(tokenizer, unread, "hello", options).ok());
  CHECK_FALSE(EncodeText(tokenizer, "hello", unread, options).ok());
  options.truncation->strategy = TruncationStrategy::kOnlySecond;
  CHECK(EncodeText(tokenizer, "hello", unread, options).ok());
}

TEST_CASE("two texts too long to compare are refused") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  const std::string text(3'000'000, '!');
  EncodeOptions options;
  options.return_overflow = false;
  options.truncation = Truncation{.max_length = 512};
  const auto refused = EncodeText(tokenizer, text, text, options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK(EncodeText(tokenizer, "a", text, options).ok());
}

}  // namespace
}  // namespace pocketbert
