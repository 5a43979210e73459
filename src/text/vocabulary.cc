#include "text/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "text/compact_number.h"
#include "text/utf8.h"
#include "text/vocabulary_order.h"

namespace pocketbert {
namespace {

constexpr std::string_view kMagic = "PBVOCAB1";
constexpr size_t kHeaderBytes = 16;
constexpr size_t kMostTextBytes = 0x7FFFFFFF;

ErrorBox BadVocabulary(std::string_view name, const std::string& what) {
  return FormatError(Message(name) + ": " + what);
}

}  // namespace

size_t Vocabulary::ReadLongSize(const uint8_t*& at) {
  size_t size = 0;
  while (*at == kLongText) size += *at++;
  return size + *at++;
}

void Vocabulary::AppendPacked(std::string_view text, std::vector<uint8_t>& bytes) {
  size_t size = text.size();
  for (; size >= kLongText; size -= kLongText) bytes.push_back(kLongText);
  bytes.push_back(static_cast<uint8_t>(size));
  bytes.insert(bytes.end(), text.begin(), text.end());
}

void Vocabulary::AppendOwned(std::string_view text) {
  places_.push_back(static_cast<uint32_t>(owned_.size()));
  AppendPacked(text, owned_);
}

template <typename Wins>
Status Vocabulary::Index(const Wins& wins, std::string_view name) {
  texts_ = owned_;
  index_.Reset(id_limit());
  size_ = 0;
  for (size_t id = 0; id < id_limit(); ++id) {
    if (!Has(id)) continue;
    const TextIndex::Probe probe = TextIndex::ProbeOf(TextKey(Text(id)));
    const int32_t found = Enter(probe, id);
    if (found == TextIndex::kCrafted) {
      return BadVocabulary(name, "texts crafted to collide in a hash table are refused");
    }
    const auto earlier = static_cast<size_t>(found);
    if (earlier == id) {
      ++size_;
      continue;
    }
    const bool stays = wins(earlier, id);
    if (!stays) {
      index_.Replace(probe, static_cast<int32_t>(id),
                     [&](int32_t other) { return other == found; });
    }
    places_[stays ? id : earlier] = kGap;
  }
  return Done{};
}

Result<Vocabulary> Vocabulary::FromEntries(std::span<const VocabularyEntry> entries,
                                           std::string_view name) {
  size_t limit = 0;
  size_t bytes = 0;
  for (const VocabularyEntry& entry : entries) {
    if (entry.id >= kMostIds) {
      return BadVocabulary(name, "id " + std::to_string(entry.id) + " of \"" +
                                     std::string(entry.text.substr(0, 40)) +
                                     "\" is too large, expected less than " +
                                     std::to_string(kMostIds));
    }
    limit = std::max(limit, size_t{entry.id} + 1);
    bytes += entry.text.size();
  }
  if (bytes > kMostTextBytes) return BadVocabulary(name, "texts of 2 GB and more");
  std::vector<uint32_t> entry_of(limit, UINT32_MAX);  // by id
  for (size_t i = 0; i < entries.size(); ++i) {
    uint32_t& entry = entry_of[entries[i].id];
    if (entry != UINT32_MAX && entries[entry].text != entries[i].text) {
      return BadVocabulary(name, "id " + std::to_string(entries[i].id) + " is given to \"" +
                                     std::string(entries[entry].text.substr(0, 40)) +
                                     "\" and to \"" +
                                     std::string(entries[i].text.substr(0, 40)) + "\"");
    }
    entry = static_cast<uint32_t>(i);
  }
  Vocabulary vocabulary;
  vocabulary.owned_.reserve(bytes + bytes / kLongText + limit);
  vocabulary.places_.reserve(limit);
  for (size_t id = 0; id < limit; ++id) {
    if (entry_of[id] == UINT32_MAX) {
      vocabulary.places_.push_back(kGap);
    } else {
      vocabulary.AppendOwned(entries[entry_of[id]].text);
    }
  }
  const auto later_wins = [&](size_t a, size_t b) { return entry_of[a] > entry_of[b]; };
  PB_RETURN_IF_ERROR(vocabulary.Index(later_wins, name));
  return vocabulary;
}

Result<Vocabulary> Vocabulary::FromLines(std::string_view text, std::string_view name) {
  if (const size_t valid = ValidUtf8Prefix(text); valid < text.size()) {
    return BadVocabulary(name, "invalid UTF-8 at byte " + std::to_string(valid));
  }
  std::vector<VocabularyEntry> entries;
  while (!text.empty()) {
    const size_t feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    if (feed != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    entries.push_back({line, static_cast<uint32_t>(entries.size())});
  }
  return FromEntries(entries, name);
}

std::vector<uint8_t> Vocabulary::Serialize() const {
  std::vector<uint8_t> bytes(kMagic.begin(), kMagic.end());
  size_t text_bytes = 0;
  for (size_t id = 0; id < id_limit(); ++id) text_bytes += Has(id) ? Text(id).size() : 0;
  bytes.reserve(kHeaderBytes + 2 * id_limit() + text_bytes);
  AppendU32(bytes, static_cast<uint32_t>(id_limit()));
  AppendU32(bytes, static_cast<uint32_t>(text_bytes));
  for (size_t id = 0; id < id_limit(); ++id) {
    AppendNumber(bytes, static_cast<uint32_t>(Has(id) ? Text(id).size() + 1 : 0));
  }
  for (size_t id = 0; id < id_limit(); ++id) {
    if (!Has(id)) continue;
    const std::string_view text = Text(id);
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return bytes;
}

Result<Vocabulary> Vocabulary::FromBytes(std::span<const uint8_t> bytes) {
  constexpr std::string_view kName = "compiled vocabulary";
  if (bytes.size() >= kOrderedHeaderBytes &&
      std::memcmp(bytes.data(), kOrderedMagic.data(), kOrderedMagic.size()) == 0) {
    return FromOrderedBytes(bytes);
  }
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return BadVocabulary(kName, "does not begin with " + std::string(kMagic));
  }
  const size_t limit = ReadU32(bytes.data() + 8);
  const size_t text_bytes = ReadU32(bytes.data() + 12);
  std::span<const uint8_t> rest = bytes.subspan(kHeaderBytes);
  // Each id takes a byte at least, so a wrong count cannot ask for much memory.
  if (limit > kMostIds || limit > rest.size() || text_bytes > rest.size() - limit ||
      text_bytes > kMostTextBytes) {
    return BadVocabulary(kName, std::to_string(limit) + " ids and " + std::to_string(text_bytes) +
                                    " bytes of text do not fit into " +
                                    std::to_string(bytes.size()) + " bytes");
  }
  Vocabulary vocabulary;
  vocabulary.places_.reserve(limit);
  vocabulary.owned_.reserve(text_bytes + text_bytes / kLongText + limit);
  std::span<const uint8_t> texts = rest.last(text_bytes);
  rest = rest.first(rest.size() - text_bytes);
  for (size_t id = 0; id < limit; ++id) {
    uint32_t number;
    if (!ReadNumber(rest, number)) return BadVocabulary(kName, "ends within the lengths");
    if (number == 0) {
      vocabulary.places_.push_back(kGap);
      continue;
    }
    const size_t size = number - 1;
    if (size > texts.size()) return BadVocabulary(kName, "ends within the texts");
    vocabulary.AppendOwned({reinterpret_cast<const char*>(texts.data()), size});
    texts = texts.subspan(size);
  }
  if (!texts.empty() || !rest.empty()) {
    return BadVocabulary(kName, "more bytes follow the last text");
  }
  // The lengths are ASCII: if the whole is valid, each text is.
  if (!IsValidUtf8({reinterpret_cast<const char*>(vocabulary.owned_.data()),
                    vocabulary.owned_.size()})) {
    return BadVocabulary(kName, "a text is not valid UTF-8");
  }
  bool twice = false;
  const auto earlier_wins = [&](size_t, size_t) { return twice = true; };
  PB_RETURN_IF_ERROR(vocabulary.Index(earlier_wins, kName));
  if (twice) return BadVocabulary(kName, "a text stands there twice");
  return vocabulary;
}

}  // namespace pocketbert
