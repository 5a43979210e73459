#include "text/regex.h"

#include <utility>

#include "text/regex_syntax.h"

namespace pocketbert {
namespace {

using Op = RegexStep::Op;
using Kind = RegexNode::Kind;
using Mode = RegexNode::Mode;

constexpr size_t kMostSteps = 16384;
constexpr uint32_t kNoGuard = UINT32_MAX;

void AddToGuard(const RegexGuard& other, RegexGuard& guard) {
  guard.ascii[0] |= other.ascii[0];
  guard.ascii[1] |= other.ascii[1];
  guard.others |= other.others;
}

}  // namespace

class RegexCompiler {
 public:
  RegexCompiler(RegexTree& tree, Regex& regex) : tree_(tree), regex_(regex) {}

  Status Run() {
    regex_.sets_ = std::move(tree_.sets);
    regex_.guards_.push_back(GuardOf(tree_.root));
    Emit(tree_.root);
    Add({Op::kAccept});
    if (loops_over_nothing_) return Refuse(" repeats what may be empty, which is not supported");
    if (too_large_) return Refuse(" is too large");
    return Done{};
  }

 private:
  ErrorBox Refuse(const char* what) const {
    return UnsupportedError(Message("the pattern \"") +
                            std::string_view(regex_.pattern_).substr(0, 200) + "\"" + what);
  }

  uint32_t Here() const { return static_cast<uint32_t>(regex_.steps_.size()); }
  uint32_t Add(RegexStep step) {
    too_large_ = too_large_ || regex_.steps_.size() >= kMostSteps;
    if (too_large_) return 0;
    regex_.steps_.push_back(step);
    return Here() - 1;
  }

  RegexGuard GuardOf(uint32_t index) const {
    const RegexNode& node = tree_.nodes[index];
    RegexGuard guard;
    switch (node.kind) {
      case Kind::kChar:
        if (node.value < 128) {
          guard.ascii[node.value / 64] |= uint64_t{1} << (node.value % 64);
        } else {
          guard.others = true;
        }
        return guard;
      case Kind::kSet: {
        const CharSet& set = regex_.sets_[node.value];
        return {{set.ascii()[0], set.ascii()[1]}, true, false};
      }
      case Kind::kSequence:
        guard.nothing = true;
        for (size_t i = 0; i < node.children.size() && guard.nothing; ++i) {
          const RegexGuard child = GuardOf(node.children[i]);
          AddToGuard(child, guard);
          guard.nothing = child.nothing;
        }
        return guard;
      case Kind::kChoice:
        for (const uint32_t child_index : node.children) {
          const RegexGuard child = GuardOf(child_index);
          AddToGuard(child, guard);
          guard.nothing |= child.nothing;
        }
        return guard;
      case Kind::kLoop:
        guard = GuardOf(node.children[0]);
        guard.nothing |= node.min == 0;
        return guard;
      case Kind::kAtomic: return GuardOf(node.children[0]);
      case Kind::kLook:
      case Kind::kBehind:
      case Kind::kAnchor: guard.nothing = true; return guard;
    }
    return guard;
  }

  uint32_t AddGuard(uint32_t index) {
    const RegexGuard guard = GuardOf(index);
    if (guard.nothing) return kNoGuard;
    regex_.guards_.push_back(guard);
    return static_cast<uint32_t>(regex_.guards_.size() - 1);
  }

  void Emit(uint32_t index) {
    if (too_large_) return;
    const RegexNode& node = tree_.nodes[index];
    switch (node.kind) {
      case Kind::kChar: Add({Op::kChar, false, node.value}); return;
      case Kind::kSet: Add({Op::kSet, false, node.value}); return;
      case Kind::kBehind: Add({Op::kBehind, node.negated, node.value}); return;
      case Kind::kAnchor: Add({Op::kAnchor, false, node.value}); return;
      case Kind::kSequence:
        for (const uint32_t child : node.children) Emit(child);
        return;
      case Kind::kChoice: EmitChoice(node); return;
      case Kind::kLoop: EmitLoop(node); return;
      case Kind::kLook: EmitInner({Op::kLook, node.negated}, node.children[0]); return;
      case Kind::kAtomic: EmitInner({Op::kAtomic}, node.children[0]); return;
    }
  }

