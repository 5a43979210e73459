#include "text/model_data.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "text/compact_number.h"

namespace pocketbert {
namespace {

constexpr std::string_view kMagic = "PBPARTS1";

enum PartKind : uint32_t { kVocabulary = 1, kFloatScores, kDoubleScores, kMerges, kCharsmap };

ErrorBox BadPart(const char* what) { return FormatError(Message("compiled tokenizer: ") + what); }

// Takes `count` bytes off the front; false if there are not as many.
bool TakeBytes(std::span<const uint8_t>& bytes, size_t count, std::span<const uint8_t>& taken) {
  if (count > bytes.size()) return false;
  taken = bytes.first(count);
  bytes = bytes.subspan(count);
  return true;
}

bool TakeU32(std::span<const uint8_t>& bytes, uint32_t& value) {
  std::span<const uint8_t> taken;
  if (!TakeBytes(bytes, 4, taken)) return false;
  value = ReadU32(taken.data());
  return true;
}

// Some of the scores at a time, for the reason told in vocabulary_order.cc.
[[gnu::noinline]] bool ReadSomeScores(std::span<const uint8_t>& bytes, uint32_t& bits,
                                      std::vector<double>& scores) {
  std::span<const uint8_t> rest = bytes;
  uint32_t sum = bits;
  for (int i = 0; i < 1024 && !rest.empty(); ++i) {
    uint32_t step = rest[0];
    if (step < 0x80) {
      rest = rest.subspan(1);
    } else {
      if (!ReadNumber(bytes = rest, step)) return false;
      rest = bytes;
    }
    sum += FromZigzag(step);
    const float score = std::bit_cast<float>(sum);
    if (!std::isfinite(score)) return false;
    scores.push_back(score);
  }
  bytes = rest;
  bits = sum;
  return true;
}

Status ReadFloatScores(std::span<const uint8_t> bytes, std::vector<double>& scores) {
  uint32_t bits = 0;
  scores.reserve(bytes.size());  // each takes a byte at least, and few more
  while (!bytes.empty()) {
    if (!ReadSomeScores(bytes, bits, scores)) return BadPart("a score is no finite number");
  }
  return Done{};
}

Status ReadDoubleScores(std::span<const uint8_t> bytes, std::vector<double>& scores) {
  if (bytes.size() % sizeof(double) != 0) return BadPart("scores end within a number");
  scores.resize(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(scores.data(), bytes.data(), bytes.size());
  for (const double score : scores) {
    if (!std::isfinite(score)) return BadPart("a score is no finite number");
  }
  return Done{};
}

Status ReadMerges(std::span<const uint8_t> bytes, std::vector<BpeMerge>& merges) {
  uint32_t expected = 0;
  while (!bytes.empty()) {
    uint32_t left, right, step;
    if (!ReadNumber(bytes, left) || !ReadNumber(bytes, right) || !ReadNumber(bytes, step)) {
      return BadPart("merges end within a number");
    }
    const uint32_t result = expected + FromZigzag(step);
    merges.push_back({static_cast<int32_t>(left), static_cast<int32_t>(right),
                      static_cast<int32_t>(result)});
    expected = result + 1;
  }
  return Done{};
}

Status ReadPart(uint32_t kind, std::span<const uint8_t> bytes, ModelData& data) {
  switch (kind) {
    case kVocabulary: {
      PB_ASSIGN_OR_RETURN(data.vocabulary, Vocabulary::FromBytes(bytes));
      return Done{};
    }
    case kFloatScores: return ReadFloatScores(bytes, data.scores);
    case kDoubleScores: return ReadDoubleScores(bytes, data.scores);
    case kMerges: return ReadMerges(bytes, data.merges);
    case kCharsmap:
      data.charsmaps.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return Done{};
    default: return BadPart("a part is of an unknown kind");
  }
}

Status CheckIds(const ModelData& data) {
  const auto has = [&](int32_t id) {
    return id >= 0 && data.vocabulary.Has(static_cast<size_t>(id));
  };
  for (const BpeMerge& merge : data.merges) {
    if (!has(merge.left) || !has(merge.right) || !has(merge.result)) {
      return BadPart("a merge has an id that is not in the vocabulary");
    }
  }
  if (!data.scores.empty() && data.scores.size() != data.vocabulary.id_limit()) {
    return BadPart("there is not one score for each id");
  }
  return Done{};
}

void AppendPart(PartKind kind, const std::vector<uint8_t>& part, std::vector<uint8_t>& bytes) {
  AppendU32(bytes, kind);
  AppendU32(bytes, static_cast<uint32_t>(part.size()));
  bytes.insert(bytes.end(), part.begin(), part.end());
}

std::vector<uint8_t> WriteFloatScores(std::span<const double> scores) {
  std::vector<uint8_t> bytes;
  uint32_t before = 0;
  for (const double score : scores) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(score));
    AppendNumber(bytes, ZigzagOf(bits - before));
    before = bits;
  }
  return bytes;
}

std::vector<uint8_t> WriteDoubleScores(std::span<const double> scores) {
  std::vector<uint8_t> bytes(scores.size_bytes());
  std::memcpy(bytes.data(), scores.data(), bytes.size());
  return bytes;
}

bool FitFloats(std::span<const double> scores) {
  for (const double score : scores) {
    if (std::fabs(score) > 3e38 || static_cast<double>(static_cast<float>(score)) != score) {
      return false;
    }
  }
  return true;
}

std::vector<uint8_t> WriteMerges(std::span<const BpeMerge> merges) {
  std::vector<uint8_t> bytes;
  uint32_t expected = 0;
  for (const BpeMerge& merge : merges) {
    AppendNumber(bytes, static_cast<uint32_t>(merge.left));
    AppendNumber(bytes, static_cast<uint32_t>(merge.right));
    AppendNumber(bytes, ZigzagOf(static_cast<uint32_t>(merge.result) - expected));
    expected = static_cast<uint32_t>(merge.result) + 1;
  }
  return bytes;
}

}  // namespace

