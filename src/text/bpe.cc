#include "text/bpe.h"

#include <algorithm>
#include <utility>

#include "text/byte_level.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

// As many symbols are searched one by one.
constexpr size_t kFew = 48;

bool IsLater(const BpeCandidate& a, const BpeCandidate& b) {
  return a.rank_and_place > b.rank_and_place;
}

void PushCandidate(BpeCandidate candidate, std::vector<BpeCandidate>& heap) {
  size_t at = heap.size();
  heap.push_back(candidate);
  for (; at > 0 && IsLater(heap[(at - 1) / 2], candidate); at = (at - 1) / 2) {
    heap[at] = heap[(at - 1) / 2];
  }
  heap[at] = candidate;
}

BpeCandidate PopCandidate(std::vector<BpeCandidate>& heap) {
  const BpeCandidate first = heap[0];
  const BpeCandidate last = heap.back();
  heap.pop_back();
  if (heap.empty()) return first;
  size_t at = 0;
  for (size_t child = 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && IsLater(heap[child], heap[child + 1])) ++child;
    if (!IsLater(last, heap[child])) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}

}  // namespace

// The merge of the symbol at `at` with the one behind it.
void Bpe::Rank(std::vector<BpeSymbol>& symbols, size_t at) const {
  BpeSymbol& symbol = symbols[at];
  const MergeTable::Merge merge = at + 1 < symbols.size()
                                      ? table_.Find(symbol.id, symbols[at + 1].id)
                                      : MergeTable::Merge{};
  symbol.rank = merge.rank;
  symbol.result = merge.result;
}

void Bpe::MergeFew(std::vector<BpeSymbol>& symbols) const {
  for (size_t i = 0; i < symbols.size(); ++i) Rank(symbols, i);
  while (symbols.size() > 1) {
    size_t best = 0;
    for (size_t i = 1; i < symbols.size(); ++i) {
      if (symbols[i].rank < symbols[best].rank) best = i;
    }
    if (symbols[best].rank == MergeTable::kNoRank) return;
    symbols[best].id = symbols[best].result;
    symbols[best].size += symbols[best + 1].size;
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
    Rank(symbols, best);
    if (best > 0) Rank(symbols, best - 1);
  }
}

void Bpe::MergeMany(WordScratch& scratch) const {
  std::vector<BpeSymbol>& symbols = scratch.symbols;
  std::vector<BpeCandidate>& heap = scratch.candidates;
  heap.clear();
  const auto count = static_cast<int32_t>(symbols.size());
  const auto consider = [&](int32_t at) {
    BpeSymbol& symbol = symbols[static_cast<size_t>(at)];
    symbol.result = -1;
    if (symbol.after < 0) return;
    const MergeTable::Merge merge =
        table_.Find(symbol.id, symbols[static_cast<size_t>(symbol.after)].id);
    symbol.result = merge.result;
    if (merge.rank == MergeTable::kNoRank) return;
    PushCandidate({uint64_t{merge.rank} << 32 | static_cast<uint32_t>(at), merge.result}, heap);
  };
  for (int32_t i = 0; i < count; ++i) {
    symbols[static_cast<size_t>(i)].before = i - 1;
    symbols[static_cast<size_t>(i)].after = i + 1 < count ? i + 1 : -1;
  }
  for (int32_t i = 0; i < count; ++i) consider(i);
  while (!heap.empty()) {
    const BpeCandidate next = PopCandidate(heap);
    const auto at = static_cast<int32_t>(next.rank_and_place & 0xFFFFFFFF);
    BpeSymbol& symbol = symbols[static_cast<size_t>(at)];
    // Either symbol may have changed since.
    if (symbol.size == 0 || symbol.result != next.result) continue;
    BpeSymbol& right = symbols[static_cast<size_t>(symbol.after)];
    symbol.id = next.result;
    symbol.size += right.size;
    right.size = 0;
    symbol.after = right.after;
    if (symbol.after >= 0) symbols[static_cast<size_t>(symbol.after)].before = at;
    consider(at);
    if (symbol.before >= 0) consider(symbol.before);
  }
  std::erase_if(symbols, [](const BpeSymbol& symbol) { return symbol.size == 0; });
}

