// Buckets of distances and rotary angles against the formulas of the papers.

#include "nn/position_tables.h"

#include <catch2/catch_amalgamated.hpp>

#include <cmath>

#include "reference/positions.h"

namespace pocketbert {
namespace {

TEST_CASE("MPNet's buckets") {
  for (int64_t distance = -700; distance <= 700; ++distance) {
    CAPTURE(distance);
    CHECK(RelativeBiasBucket(distance) == reference::BiasBucket(distance));
  }
  // Of transformers' MPNetEncoder.relative_position_bucket.
  CHECK(RelativeBiasBucket(0) == 0);
  CHECK(RelativeBiasBucket(-7) == 7);
  CHECK(RelativeBiasBucket(7) == 23);
  CHECK(RelativeBiasBucket(-11) == 8);
  CHECK(RelativeBiasBucket(-12) == 9);
  CHECK(RelativeBiasBucket(-16) == 10);
  CHECK(RelativeBiasBucket(64) == 30);
  CHECK(RelativeBiasBucket(-1000) == 15);
}

TEST_CASE("DeBERTa's rows of distances") {
  EncoderConfig config;
  for (const auto& [buckets, most] : {std::pair<size_t, size_t>{256, 512}, {6, 44}, {32, 64},
                                      {7, 60}, {0, 11}, {2, 512}}) {
    config.relative_buckets = buckets;
    config.relative_max_distance = most;
    CAPTURE(buckets, most);
    for (int64_t distance = -1200; distance <= 1200; ++distance) {
      CAPTURE(distance);
      CHECK(DisentangledRow(config, distance) == reference::DistanceRow(config, distance));
    }
  }
  // deberta-v3: 256 buckets each way; transformers' make_log_bucket_position gives these.
  config.relative_buckets = 256;
  config.relative_max_distance = 512;
  CHECK(DisentangledRow(config, 0) == 256);
  CHECK(DisentangledRow(config, 128) == 256 + 128);
  CHECK(DisentangledRow(config, -129) == 256 - 129);
  CHECK(DisentangledRow(config, 511) == 511);
  CHECK(DisentangledRow(config, -511) == 1);
  CHECK(DisentangledRow(config, -5000) == 0);
  CHECK(DistanceRowCount(config, 1) == 1);
  CHECK(DistanceRowCount(config, 10) == 19);
}

TEST_CASE("rotary tables: cosines and sines of position / theta^(2 i / d)") {
  EncoderConfig config{.hidden_size = 48, .embedding_size = 48, .heads = 3,
                       .max_positions = 4000};
  config.relative = RelativePositions::kRotary;
  config.position_table = false;
  config.rotary_theta = 160000;
  config.rotary_local_theta = 500;
  config.rotary_factor = 2;
  config.global_every = 3;
  Workspace workspace = Workspace::Create(PositionTableBytes(config, 4000)).value();
  const uint32_t offsets[] = {0, 4000};
  const std::vector<int32_t> ids(4000);
  const PositionTables tables = MakePositionTables(config, {}, {ids, {}, offsets}, workspace);
  CHECK(workspace.used() == workspace.capacity());
  REQUIRE(tables.rotary.rows == 4000);
  REQUIRE(tables.rotary_local.rows == 4000);
  for (size_t p = 0; p < 4000; p += 37) {
    for (size_t i = 0; i < 8; ++i) {
      for (const bool local : {false, true}) {
        const double theta = local ? 500 : 160000;
        const double angle = static_cast<double>(p) / std::pow(theta, i / 8.0) / 2;
        const std::span<const float> row = (local ? tables.rotary_local : tables.rotary).Row(p);
        // A float32 frequency, as the reference has it, is off by 6e-8 of itself.
        const double tolerance = 1e-7 + 1.5e-7 * angle;
        CHECK(std::abs(double{row[i]} - std::cos(angle)) <= tolerance);
        CHECK(std::abs(double{row[8 + i]} - std::sin(angle)) <= tolerance);
      }
    }
  }
}

TEST_CASE("NTK scaling") {
  CHECK(NtkRotaryFactor(8, 64) == static_cast<float>(std::pow(8.0, 2.0 / 64)));
  CHECK(NtkRotaryFactor(1, 64) == 1);
}

}  // namespace
}  // namespace pocketbert
