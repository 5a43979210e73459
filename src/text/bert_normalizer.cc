#include "text/bert_normalizer.h"

#include <array>

#include "text/normal_forms.h"
#include "text/unicode_tables.h"

namespace pocketbert {
namespace {

class BertWriter {
 public:
  BertWriter(const BertNormalizerOptions& options, const std::array<AsciiRule, 128>& ascii,
             const AlignedText& in, AlignedText& out)
      : clean_(options.clean_text),
        ideographs_(options.handle_chinese_chars),
        strip_(options.strip_accents.value_or(options.lowercase)),
        lower_(options.lowercase),
        ascii_(ascii),
        decomposer_(false),
        in_(in),
        out_(out) {}

  void Run() {
    // An ideograph of three bytes becomes five; others grow only where Write makes sure of room.
    out_.Reserve(in_.size());
    const char* const bytes = in_.bytes();
    const size_t size = in_.size();
    size_t at = 0;
    while (at < size) {
      if (const auto byte = static_cast<uint8_t>(bytes[at]); byte < 0x80) {
        // What cleaning drops does not part the marks around it.
        if (decomposer_.holds_marks() && !ascii_[byte].kept) {
          ++at;
          continue;
        }
        Finish();
        at = CopyAscii(at);
      } else {
        const char* next = bytes + at;
        const char32_t c = ReadUtf8(next);
        ReadChar(c, in_.sources()[at]);
        at = static_cast<size_t>(next - bytes);
      }
    }
    Finish();
  }

 private:
  size_t CopyAscii(size_t at) {
    out_.Reserve(in_.size() - at);
    const char* const bytes = in_.bytes();
    const SourceChar* const sources = in_.sources();
    const size_t size = in_.size();
    char* to = out_.end_bytes();
    SourceChar* to_source = out_.end_sources();
    size_t written = 0;
    for (; at < size; ++at) {
      const auto byte = static_cast<uint8_t>(bytes[at]);
      if (byte >= 0x80) break;
      const AsciiRule rule = ascii_[byte];
      to[written] = rule.to;
      to_source[written] = sources[at];
      written += rule.kept;
    }
    out_.Advance(written);
    return at;
  }

  void ReadChar(char32_t c, SourceChar source) {
    uint8_t bits = CharClass(c);
    if (clean_) {
      if (bits & kControl) return;
      if (bits & kWhiteSpace) {
        c = ' ';
        bits = kWhiteSpace;
      }
    }
    if (ideographs_ && IsIdeograph(c)) {
      Pass(' ', kWhiteSpace, source);
      Pass(c, bits, source);
      Pass(' ', kWhiteSpace, source);
    } else {
      Pass(c, bits, source);
    }
  }

  // One character after cleaning.
  void Pass(char32_t c, uint8_t bits, SourceChar source) {
    if (!strip_) {
      Write(c, bits, source);
    } else if (bits & kMapped) {
      aligner_.Take(source);
      decomposer_.Push(c, decomposed_);
      WriteDecomposed();
    } else {
      Finish();
      if (!(bits & kNonspacing)) Write(c, bits, source);
    }
  }

  // Writes the marks held back, before a character that is none.
  void Finish() {
    if (!decomposer_.holds_marks()) return;
    decomposer_.Flush(decomposed_);
    WriteDecomposed();
  }

  void WriteDecomposed() {
    for (const FormChar& part : decomposed_) {
      const SourceChar source = aligner_.Next(part.change);
      const uint8_t bits = CharClass(part.code);
      if (!(bits & kNonspacing)) Write(part.code, bits, source);
    }
    decomposed_.clear();
  }

  void Write(char32_t c, uint8_t bits, SourceChar source) {
    if (lower_ && (bits & kMapped)) {
      if (c == kDottedCapitalI) {
        out_.Append('i', source);
        out_.Append(kDotAbove, source);
        return;
      }
      c = LowerCase(c);
    }
    out_.Append(c, source);
  }

  const bool clean_;
  const bool ideographs_;
  const bool strip_;
  const bool lower_;
  const std::array<AsciiRule, 128>& ascii_;
  Decomposer decomposer_;
  FormAligner aligner_;
  std::vector<FormChar> decomposed_;
  const AlignedText& in_;
  AlignedText& out_;
};

}  // namespace

BertNormalizer::BertNormalizer(const BertNormalizerOptions& options) : options_(options) {
  for (char32_t c = 0; c < ascii_.size(); ++c) {
    const uint8_t bits = CharClass(c);
    const bool dropped = options.clean_text && (bits & kControl);
    char32_t to = options.clean_text && (bits & kWhiteSpace) ? U' ' : c;
    if (options.lowercase) to = LowerCase(to);
    ascii_[c] = {static_cast<char>(to), static_cast<uint8_t>(dropped ? 0 : 1)};
  }
}

void BertNormalizer::Append(const AlignedText& in, AlignedText& out) const {
  BertWriter(options_, ascii_, in, out).Run();
}

}  // namespace pocketbert
