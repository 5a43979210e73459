#include "nn/linear.h"

#include <catch2/catch_amalgamated.hpp>

#include <array>

#include "reference/compare.h"
#include "reference/tiny_model.h"

using pocketbert::LinearScratch;
using pocketbert::LinearTask;
using pocketbert::LinearWeights;
using pocketbert::LinearWorkspaceBytes;
using pocketbert::RowBlock;
using pocketbert::Session;
using pocketbert::TensorSpec;
using pocketbert::ThreadPool;
using pocketbert::Workspace;
using reference::CountDifferentBits;
using reference::EncoderTwin;
using reference::Matrix;
using reference::NamedTensors;
using reference::Random;
using reference::StridedMatrix;
using reference::TensorBinder;
using reference::TensorMaker;

namespace {

// Maps named a, b, c of the same input, with outputs of different widths.
struct ThreeMaps {
  static constexpr std::array<const char*, 3> kNames = {"a", "b", "c"};
  NamedTensors tensors;
  TensorBinder binder{tensors};
  std::array<LinearWeights, 3> maps;

  ThreeMaps(size_t inputs, size_t group_size, bool with_bias) {
    TensorMaker maker(tensors, group_size, 100);
    const std::array<size_t, 3> outputs = {40, 3, 17};
    for (size_t i = 0; i < 3; ++i) {
      VisitLinear(kNames[i], "shared.input_scale", {outputs[i], inputs}, maps[i], maker);
    }
    for (size_t i = 0; i < 3; ++i) {
      VisitLinear(kNames[i], "shared.input_scale", {outputs[i], inputs}, maps[i], binder);
      if (!with_bias) maps[i].bias = {};
    }
  }
};

}  // namespace

TEST_CASE("linear maps equal the twin for every number of rows and threads") {
  const pocketbert::EncoderConfig config;
  for (size_t group_size : {0, 32, 128}) {
    for (size_t inputs : {1, 37, 150}) {
      ThreeMaps maps(inputs, group_size, true);
      const EncoderTwin<float> twin(config, maps.tensors);
      for (size_t threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        Session session{Workspace::Create(LinearWorkspaceBytes(inputs, threads)).value(), &pool};
        for (size_t rows : {1, 2, 3, 4, 5, 8, 9, 31, 65, 140}) {
          Workspace::Scope scope(session.workspace);
          Random random(101);
          const Matrix<float> x = random.FloatMatrix(rows, inputs, 2);
          StridedMatrix input(x, 1);
          std::vector<StridedMatrix> outputs;
          for (const LinearWeights& map : maps.maps) {
            outputs.emplace_back(Matrix<float>(rows, map.outputs()), 2);
          }
          std::vector<LinearTask> tasks;
          for (size_t i = 0; i < 3; ++i) tasks.push_back({&maps.maps[i], outputs[i].view()});
          const LinearScratch scratch = MakeLinearScratch(inputs, session);
          ParallelRows(pool, rows, [&](const RowBlock& block) {
            LinearRows(tasks, input.view(), block, scratch);
          });

          CAPTURE(group_size, inputs, threads, rows);
          for (size_t i = 0; i < 3; ++i) {
            const Matrix<float> expected =
                twin.Linear(ThreeMaps::kNames[i], "shared.input_scale", x);
            CHECK(CountDifferentBits(outputs[i].Dense().values, expected.values) == 0);
            CHECK(outputs[i].GuardsIntact());
          }
        }
      }
    }
  }
}

TEST_CASE("a map without a bias, and no rows at all") {
  for (size_t group_size : {0, 64}) {
    ThreeMaps maps(24, group_size, false);
    for (const char* name : ThreeMaps::kNames) {
      auto& bias = maps.tensors.f32.at(std::string(name) + ".bias").values;
      std::fill(bias.begin(), bias.end(), 0.0f);
    }
    const pocketbert::EncoderConfig config;
    Random random(102);
    Matrix<float> x = random.FloatMatrix(6, 24);
    Matrix<float> y(6, 40);
    ThreadPool pool(2);
    Session session{Workspace::Create(LinearWorkspaceBytes(24, 2)).value(), &pool};
    RunLinear(maps.maps[0], x.view(), y.view(), session);
    const Matrix<float> expected =
        EncoderTwin<float>(config, maps.tensors).Linear("a", "shared.input_scale", x);
    CHECK(reference::GreatestError<float>(y.values, expected.values) == 0);
    RunLinear(maps.maps[0], x.view().Rows(0, 0), y.view().Rows(0, 0), session);
  }
}
