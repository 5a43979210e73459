// Values in a one-file model that no computation can use.

#include <catch2/catch_amalgamated.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/model_parts.h"

namespace pocketbert {
namespace {

using testing::Bytes;
using testing::Floats;
using testing::Opened;
using testing::Parts;
using testing::Refusal;
using testing::SoundParts;
using testing::kHidden;

TEST_CASE("values that are not finite, and scales that are not above 0, are refused by name") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const bool int8 : {true, false}) {
    Parts sound = SoundParts(int8);
    if (int8) {
      sound.tensors["encoder.layer.0.attention.self.input_scale"] = Floats({kHidden}, 3);
    }
    for (const auto& [name, tensor] : sound.tensors) {
      if (tensor.dtype != "F32") continue;
      const bool scale = name.ends_with("_scale");
      std::vector<float> bad = {std::nanf(""), -std::nanf(""), kInfinity, -kInfinity};
      if (scale) bad.insert(bad.end(), {0.0f, -0.0f, -1.0f});
      for (const float value : bad) {
        Parts parts = sound;
        Bytes& data = parts.tensors[name].data;
        std::memcpy(data.data() + data.size() - sizeof(value), &value, sizeof(value));
        for (const size_t pad : {0, 1}) {
          CHECK(Refusal(parts, "tensor " + name + " has a value that is not finite", pad).code ==
                ErrorCode::kFormat);
        }
      }
      // The largest and smallest numbers are numbers.
      for (const float value : {std::numeric_limits<float>::max(), 1e-45f}) {
        Parts parts = sound;
        std::memcpy(parts.tensors[name].data.data(), &value, sizeof(value));
        Opened(parts);
      }
    }
  }
}

}  // namespace
}  // namespace pocketbert
