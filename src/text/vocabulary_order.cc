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

// One more than the others are long, or at the end.
[[gnu::noinline]] bool ReadLongStep(const uint8_t*& at, const uint8_t* end, uint32_t& step) {
  std::span<const uint8_t> bytes(at, end);
  const bool good = ReadNumber(bytes, step);
  at = bytes.data();
  return good;
}

}  // namespace

struct Vocabulary::OrderedReader {
  const uint8_t* step;  // of the next id
  const uint8_t* steps_end;
  const uint8_t* text;  // the next, with its length
  const uint8_t* texts_end;
  size_t left;       // entries
  uint32_t next_id;  // after the entry's before
};

std::vector<uint8_t> Vocabulary::SerializeOrdered() const {
  std::vector<uint32_t> ids;
  std::vector<uint8_t> regions(id_limit());
  for (size_t id = 0; id < id_limit(); ++id) {
    if (!Has(id)) continue;
    ids.push_back(static_cast<uint32_t>(id));
    regions[id] = static_cast<uint8_t>(TextIndex::RegionOf(TextIndex::ProbeOf(TextKey(Text(id)))));
  }
  std::vector<uint32_t> order = CountUp(ids.size());
  SortIndices(order, [&](uint32_t a, uint32_t b) { return regions[ids[a]] < regions[ids[b]]; });
  std::vector<uint8_t> texts;
  for (const uint32_t i : order) AppendPacked(Text(ids[i]), texts);
  std::vector<uint8_t> bytes(kOrderedMagic.begin(), kOrderedMagic.end());
  const auto limit = static_cast<uint32_t>(id_limit());
  AppendU32(bytes, limit);
  AppendU32(bytes, static_cast<uint32_t>(ids.size()));
  AppendU32(bytes, static_cast<uint32_t>(texts.size()));
  uint32_t next_id = 0;
  for (const uint32_t i : order) {
    AppendNumber(bytes, ids[i] >= next_id ? ids[i] - next_id : ids[i] + limit - next_id);
    next_id = ids[i] + 1;
  }
  bytes.insert(bytes.end(), texts.begin(), texts.end());
  return bytes;
}

Result<Vocabulary> Vocabulary::FromOrderedBytes(std::span<const uint8_t> bytes) {
  const uint32_t limit = ReadU32(bytes.data() + 8);
  const uint32_t count = ReadU32(bytes.data() + 12);
  const uint32_t text_bytes = ReadU32(bytes.data() + 16);
  bytes = bytes.subspan(kOrderedHeaderBytes);
  // Each entry takes two bytes at least, so a wrong count cannot ask for much memory; a largest id
  // can, but only so much.
  if (limit > kMostIds || count > limit || text_bytes > bytes.size() || count > text_bytes ||
      count > bytes.size() - text_bytes) {
    return BadOrder("its counts do not fit into its bytes");
  }
  Vocabulary vocabulary;
  vocabulary.texts_ = bytes.last(text_bytes);
  const uint8_t* const texts = vocabulary.texts_.data();
  // The lengths are ASCII: if the whole is valid, each text is.
  if (!IsValidUtf8({reinterpret_cast<const char*>(texts), text_bytes})) {
    return BadOrder("a text is not valid UTF-8");
  }
  vocabulary.places_.assign(limit, kGap);
  vocabulary.index_.Reset(count);
  vocabulary.size_ = count;
  OrderedReader reader = {bytes.data(), texts, texts, texts + text_bytes, count, 0};
  while (reader.left > 0) {
    PB_RETURN_IF_ERROR(vocabulary.EnterOrdered(reader, std::min(reader.left, kEntriesAtOnce)));
  }
  if (reader.text != reader.texts_end || reader.step != reader.steps_end) {
    return BadOrder("more bytes follow the last entry");
  }
  return vocabulary;
}

[[gnu::noinline]] Status Vocabulary::EnterOrdered(OrderedReader& reader, size_t count) {
  const uint8_t* step = reader.step;
  const uint8_t* text = reader.text;
  const auto limit = static_cast<uint32_t>(places_.size());
  uint32_t next_id = reader.next_id;
  for (size_t i = 0; i < count; ++i) {
    uint32_t id;
    if (reader.steps_end - step >= 2 && !(step[0] & step[1] & 0x80)) {
      // One byte or two, without a decision.
      const uint32_t more = step[0] >> 7;
      id = (step[0] & 0x7Fu) | step[1] * more << 7;
      step += 1 + more;
    } else if (!ReadLongStep(step, reader.steps_end, id)) {
      return BadOrder("ends within a number");
    }
    if (id >= limit - next_id) id -= limit;  // wraps round, and so below
    id += next_id;
    if (id >= limit || places_[id] != kGap) {
      return BadOrder("an id is too large or stands there twice");
    }
    const uint8_t* const begin = text;
    size_t size = 0;
    do {
      if (text == reader.texts_end) return BadOrder("a text is cut");
      size += *text;
    } while (*text++ == kLongText);
    if (size > static_cast<size_t>(reader.texts_end - text)) return BadOrder("a text is cut");
    places_[id] = static_cast<uint32_t>(begin - texts_.data());
    const std::string_view view(reinterpret_cast<const char*>(text), size);
    text += size;
    const TextKey key = TextKey::Before(view, reinterpret_cast<const char*>(reader.texts_end));
    const int32_t entered = Enter(TextIndex::ProbeOf(key), id);
    if (entered == TextIndex::kCrafted) {
      return BadOrder("texts crafted to collide in a hash table are refused");
    }
    if (static_cast<uint32_t>(entered) != id) return BadOrder("a text stands there twice");
    next_id = id + 1;
  }
  reader.step = step;
  reader.text = text;
  reader.next_id = next_id;
  reader.left -= count;
  return Done{};
}

}  // namespace pocketbert
