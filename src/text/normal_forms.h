#pragma once
// Unicode normalization forms (UAX #15) on aligned text: NFD, NFKD, NFC, NFKC, with the tables of
// unicode_tables.h. Time is linear in the length of the text, whatever the marks in it.
//
// Places follow the reference: the characters of the outcome consume those of the input in order,
// as many as went into each. Where marks change places, so each keeps the place of the mark that
// stood there before, not its own.

#include <cstdint>
#include <vector>

#include "text/aligned_text.h"

namespace pocketbert {

enum class NormalForm : uint8_t { kNfd, kNfkd, kNfc, kNfkc };

// Appends `in` in the asked form to `out`.
void AppendNormalForm(NormalForm form, const AlignedText& in, AlignedText& out);

// A character of a decomposition. `change` is 0 for one that stands for an input character, 1 for
// one more made of the same; -n for one that stands for 1 + n of them (composed).
struct FormChar {
  char32_t code;
  int32_t change;
};

// Gives input characters' places to the characters of a normal form.
class FormAligner {
 public:
  // An input character was read.
  void Take(SourceChar source) { waiting_.push_back(source); }

  // The place of the next character of the outcome.
  SourceChar Next(int32_t change) {
    if (change > 0) return last_;
    const SourceChar source = waiting_[next_];
    Skip(static_cast<size_t>(1 - change));
    return source;
  }

  // Passes over input characters that nothing came of.
  void Skip(size_t count) {
    next_ += count;
    last_ = waiting_[next_ - 1];
    if (next_ == waiting_.size()) {
      waiting_.clear();
      next_ = 0;
    }
  }

  // All input characters are used up.
  bool is_done() const { return waiting_.empty(); }
  // Input was copied to the outcome without asking here; this is the last of it.
  void Copied(SourceChar last) { last_ = last; }

 private:
  std::vector<SourceChar> waiting_;
  size_t next_ = 0;
  SourceChar last_ = 0;
};

// Decomposes and puts marks into canonical order: characters go in one by one, and come out in
// `out` (which the caller empties) as soon as their place is certain.
class Decomposer {
 public:
  explicit Decomposer(bool compatibility) : compatibility_(compatibility) {}

  // A character of class kMapped.
  void Push(char32_t c, std::vector<FormChar>& out);
  // A character that is not: it has no decomposition and is no mark.
  void PushPlain(char32_t c, std::vector<FormChar>& out) {
    Flush(out);
    out.push_back({c, 0});
  }
  // The marks held back, at the end or before a character that is no mark.
  void Flush(std::vector<FormChar>& out) {
    if (!marks_.empty()) FlushMarks(out);
  }
  bool holds_marks() const { return !marks_.empty(); }

 private:
  struct Mark {
    FormChar character;
    uint8_t combining_class;
  };
  void FlushMarks(std::vector<FormChar>& out);

  bool compatibility_;
  std::vector<Mark> marks_;
};

}  // namespace pocketbert
