#include "text/regex.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

using Op = RegexStep::Op;

// Steps that a search may take: so many, and some more for each byte.
constexpr uint64_t kLeastSteps = 65536;
constexpr uint64_t kStepsPerByte = 512;
// Places to come back to, at once.
constexpr size_t kMostWaiting = size_t{1} << 20;
constexpr uint32_t kNoGuard = UINT32_MAX;

}  // namespace

class RegexMatcher {
 public:
  RegexMatcher(const Regex& regex, std::string_view text)
      : regex_(regex),
        begin_(text.data()),
        end_(text.data() + text.size()),
        left_(kLeastSteps + kStepsPerByte * text.size()) {}

  bool gave_up() const { return gave_up_; }

  // The end of the match at `at`, or null.
  const char* MatchAt(const char* at) {
    if (!regex_.guards_[0].Passes(at, end_)) return nullptr;
    waiting_.clear();
    return Run(0, at);
  }

 private:
  // Where to go on if this way fails. `least` is set for a run: it can be shortened down to there.
  struct Waiting {
    uint32_t step;
    const char* at;
    const char* least;
  };

  void Push(uint32_t step, const char* at, const char* least) {
    if (waiting_.size() == kMostWaiting) gave_up_ = true;
    if (!gave_up_) waiting_.push_back({step, at, least});
  }

  // Tries the steps from `step` on until they accept; recurses as deep as the pattern is nested.
  const char* Run(uint32_t step, const char* at) {
    const size_t base = waiting_.size();
    for (;;) {
      if (gave_up_ || left_-- == 0) {
        gave_up_ = true;
        left_ = 0;
        return nullptr;
      }
      const RegexStep& now = regex_.steps_[step];
      if (now.op == Op::kAccept) {
        waiting_.resize(base);
        return at;
      }
      if (Take(now, step, at)) continue;
      if (waiting_.size() == base) return nullptr;
      Waiting& last = waiting_.back();
      step = last.step;
      if (last.least && last.at > last.least) {
        ReadUtf8Backward(last.at);
        at = last.at;
        if (last.at == last.least) waiting_.pop_back();
      } else {
        at = last.at;
        waiting_.pop_back();
      }
    }
  }

  // One step; false if it fails.
  bool Take(const RegexStep& now, uint32_t& step, const char*& at) {
    ++step;
    switch (now.op) {
      case Op::kChar: return at < end_ && ReadUtf8(at) == now.a;
      case Op::kSet: return at < end_ && regex_.sets_[now.a].Has(ReadUtf8(at));
      case Op::kRun: return TakeRun(now, step, at);
      case Op::kSplit:
        if (now.c != kNoGuard && !regex_.guards_[now.c].Passes(at, end_)) {
          step = now.b;
        } else {
          Push(now.b, at, nullptr);
          step = now.a;
        }
        return true;
      case Op::kJump: step = now.a; return true;
      case Op::kLook: {
        const bool matches = Run(step, at) != nullptr;
        step = now.a;
        return matches != now.flag;
      }
      case Op::kAtomic:
        at = Run(step, at);
        step = now.a;
        return at != nullptr;
      case Op::kBehind: {
        const char* before = at;
        const bool has = at > begin_ && regex_.sets_[now.a].Has(ReadUtf8Backward(before));
        return has != now.flag;
      }
      case Op::kAnchor: return Holds(static_cast<RegexAnchor>(now.a), at);
      case Op::kAccept: break;
    }
    return false;
  }

  bool TakeRun(const RegexStep& now, uint32_t step, const char*& at) {
    const CharSet& set = regex_.sets_[now.a];
    const char* least = at;
    uint32_t count = 0;
    while (count < now.c && at < end_) {
      const char* next = at;
      if (!set.Has(ReadUtf8(next))) break;
      at = next;
      if (++count == now.b) least = at;
    }
    left_ -= left_ < count ? left_ : count;
    if (count < now.b) return false;
    if (!now.flag && at > least) Push(step, at, least);
    return true;
  }

  bool IsWordAt(const char* at) const { return at < end_ && IsPatternWordChar(ReadUtf8(at)); }
  bool IsWordBefore(const char* at) const {
    return at > begin_ && IsPatternWordChar(ReadUtf8Backward(at));
  }

  bool Holds(RegexAnchor anchor, const char* at) const {
    switch (anchor) {
      case RegexAnchor::kLineBegin: return at == begin_ || (at[-1] == '\n' && at < end_);
      case RegexAnchor::kLineEnd: return at == end_ || *at == '\n';
      case RegexAnchor::kTextBegin: return at == begin_;
      case RegexAnchor::kTextEnd: return at == end_;
      case RegexAnchor::kTextEndOrLastLine:
        return at == end_ || (*at == '\n' && at + 1 == end_);
      case RegexAnchor::kWordBorder: return IsWordBefore(at) != IsWordAt(at);
      case RegexAnchor::kNoWordBorder: return IsWordBefore(at) == IsWordAt(at);
    }
    return false;
  }

  const Regex& regex_;
  const char* const begin_;
  const char* const end_;
  uint64_t left_;
  bool gave_up_ = false;
  std::vector<Waiting> waiting_;
};

Status Regex::FindAll(std::string_view text, std::vector<Piece>& matches) const {
  RegexMatcher matcher(*this, text);
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* last_end = nullptr;
  const char* at = begin;
  while (at <= end) {
    const char* const match = matcher.MatchAt(at);
    if (matcher.gave_up()) {
      return TooLongError(Message("the pattern \"") +
                          std::string_view(pattern_).substr(0, 200) +
                          "\" takes too many steps on this text");
    }
    const bool found = match && !(match == at && match == last_end);
    if (found) {
      matches.push_back({static_cast<uint32_t>(at - begin), static_cast<uint32_t>(match - begin)});
      last_end = match;
    }
    if (found && match > at) {
      at = match;
    } else if (at < end) {
      ReadUtf8(at);
    } else {
      break;
    }
  }
  return Done{};
}

}  // namespace pocketbert
