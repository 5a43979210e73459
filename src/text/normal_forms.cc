#include "text/normal_forms.h"

#include <array>

#include "text/unicode_tables.h"

namespace pocketbert {
namespace {

// Composes what a Decomposer gives (UAX #15, section 1.3 and D117).
class Composer {
 public:
  void Push(FormChar next, std::vector<FormChar>& out) {
    const uint8_t next_class =
        (CharClass(next.code) & kMapped) ? CombiningClass(next.code) : uint8_t{0};
    if (!has_starter_) {
      if (next_class != 0) {
        out.push_back(next);
      } else {
        starter_ = next;
        has_starter_ = true;
      }
      return;
    }
    // A mark is blocked from the starter by one of the same or a higher class in between.
    const bool blocked = last_class_ != kNone && last_class_ >= next_class;
    if (!blocked) {
      if (const char32_t composed = Compose(starter_.code, next.code)) {
        starter_ = {composed, starter_.change + next.change - 1};
        return;
      }
    }
    if (next_class == 0) {
      Flush(out);
      starter_ = next;
      has_starter_ = true;
      return;
    }
    marks_.push_back(next);
    last_class_ = next_class;
  }

  void Flush(std::vector<FormChar>& out) {
    if (has_starter_) out.push_back(starter_);
    out.insert(out.end(), marks_.begin(), marks_.end());
    marks_.clear();
    has_starter_ = false;
    last_class_ = kNone;
  }

 private:
  static constexpr int kNone = -1;

  FormChar starter_ = {0, 0};
  bool has_starter_ = false;
  std::vector<FormChar> marks_;  // that did not compose with the starter
  int last_class_ = kNone;       // class of the last of them
};

// Where the run of ASCII from `begin` ends.
size_t AsciiEnd(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && static_cast<uint8_t>(text[end]) < 0x80) ++end;
  return end;
}

class FormWriter {
 public:
  FormWriter(NormalForm form, const AlignedText& in, AlignedText& out)
      : composes_(form == NormalForm::kNfc || form == NormalForm::kNfkc),
        decomposer_(form == NormalForm::kNfkd || form == NormalForm::kNfkc),
        in_(in),
        out_(out) {}

  void Run() {
    const std::string_view text = in_.text();
    size_t at = 0;
    while (at < text.size()) {
      const size_t ascii_end = AsciiEnd(text, at);
      if (ascii_end > at) {
        Drain(true);
        // The last ASCII character may compose with what follows.
        const size_t plain_end = ascii_end < text.size() && composes_ ? ascii_end - 1 : ascii_end;
        out_.Reserve(plain_end - at);
        out_.WriteFrom(in_, at, plain_end);
        at = plain_end;
        if (at == text.size()) break;
      }
      ReadChar(at);
      Drain(false);
    }
    Drain(true);
  }

 private:
  void ReadChar(size_t& at) {
    const char* next = in_.bytes() + at;
    const char32_t c = ReadUtf8(next);
    aligner_.Take(in_.sources()[at]);
    at = static_cast<size_t>(next - in_.bytes());
    if (CharClass(c) & kMapped) {
      decomposer_.Push(c, decomposed_);
    } else {
      decomposer_.PushPlain(c, decomposed_);
    }
  }

  // Writes what is certain; at the end of a stretch all that is held back.
  void Drain(bool all) {
    if (all) decomposer_.Flush(decomposed_);
    if (!composes_) {
      Write(decomposed_);
      return;
    }
    for (const FormChar& character : decomposed_) composer_.Push(character, composed_);
    decomposed_.clear();
    if (all) composer_.Flush(composed_);
    Write(composed_);
  }

  void Write(std::vector<FormChar>& characters) {
    out_.Reserve(characters.size() * 4);
    for (const FormChar& c : characters) out_.Write(c.code, aligner_.Next(c.change));
    characters.clear();
  }

  const bool composes_;
  Decomposer decomposer_;
  Composer composer_;
  FormAligner aligner_;
  const AlignedText& in_;
  AlignedText& out_;
  std::vector<FormChar> decomposed_;
  std::vector<FormChar> composed_;
};

}  // namespace

void Decomposer::Push(char32_t c, std::vector<FormChar>& out) {
  char32_t parts[kLongestDecomposition];
  const size_t count = Decompose(c, compatibility_, parts);
  for (size_t i = 0; i < count; ++i) {
    const FormChar part = {parts[i], i > 0 ? 1 : 0};
    const uint8_t combining_class =
        (CharClass(part.code) & kMapped) ? CombiningClass(part.code) : uint8_t{0};
    if (combining_class == 0) {
      Flush(out);
      out.push_back(part);
    } else {
      marks_.push_back({part, combining_class});
    }
  }
}

// Sorts by class, keeping the order within one: by insertion if they are few, else by counting.
void Decomposer::FlushMarks(std::vector<FormChar>& out) {
  constexpr size_t kFew = 16;
  if (marks_.size() <= kFew) {
    for (size_t i = 1; i < marks_.size(); ++i) {
      const Mark mark = marks_[i];
      size_t j = i;
      for (; j > 0 && marks_[j - 1].combining_class > mark.combining_class; --j) {
        marks_[j] = marks_[j - 1];
      }
      marks_[j] = mark;
    }
    for (const Mark& mark : marks_) out.push_back(mark.character);
  } else {
    std::array<size_t, 257> begin = {};
    for (const Mark& mark : marks_) ++begin[mark.combining_class + 1];
    for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    const size_t base = out.size();
    out.resize(base + marks_.size());
    for (const Mark& mark : marks_) out[base + begin[mark.combining_class]++] = mark.character;
  }
  marks_.clear();
}

void AppendNormalForm(NormalForm form, const AlignedText& in, AlignedText& out) {
  FormWriter(form, in, out).Run();
}

}  // namespace pocketbert
