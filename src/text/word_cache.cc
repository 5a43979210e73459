#include "text/word_cache.h"

namespace pocketbert {
namespace {

// What was taken over is left where it is; all is forgotten when there is this much.
constexpr size_t kMostTokens = size_t{1} << 16;

}  // namespace

void WordCache::Clear() {
  slots_.assign(slots_.size(), {});
  texts_.clear();
  tokens_.clear();
}

void WordCache::Put(const Place& place, std::string_view word, std::span<const WordToken> tokens) {
  if (tokens_.size() + tokens.size() > kMostTokens) Clear();
  Slot& slot = slots_[place.slot];
  slot = {place.key, static_cast<uint32_t>(texts_.size()), static_cast<uint32_t>(tokens_.size()),
          static_cast<uint32_t>(tokens.size()), static_cast<uint32_t>(word.size())};
  if (word.size() > 8) texts_.append(word);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

}  // namespace pocketbert
