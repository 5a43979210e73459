#include "text/unigram.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace pocketbert {
namespace {

constexpr uint32_t kNoWay = UINT32_MAX;
// Beginnings of a text that are looked up at once.
constexpr size_t kProbes = 24;

}  // namespace

size_t Unigram::LongestAt(std::string_view text) const {
  if (text.size() <= kHeadBytes) return text.size();
  return std::clamp<size_t>(longest_[LengthSlot(text.data())], kHeadBytes,
                            text.size());
}

// Fills in the best way to each end of a character; false if an unknown one is needed and there is
// none.
bool Unigram::FindBest(std::string_view word, std::vector<UnigramNode>& nodes) const {
  nodes.assign(word.size() + 1, {0, kNoWay, -1});
  const auto offer = [&](size_t begin, size_t end, int32_t id, double score) {
    UnigramNode& node = nodes[end];
    if (node.begin != kNoWay && !(score > node.score)) return;
    node = {score, static_cast<uint32_t>(begin), id};
  };
  for (size_t begin = 0; begin < word.size();) {
    const double score = nodes[begin].score;
    const std::string_view rest = word.substr(begin);
    const char* next = rest.data();
    ReadUtf8(next);
    const auto one = static_cast<size_t>(next - rest.data());
    bool is_entry = false;
    // First which of the beginnings may be entries, then which are: see TextIndex::MayHave.
    TextKey key(rest.substr(0, LongestAt(rest)));
    while (key.size() >= one) {
      std::array<TextIndex::Probe, kProbes + 1> probes;
      size_t count = 0;
      for (; key.size() >= one && count < kProbes; key.Shorten()) {
        if (key.size() < rest.size() && IsContinuation(rest[key.size()])) continue;
        probes[count] = TextIndex::ProbeOf(key);
        count += vocabulary_.MayHave(probes[count]);
      }
      for (size_t i = 0; i < count; ++i) {
        const size_t size = probes[i].size;
        const int32_t id = vocabulary_.Find(probes[i], rest.substr(0, size));
        if (id < 0) continue;
        offer(begin, begin + size, id, scores_[static_cast<size_t>(id)] + score);
        is_entry = is_entry || size == one;
      }
    }
    if (!is_entry) {
      if (unk_id_ < 0 && nodes[begin + one].begin == kNoWay) return false;
      if (unk_id_ >= 0) offer(begin, begin + one, unk_id_, unknown_score_ + score);
    }
    begin += one;
  }
  return true;
}

// A run of unknown characters may by chance read as an entry; else it falls apart into bytes, if
// all have tokens.
void Unigram::AppendPiece(std::string_view word, uint32_t begin, uint32_t end,
                          std::vector<WordToken>& out) const {
  const std::string_view text = word.substr(begin, end - begin);
  const int32_t id = vocabulary_.Find(text);
  if (id >= 0) {
    out.push_back({id, begin, end});
    return;
  }
  const auto has_token = [&](char byte) { return byte_ids_[static_cast<uint8_t>(byte)] >= 0; };
  if (falls_back_to_bytes_ && std::all_of(text.begin(), text.end(), has_token)) {
    for (const char byte : text) out.push_back({byte_ids_[static_cast<uint8_t>(byte)], begin, end});
    return;
  }
  out.push_back({unk_id_, begin, end});
}

bool Unigram::Tokenize(std::string_view word, WordScratch& scratch,
                       std::vector<WordToken>& out) const {
  const auto size = static_cast<uint32_t>(word.size());
  const int32_t whole = size <= kLongestEntry ? vocabulary_.Find(word) : -1;
  if (whole >= 0 && whole_words_.Get(whole) == WholeWords::kWhole) {
    out.push_back({whole, 0, size});
    return true;
  }
  std::vector<UnigramNode>& nodes = scratch.nodes;
  if (!FindBest(word, nodes)) return false;
  // From the end back, runs of unknown characters joined; then turned round.
  const size_t before = out.size();
  for (uint32_t end = size; end > 0;) {
    const int32_t id = nodes[end].id;
    uint32_t begin = nodes[end].begin;
    while (id == unk_id_ && begin > 0 && nodes[begin].id == unk_id_) begin = nodes[begin].begin;
    if (id == unk_id_) {
      const size_t first = out.size();
      AppendPiece(word, begin, end, out);
      std::reverse(out.begin() + static_cast<ptrdiff_t>(first), out.end());
    } else {
      out.push_back({id, begin, end});
    }
    end = begin;
  }
  std::reverse(out.begin() + static_cast<ptrdiff_t>(before), out.end());
  if (whole >= 0) {
    const bool is_whole = out.size() == before + 1 && out.back().id == whole;
    whole_words_.Set(whole, is_whole ? WholeWords::kWhole : WholeWords::kParted);
  }
  return true;
}

}  // namespace pocketbert
