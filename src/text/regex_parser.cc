#include <optional>
#include <string>

#include "text/regex_class.h"
#include "text/regex_syntax.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

using Kind = RegexNode::Kind;
using Mode = RegexNode::Mode;

constexpr size_t kMostNodes = 4096;
constexpr int kDeepest = 50;
constexpr uint32_t kMostRepeats = 1000;

class RegexParser {
 public:
  explicit RegexParser(std::string_view pattern) : reader_(pattern) {}

  Result<RegexTree> Run() {
    tree_.root = Choice();
    if (reader_.ok() && !reader_.at_end()) reader_.Malformed("has a ) too many");
    PB_RETURN_IF_ERROR(reader_.TakeStatus());
    return std::move(tree_);
  }

 private:
  uint32_t Add(RegexNode node) {
    if (tree_.nodes.size() == kMostNodes) reader_.Refuse("is too large");
    tree_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(tree_.nodes.size() - 1);
  }

  uint32_t AddSet(CharSet&& set) {
    set.Finish();
    tree_.sets.push_back(std::move(set));
    return static_cast<uint32_t>(tree_.sets.size() - 1);
  }
  uint32_t AddSetNode(CharSet&& set) {
    RegexNode node{Kind::kSet};
    node.value = AddSet(std::move(set));
    return Add(std::move(node));
  }

  // Up to a ) or the end. Flags set inside end with it.
  uint32_t Choice() {
    const RegexFlags flags = flags_;
    RegexNode choice{Kind::kChoice};
    if (++depth_ > kDeepest) reader_.Refuse("is nested too deeply");
    do {
      choice.children.push_back(Sequence());
    } while (reader_.ok() && reader_.Skip('|'));
    --depth_;
    flags_ = flags;
    return choice.children.size() == 1 ? choice.children[0] : Add(std::move(choice));
  }

  uint32_t Sequence() {
    RegexNode sequence{Kind::kSequence};
    while (reader_.ok() && !reader_.at_end() && !reader_.IsNext('|') && !reader_.IsNext(')')) {
      if (const std::optional<uint32_t> atom = Atom()) {
        sequence.children.push_back(Repeated(*atom));
      }
    }
    return sequence.children.size() == 1 ? sequence.children[0] : Add(std::move(sequence));
  }

  // Nothing where only flags were set.
  std::optional<uint32_t> Atom() {
    const char32_t c = reader_.Next();
    switch (c) {
      case '(': return Group();
      case '[': {
        CharSet set;
        reader_.ReadClass(flags_, set);
        return AddSetNode(std::move(set));
      }
      case '.': {
        CharSet set;
        if (flags_.dot_takes_all) {
          set.AddRange(0, 0x10FFFF);
        } else {
          set.AddRange('\n', '\n');
          set.Negate();
        }
        return AddSetNode(std::move(set));
      }
      case '^': return Anchor(RegexAnchor::kLineBegin);
      case '$': return Anchor(RegexAnchor::kLineEnd);
      case '?':
      case '*':
      case '+': reader_.Malformed("repeats nothing"); return std::nullopt;
      case '\\': return Escape();
      default: return Character(c);
    }
  }

  uint32_t Anchor(RegexAnchor anchor) {
    RegexNode node{Kind::kAnchor};
    node.value = static_cast<uint32_t>(anchor);
    return Add(std::move(node));
  }

  uint32_t Character(char32_t c) {
    if (flags_.ignore_case) {
      CharSet set;
      reader_.AddChar(c, flags_, set);
      return AddSetNode(std::move(set));
    }
    RegexNode node{Kind::kChar};
    node.value = c;
    return Add(std::move(node));
  }

  uint32_t Escape() {
    if (reader_.Skip('A')) return Anchor(RegexAnchor::kTextBegin);
    if (reader_.Skip('z')) return Anchor(RegexAnchor::kTextEnd);
    if (reader_.Skip('Z')) return Anchor(RegexAnchor::kTextEndOrLastLine);
    if (reader_.Skip('b')) return Anchor(RegexAnchor::kWordBorder);
    if (reader_.Skip('B')) return Anchor(RegexAnchor::kNoWordBorder);
    CharSet set;
    if (reader_.ReadClassEscape(flags_, set)) return AddSetNode(std::move(set));
    return Character(reader_.ReadCharEscape());
  }

