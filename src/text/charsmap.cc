#include "text/charsmap.h"

#include <cstring>
#include <utility>

#include "text/clusters.h"
#include "text/normal_forms.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

// Clusters of as many bytes and more are looked up by characters.
constexpr size_t kLongCluster = 6;

constexpr uint32_t kHasLeaf = 1u << 8;
constexpr uint32_t kWide = 1u << 9;
constexpr uint32_t kLabelBits = 1u << 31 | 0xFF;

size_t OffsetOf(uint32_t unit) { return size_t{unit >> 10} << (unit & kWide ? 8 : 0); }

// Writes the outcome with places as the reference gives them: a replaced text's characters take
// over one source character each; of further ones each has the place of the one before, and what
// source characters are left over counts to the character written last, even if that one was
// a further one until then. Left over at the very beginning they are forgotten, so that all later
// places slide.
class CharsmapWriter {
 public:
  CharsmapWriter(const AlignedText& in, AlignedText& out) : in_(in), out_(out) {}

  // Bytes [begin, end) of the input stay.
  void Copy(size_t begin, size_t end) {
    Flush();
    if (aligner_.is_done()) {
      out_.Reserve(end - begin);
      out_.WriteFrom(in_, begin, end);
      aligner_.Copied(in_.sources()[end - 1]);
    } else {
      const char* at = in_.bytes() + begin;
      while (at < in_.bytes() + end) {
        aligner_.Take(in_.sources()[at - in_.bytes()]);
        out_.Append(ReadUtf8(at), aligner_.Next(0));
      }
    }
    written_ = true;
  }

  void Replace(size_t begin, size_t end, std::string_view image) {
    size_t old_chars = 0;
    for (size_t i = begin; i < end; ++i) {
      if (IsContinuation(in_.bytes()[i])) continue;
      aligner_.Take(in_.sources()[i]);
      ++old_chars;
    }
    size_t written = 0;
    for (const char* at = image.data(); at < image.data() + image.size(); ++written) {
      Put(ReadUtf8(at), written >= old_chars);
    }
    if (written < old_chars) LeaveOut(old_chars - written);
  }

  void Flush() {
    if (held_) out_.Append(held_char_, aligner_.Next(1));
    held_ = false;
  }

 private:
  void Put(char32_t c, bool further) {
    Flush();
    held_ = further;
    held_char_ = c;
    written_ = true;
    if (!further) out_.Append(c, aligner_.Next(0));
  }

  void LeaveOut(size_t count) {
    if (held_) {
      out_.Append(held_char_, aligner_.Next(1 - static_cast<int32_t>(count)));
      held_ = false;
    } else if (written_) {
      aligner_.Skip(count);
    }
  }

  const AlignedText& in_;
  AlignedText& out_;
  FormAligner aligner_;
  bool written_ = false;
  bool held_ = false;  // a further character waits, as its place may change
  char32_t held_char_ = 0;
};

}  // namespace

uint32_t Charsmap::Unit(size_t place) const {
  if (place >= units_) return 0;
  uint32_t unit;
  std::memcpy(&unit, bytes_.data() + 4 + 4 * place, 4);
  return unit;
}

Result<Charsmap> Charsmap::FromBytes(std::string bytes, const std::string& name) {
  Charsmap map;
  uint32_t trie_bytes = 0;
  if (bytes.size() >= 4) std::memcpy(&trie_bytes, bytes.data(), 4);
  if (bytes.size() < 4 || trie_bytes % 4 != 0 || trie_bytes > bytes.size() - 4) {
    return FormatError(Message(name) + " has " + bytes.size() + " bytes and a trie of " +
                       trie_bytes + ", expected a multiple of 4 that fits in");
  }
  map.bytes_ = std::move(bytes);
  map.units_ = trie_bytes / 4;
  map.images_ = 4 + size_t{trie_bytes};
  if (!IsValidUtf8(std::string_view(map.bytes_).substr(map.images_))) {
    return FormatError(Message(name) + " has images that are not valid UTF-8");
  }
  for (size_t c = 0; c < map.plain_.size(); ++c) {
    const char byte = static_cast<char>(c);
    map.plain_[c] = !map.ImageOf({&byte, 1});
  }
  return map;
}

std::optional<std::string_view> Charsmap::ImageOf(std::string_view text) const {
  size_t place = OffsetOf(Unit(0));
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte == 0) return std::nullopt;
    place ^= byte;
    const uint32_t unit = Unit(place);
    if ((unit & kLabelBits) != byte) return std::nullopt;
    place ^= OffsetOf(unit);
    if (!(unit & kHasLeaf)) continue;
    const size_t image = images_ + (Unit(place) & 0x7FFFFFFF);
    if (image > bytes_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(bytes_).substr(image);
    if (!rest.empty() && IsContinuation(rest[0])) return std::nullopt;
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

bool Charsmap::MayBeginPart(char32_t c) const {
  const auto part = static_cast<ClusterPart>(CharTables::Get().cluster_parts[c]);
  if (part == ClusterPart::kJoins || part == ClusterPart::kLinker || c == '\n') return false;
  char bytes[4];
  const std::optional<std::string_view> image = ImageOf({bytes, WriteUtf8(c, bytes)});
  return !image || !image->empty();
}

void Charsmap::Append(const AlignedText& in, AlignedText& out) const {
  out.Reserve(in.size());
  CharsmapWriter writer(in, out);
  const std::string_view text = in.text();
  const ClusterWalker clusters(text);
  const auto is_ascii = [&](size_t i) { return static_cast<uint8_t>(text[i]) < 0x80; };
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    // No two ASCII characters are one cluster but CR LF.
    while (end < text.size() && is_ascii(end) && plain_[static_cast<uint8_t>(text[end])] &&
           (end + 1 == text.size() || (is_ascii(end + 1) && text[end] != '\r'))) {
      ++end;
    }
    if (end > at) {
      writer.Copy(at, end);
      at = end;
      continue;
    }
    end = clusters.EndOf(at);
    if (end - at < kLongCluster) {
      if (const auto image = ImageOf(text.substr(at, end - at))) {
        writer.Replace(at, end, *image);
        at = end;
        continue;
      }
    }
    while (at < end) {
      const char* next = text.data() + at;
      ReadUtf8(next);
      const auto after = static_cast<size_t>(next - text.data());
      if (const auto image = ImageOf(text.substr(at, after - at))) {
        writer.Replace(at, after, *image);
      } else {
        writer.Copy(at, after);
      }
      at = after;
    }
  }
  writer.Flush();
}

}  // namespace pocketbert
