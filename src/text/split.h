#pragma once
// Splitting pieces of a text at delimiters, as the pre-tokenizers do.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pocketbert {

// Bytes [begin, end) of a normalized text.
struct Piece {
  uint32_t begin;
  uint32_t end;

  bool operator==(const Piece&) const = default;
};

// What becomes of the delimiters; "the-final--countdown" at "-" gives
enum class SplitBehavior : uint8_t {
  kRemoved,             // the final countdown
  kIsolated,            // the - final - - countdown
  kMergedWithPrevious,  // the- final- - countdown
  kMergedWithNext,      // the -final - -countdown
  kContiguous,          // the - final -- countdown
};

// Takes the segments of one piece in order (each a delimiter or not, together the whole piece) and
// appends what the behavior makes of them.
class Splitter {
 public:
  // `invert`: what was a delimiter is none, and the other way round.
  Splitter(SplitBehavior behavior, bool invert, std::vector<Piece>& out)
      : behavior_(behavior), invert_(invert), out_(out) {}

  // Before the first segment of the next piece.
  void Start() {
    first_ = out_.size();
    after_delimiter_ = false;
    held_ = false;
  }
  void Add(Piece segment, bool is_delimiter) {
    if (segment.begin < segment.end) AddFilled(segment, is_delimiter != invert_);
  }
  // After the last segment.
  void Finish() {
    if (held_) out_.push_back(delimiter_);
    held_ = false;
  }

 private:
  void AddFilled(Piece segment, bool is_delimiter);

  const SplitBehavior behavior_;
  const bool invert_;
  std::vector<Piece>& out_;
  size_t first_ = 0;              // of this piece in out_
  bool after_delimiter_ = false;  // the last segment was one
  bool held_ = false;             // kMergedWithNext: `delimiter_` waits for what follows
  Piece delimiter_ = {0, 0};
};

// Splits `piece` of `text` at each character that has one of the class bits.
void SplitAtClass(std::string_view text, Piece piece, uint8_t class_bits, Splitter& splitter);

// Splits at each literal, from left to right.
void SplitAtLiteral(std::string_view text, Piece piece, std::string_view literal,
                    Splitter& splitter);

// Splits into runs of word characters and runs of others, white space left out: \w+|[^\w\s]+.
void SplitWords(std::string_view text, Piece piece, std::vector<Piece>& out);

// BertPreTokenizer: white space left out, punctuation by itself.
void SplitBert(std::string_view text, Piece piece, std::vector<Piece>& out);

}  // namespace pocketbert