// One character with its prefix and suffix; it is `size` bytes of the word. False if the unknown
// token is missing.
bool Bpe::StartChar(std::string_view text, uint32_t size, Unknown& unknown,
                    std::vector<BpeSymbol>& symbols) const {
  const auto add = [&](int32_t id, uint32_t bytes) {
    symbols.push_back({id, bytes, MergeTable::kNoRank, -1, -1, -1});
  };
  const int32_t id = vocabulary_.Find(text);
  if (id >= 0) {
    if (unknown.waits) add(unk_id_, unknown.size);
    unknown = {};
    add(id, size);
    return true;
  }
  const auto has_token = [&](char byte) { return byte_ids_[static_cast<uint8_t>(byte)] >= 0; };
  if (falls_back_to_bytes_ && std::all_of(text.begin(), text.end(), has_token)) {
    // As in the reference, an unknown token that waits goes on waiting.
    for (const char byte : text) add(byte_ids_[static_cast<uint8_t>(byte)], 1);
    return true;
  }
  if (!needs_unknown_) return true;
  if (unk_id_ < 0) return false;
  if (unknown.waits && !fuses_unknown_) {
    add(unk_id_, unknown.size);
    unknown.size = 0;
  }
  unknown = {true, unknown.size + size};
  return true;
}

// The symbols that `word` begins as.
bool Bpe::Start(std::string_view word, WordScratch& scratch) const {
  std::vector<BpeSymbol>& symbols = scratch.symbols;
  symbols.clear();
  const bool plain = prefix_.empty() && suffix_.empty();
  Unknown unknown;
  const char* at = word.data();
  const char* const end = at + word.size();
  while (at < end) {
    const char* const begin = at;
    if (byte_level_) {
      const auto byte = static_cast<uint8_t>(*at++);
      if (plain && !unknown.waits && start_ids_[byte] >= 0) {
        symbols.push_back({start_ids_[byte], 1, MergeTable::kNoRank, -1, -1, -1});
        continue;
      }
    } else {
      ReadUtf8(at);
    }
    std::string& text = scratch.text;
    text.clear();
    if (begin > word.data()) text = prefix_;
    if (byte_level_) {
      char bytes[4];
      text.append(bytes, WriteUtf8(ByteChar(static_cast<uint8_t>(*begin)), bytes));
    } else {
      text.append(begin, at);
    }
    if (at == end) text.append(suffix_);
    if (!StartChar(text, static_cast<uint32_t>(at - begin), unknown, symbols)) return false;
  }
  if (unknown.waits) {
    symbols.push_back({unk_id_, unknown.size, MergeTable::kNoRank, -1, -1, -1});
  }
  return true;
}

int32_t Bpe::FindWhole(std::string_view word) const {
  if (!byte_level_) return vocabulary_.Find(word);
  return bytes_index_.Find(TextKey(word), [&](int32_t id) {
    return AreCharsOf(vocabulary_.Text(static_cast<size_t>(id)), word);
  });
}

bool Bpe::Tokenize(std::string_view word, WordScratch& scratch,
                   std::vector<WordToken>& out) const {
  const auto size = static_cast<uint32_t>(word.size());
  const int32_t whole = FindWhole(word);
  if (whole >= 0 && (ignores_merges_ || whole_words_.Get(whole) == WholeWords::kWhole)) {
    out.push_back({whole, 0, size});
    return true;
  }
  if (!Start(word, scratch)) return false;
  std::vector<BpeSymbol>& symbols = scratch.symbols;
  if (symbols.size() <= kFew) {
    MergeFew(symbols);
  } else {
    MergeMany(scratch);
  }
  if (whole >= 0) {
    const bool is_whole = symbols.size() == 1 && symbols[0].id == whole && symbols[0].size == size;
    whole_words_.Set(whole, is_whole ? WholeWords::kWhole : WholeWords::kParted);
  }
  // Where characters were dropped, all that follows slides to the left; bytes of a suffix may make
  // the symbols longer than the word.
  uint32_t at = 0;
  for (const BpeSymbol& symbol : symbols) {
    const uint32_t end = std::min(at + symbol.size, size);
    out.push_back({symbol.id, std::min(at, size - 1), std::max(end, 1u)});
    at = end;
  }
  return true;
}

}  // namespace pocketbert