  void EmitInner(RegexStep step, uint32_t child) {
    const uint32_t at = Add(step);
    Emit(child);
    Add({Op::kAccept});
    if (!too_large_) regex_.steps_[at].a = Here();
  }

  void EmitChoice(const RegexNode& node) {
    std::vector<uint32_t> jumps;
    for (size_t i = 0; i + 1 < node.children.size(); ++i) {
      const uint32_t split = Add({Op::kSplit, false, 0, 0, AddGuard(node.children[i])});
      Emit(node.children[i]);
      jumps.push_back(Add({Op::kJump}));
      if (too_large_) return;
      regex_.steps_[split].a = split + 1;
      regex_.steps_[split].b = Here();
    }
    Emit(node.children.back());
    if (too_large_) return;
    for (const uint32_t jump : jumps) regex_.steps_[jump].a = Here();
  }

  void EmitLoop(const RegexNode& node) {
    if (node.mode == Mode::kPossessive) {
      const uint32_t at = Add({Op::kAtomic});
      EmitRepeats(node);
      Add({Op::kAccept});
      if (!too_large_) regex_.steps_[at].a = Here();
    } else {
      EmitRepeats(node);
    }
  }

  // The set that a node of one character stands for, made where it is a literal.
  bool SetOf(uint32_t index, uint32_t& set) {
    const RegexNode& node = tree_.nodes[index];
    if (node.kind == Kind::kSet) {
      set = node.value;
      return true;
    }
    if (node.kind != Kind::kChar) return false;
    CharSet literal;
    literal.AddChar(node.value, false);
    literal.Finish();
    set = static_cast<uint32_t>(regex_.sets_.size());
    regex_.sets_.push_back(std::move(literal));
    return true;
  }

  void EmitRepeats(const RegexNode& node) {
    const uint32_t child = node.children[0];
    uint32_t set = 0;
    if (node.mode != Mode::kLazy && SetOf(child, set)) {
      Add({Op::kRun, node.mode == Mode::kPossessive, set, node.min, node.max});
      return;
    }
    const RegexNode& inner = tree_.nodes[child];
    // (x{1,3})+ takes what x+ takes, in the same order.
    if (node.mode == Mode::kGreedy && inner.kind == Kind::kLoop && inner.mode == Mode::kGreedy &&
        inner.min == 1 && node.min <= 1 && node.max == kNoLimit && SetOf(inner.children[0], set)) {
      Add({Op::kRun, false, set, node.min, kNoLimit});
      return;
    }
    const bool may_be_empty = GuardOf(child).nothing;
    loops_over_nothing_ = loops_over_nothing_ || (may_be_empty && node.max == kNoLimit);
    for (uint32_t i = 0; i < node.min && !too_large_; ++i) Emit(child);
    if (node.max == kNoLimit) {
      const uint32_t split = EmitSplit(node, child);
      Emit(child);
      Add({Op::kJump, false, split});
      SetExit(split, node.mode);
      return;
    }
    std::vector<uint32_t> splits;
    for (uint32_t i = node.min; i < node.max && !too_large_; ++i) {
      splits.push_back(EmitSplit(node, child));
      Emit(child);
    }
    for (const uint32_t split : splits) SetExit(split, node.mode);
  }

  uint32_t EmitSplit(const RegexNode& node, uint32_t child) {
    const bool lazy = node.mode == Mode::kLazy;
    return Add({Op::kSplit, false, Here() + 1, Here() + 1, lazy ? kNoGuard : AddGuard(child)});
  }
  void SetExit(uint32_t split, Mode mode) {
    if (too_large_) return;
    (mode == Mode::kLazy ? regex_.steps_[split].a : regex_.steps_[split].b) = Here();
  }

  RegexTree& tree_;
  Regex& regex_;
  bool too_large_ = false;
  bool loops_over_nothing_ = false;
};

Result<Regex> Regex::Compile(std::string_view pattern) {
  PB_ASSIGN_OR_RETURN(RegexTree tree, ParseRegex(pattern));
  Regex regex;
  regex.pattern_ = pattern;
  PB_RETURN_IF_ERROR(RegexCompiler(tree, regex).Run());
  return regex;
}

}  // namespace pocketbert
