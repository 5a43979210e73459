#pragma once
// Rotary position embedding (Su et al. 2021): pairs of values turned by an angle.

#include <span>

namespace pocketbert {

// Turns every head of `row`, parts of 2 n values one after the other, where n = cosines.size(): for
// i < n
//   a = head[i], b = head[i + n]
//   head[i] = a cosines[i] - b sines[i], head[i + n] = b cosines[i] + a sines[i]
// each product and sum rounded by itself. row.size() is a multiple of 2 n.
void TurnHalves(std::span<const float> cosines, std::span<const float> sines,
                std::span<float> row);

}  // namespace pocketbert
