// The form of large vocabularies.

#include "text/vocabulary_order.h"

#include <algorithm>

#include "base/sort.h"
#include "text/compact_number.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace pocketbert {
namespace {

// Entries that are entered by one call. Engines compile what is called often for speed, but not
// what loops for long.
constexpr size_t kEntriesAtOnce = 512;

ErrorBox BadOrder(const char* what) {
  return FormatError(Message("compiled vocabulary: ") + what);
}

}  // namespace

struct Vocabulary::OrderedReader {
  std::span<const uint8_t> lists;
  size_t left;       // entries
  uint32_t next_id;  // after the entry's before
  uint32_t begin;    // of the next text
};

std::vector<uint8_t> Vocabulary::SerializeOrdered() const {
  std::vector<uint32_t> ids;
  std::vector<uint8_t> regions(id_limit());
  size_t text_bytes = 0;
  for (size_t id = 0; id < id_limit(); ++id) {
    if (!Has(id)) continue;
    ids.push_back(static_cast<uint32_t>(id));
    regions[id] = static_cast<uint8_t>(TextIndex::RegionOf(TextIndex::ProbeOf(TextKey(Text(id)))));
    text_bytes += Text(id).size();
  }
  std::vector<uint32_t> order = CountUp(ids.size());
  SortIndices(order, [&](uint32_t a, uint32_t b) { return regions[ids[a]] < regions[ids[b]]; });
  std::vector<uint8_t> bytes(kOrderedMagic.begin(), kOrderedMagic.end());
  AppendU32(bytes, static_cast<uint32_t>(id_limit()));
  AppendU32(bytes, static_cast<uint32_t>(ids.size()));
  AppendU32(bytes, static_cast<uint32_t>(text_bytes));
  uint32_t next_id = 0;
  for (const uint32_t i : order) {
    AppendNumber(bytes, ZigzagOf(ids[i] - next_id));
    AppendNumber(bytes, static_cast<uint32_t>(Text(ids[i]).size()));
    next_id = ids[i] + 1;
  }
  for (const uint32_t i : order) {
    const std::string_view text = Text(ids[i]);
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return bytes;
}

Result<Vocabulary> Vocabulary::FromOrderedBytes(std::span<const uint8_t> bytes) {
  const uint32_t limit = ReadU32(bytes.data() + 8);
  const uint32_t count = ReadU32(bytes.data() + 12);
  const uint32_t text_bytes = ReadU32(bytes.data() + 16);
  bytes = bytes.subspan(kOrderedHeaderBytes);
  // Each entry takes two bytes at least, so a wrong count cannot ask for much memory; a largest id
  // can, but only so much.
  if (limit > kMostIds || count > limit || text_bytes > bytes.size() ||
      2 * size_t{count} > bytes.size() - text_bytes) {
    return BadOrder("its counts do not fit into its bytes");
  }
  Vocabulary vocabulary;
  const std::span<const uint8_t> texts = bytes.last(text_bytes);
  vocabulary.texts_.assign(reinterpret_cast<const char*>(texts.data()), texts.size());
  if (!IsValidUtf8(vocabulary.texts_)) return BadOrder("a text is not valid UTF-8");
  vocabulary.places_.assign(limit, {0, kGap});
  vocabulary.index_.Reset(count);
  vocabulary.size_ = count;
  OrderedReader reader = {bytes.first(bytes.size() - text_bytes), count, 0, 0};
  while (reader.left > 0) {
    PB_RETURN_IF_ERROR(vocabulary.EnterOrdered(reader, std::min(reader.left, kEntriesAtOnce)));
  }
  if (reader.begin != text_bytes || !reader.lists.empty()) {
    return BadOrder("more bytes follow the last entry");
  }
  return vocabulary;
}

[[gnu::noinline]] Status Vocabulary::EnterOrdered(OrderedReader& reader, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t step, size;
    if (!ReadNumber(reader.lists, step) || !ReadNumber(reader.lists, size)) {
      return BadOrder("ends within a number");
    }
    const uint32_t id = reader.next_id + FromZigzag(step);
    if (id >= places_.size() || places_[id].size != kGap) {
      return BadOrder("an id is too large or stands there twice");
    }
    // Valid as a whole, and none begins within a character: then each text is.
    if (size > texts_.size() - reader.begin ||
        (reader.begin < texts_.size() && IsContinuation(texts_[reader.begin]))) {
      return BadOrder("a text is cut");
    }
    places_[id] = {reader.begin, size};
    const std::string_view text = Text(id);
    const TextIndex::Probe probe = TextIndex::ProbeOf(TextKey(text));
    if (MayHave(probe) && Find(probe, text) >= 0) return BadOrder("a text stands there twice");
    if (!index_.Insert(probe, static_cast<int32_t>(id))) {
      return BadOrder("texts crafted to collide in a hash table are refused");
    }
    reader.begin += size;
    reader.next_id = id + 1;
  }
  reader.left -= count;
  return Done{};
}

}  // namespace pocketbert