Result<ModelData> ModelData::FromBytes(std::span<const uint8_t> bytes) {
  ModelData data;
  if (bytes.size() < kMagic.size() ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    PB_ASSIGN_OR_RETURN(data.vocabulary, Vocabulary::FromBytes(bytes));
    return data;
  }
  bytes = bytes.subspan(kMagic.size());
  uint32_t count = 0;
  if (!TakeU32(bytes, count)) return BadPart("ends too early");
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t kind, size;
    std::span<const uint8_t> part;
    if (!TakeU32(bytes, kind) || !TakeU32(bytes, size) || !TakeBytes(bytes, size, part)) {
      return BadPart("ends too early");
    }
    PB_RETURN_IF_ERROR(ReadPart(kind, part, data));
  }
  if (!bytes.empty()) return BadPart("more bytes follow the last part");
  PB_RETURN_IF_ERROR(CheckIds(data));
  return data;
}

std::vector<uint8_t> SerializeModel(const ModelParts& parts) {
  const bool scores = !parts.scores.empty();
  const bool merges = !parts.merges.empty();
  if (!scores && !merges && parts.charsmaps.empty()) return parts.vocabulary.Serialize();
  std::vector<uint8_t> bytes(kMagic.begin(), kMagic.end());
  AppendU32(bytes, static_cast<uint32_t>(1 + scores + merges + parts.charsmaps.size()));
  AppendPart(kVocabulary, parts.vocabulary.SerializeOrdered(), bytes);
  if (scores && FitFloats(parts.scores)) {
    AppendPart(kFloatScores, WriteFloatScores(parts.scores), bytes);
  } else if (scores) {
    AppendPart(kDoubleScores, WriteDoubleScores(parts.scores), bytes);
  }
  if (merges) AppendPart(kMerges, WriteMerges(parts.merges), bytes);
  for (const std::string_view charsmap : parts.charsmaps) {
    AppendPart(kCharsmap, {charsmap.begin(), charsmap.end()}, bytes);
  }
  return bytes;
}

}  // namespace pocketbert