  std::optional<uint32_t> Group() {
    const bool at_begin = reader_.position() == 1;
    if (!reader_.Skip('?')) return Closed(Choice());
    if (reader_.Skip(':')) return Closed(Choice());
    if (reader_.Skip('=')) return Around(Kind::kLook, false);
    if (reader_.Skip('!')) return Around(Kind::kLook, true);
    if (reader_.Skip('>')) return Around(Kind::kAtomic, false);
    if (reader_.Skip('<')) {
      if (reader_.Skip('=')) return Behind(false);
      if (reader_.Skip('!')) return Behind(true);
      reader_.Refuse("names a group");
      return std::nullopt;
    }
    return Flags(at_begin);
  }

  uint32_t Closed(uint32_t node) {
    if (reader_.ok() && !reader_.Skip(')')) reader_.Malformed("has a ( that is not closed");
    return node;
  }

  uint32_t Around(Kind kind, bool negated) {
    RegexNode node{kind};
    node.negated = negated;
    node.children.push_back(Closed(Choice()));
    return Add(std::move(node));
  }

  uint32_t Behind(bool negated) {
    const uint32_t child = Closed(Choice());
    RegexNode node{Kind::kBehind};
    node.negated = negated;
    if (tree_.nodes[child].kind == Kind::kSet) {
      node.value = tree_.nodes[child].value;
    } else if (tree_.nodes[child].kind == Kind::kChar) {
      CharSet set;
      set.AddChar(tree_.nodes[child].value, false);
      node.value = AddSet(std::move(set));
    } else {
      reader_.Refuse("looks behind by more than one character");
    }
    return Add(std::move(node));
  }

  // (?i-m:…), or (?i) at the very beginning
  std::optional<uint32_t> Flags(bool at_begin) {
    const RegexFlags outer = flags_;
    bool on = true;
    while (reader_.ok() && !reader_.IsNext(':') && !reader_.IsNext(')')) {
      if (reader_.Skip('-')) {
        on = false;
      } else if (reader_.Skip('i')) {
        flags_.ignore_case = on;
      } else if (reader_.Skip('m')) {
        flags_.dot_takes_all = on;
      } else {
        reader_.Refuse("has a group of an unknown kind");
      }
    }
    if (reader_.Skip(')')) {
      if (!at_begin) reader_.Refuse("sets flags amid a group");
      return std::nullopt;
    }
    reader_.Skip(':');
    const uint32_t node = Closed(Choice());
    flags_ = outer;
    return node;
  }

  uint32_t Repeated(uint32_t atom) {
    while (reader_.ok()) {
      RegexNode loop{Kind::kLoop};
      bool counted = false;
      if (reader_.Skip('?')) {
        loop.max = 1;
      } else if (reader_.Skip('*')) {
        loop.max = kNoLimit;
      } else if (reader_.Skip('+')) {
        loop.min = 1;
        loop.max = kNoLimit;
      } else if (reader_.ReadCounts(loop.min, loop.max)) {
        counted = true;
        if (loop.min > loop.max || loop.min > kMostRepeats ||
            (loop.max != kNoLimit && loop.max > kMostRepeats)) {
          reader_.Refuse("has counts out of order or above 1000");
        }
      } else {
        return atom;
      }
      const Kind kind = tree_.nodes.empty() ? Kind::kSequence : tree_.nodes[atom].kind;
      if (kind == Kind::kAnchor || kind == Kind::kLook || kind == Kind::kBehind) {
        reader_.Refuse("repeats a place");
      }
      if (reader_.Skip('?')) {
        if (counted && loop.min == loop.max) reader_.Refuse("has {n}?");
        loop.mode = Mode::kLazy;
      } else if (!counted && reader_.Skip('+')) {
        loop.mode = Mode::kPossessive;
      }
      loop.children.push_back(atom);
      atom = Add(std::move(loop));
    }
    return atom;
  }

  RegexReader reader_;
  RegexTree tree_;
  RegexFlags flags_;
  int depth_ = 0;
};

}  // namespace

Result<RegexTree> ParseRegex(std::string_view pattern) { return RegexParser(pattern).Run(); }

}  // namespace pocketbert
