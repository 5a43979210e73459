#include "tasks/token_windows.h"

#include <catch2/catch_amalgamated.hpp>

#include "tasks/answer.h"
#include "tasks/embed_parts.h"
#include "tasks/fixture.h"
#include "tasks/tag_entities.h"

namespace pocketbert {
namespace {

std::string Repeat(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

const std::string kLong = Repeat("anna smith met li in new york . ", 40);

WindowQueue Cut(Opened& opened, const std::vector<TextPair>& texts, const WindowOptions& options) {
  auto queue = CutIntoWindows(opened.model, opened.session, {texts, 3}, options);
  if (!queue.ok()) FAIL(queue.error().message);
  return std::move(queue).value();
}

TEST_CASE("windows are taken off in order, as many at once as fit a batch") {
  Opened opened = Open(Fixture("ner"));
  const size_t most = opened.session.max_batch_tokens;
  const std::vector<TextPair> texts = {{kLong, {}}, {"anna", {}}};
  WindowQueue queue = Cut(opened, texts, {.max_length = 12, .stride = 4});
  REQUIRE(queue.texts.size() == 1);
  CHECK(queue.first_number == 3);
  const WindowedText& text = queue.texts[0];
  size_t taken = 0;
  while (!queue.done()) {
    CHECK(queue.begun() == static_cast<double>(taken) / static_cast<double>(text.windows.size()));
    const WindowBatch batch = TakeWindows(opened.model, opened.session, queue);
    REQUIRE(!batch.places.empty());
    CHECK(batch.ids.size() <= most);
    for (size_t i = 0; i < batch.places.size(); ++i) {
      const WindowPlace& place = batch.places[i];
      CHECK(place.text == 0);
      REQUIRE(place.window == taken++);
      const Window& window = text.windows[place.window];
      const size_t first = batch.offsets[i];
      CHECK(batch.offsets[i + 1] - first == 2 + window.size());
      CHECK(batch.ids[first] == text.tokens[0].id);
      CHECK(batch.ids[first + 1] == text.tokens[1 + window.begin].id);
    }
    if (!queue.done()) {
      CHECK(batch.ids.size() + 2 + text.windows[queue.next.window].size() > most);
    }
  }
  CHECK(taken == text.windows.size());
  CHECK(queue.begun() == 0);
  CHECK(TakeWindows(opened.model, opened.session, queue).places.empty());
}

TEST_CASE("windows of several short texts are one batch") {
  Opened opened = Open(Fixture("ner"));
  const std::vector<TextPair> texts = {{"anna", {}}, {"", {}}, {"li met anna smith in lyon", {}}};
  WindowQueue queue = Cut(opened, texts, {.max_length = 6, .stride = 1});
  REQUIRE(queue.texts.size() == 3);
  std::vector<std::pair<size_t, size_t>> places;
  for (const WindowPlace& place : TakeWindows(opened.model, opened.session, queue).places) {
    places.push_back({place.text, place.window});
  }
  CHECK(places == std::vector<std::pair<size_t, size_t>>{{0, 0}, {1, 0}, {2, 0}, {2, 1}});
  CHECK(queue.done());
  CHECK(Cut(opened, {}, {}).done());
}

// How a run gives a list of which the second text takes several steps.
struct Steps {
  std::vector<size_t> texts;  // given by each step
  std::vector<double> begun;  // after each step
};

template <typename Run, typename Options>
Steps StepsOf(Run& run, Opened& opened, const std::vector<TextPair>& items,
              const Options& options) {
  Steps steps;
  size_t done = 0;
  while (done < items.size()) {
    const TextList rest = {std::span(items).subspan(done), done};
    auto result = run.Step(opened.model, opened.session, rest, options);
    if (!result.ok()) FAIL(result.error().message);
    steps.texts.push_back(result.value().counts.size());
    steps.begun.push_back(result.value().begun);
    done += steps.texts.back();
  }
  return steps;
}

template <typename Run, typename Options>
void CheckRun(Opened& opened, const TextPair& item, const TextPair& long_item,
              const Options& options) {
  const std::vector<TextPair> items = {item, long_item, item};
  Run run;
  const Steps steps = StepsOf(run, opened, items, options);
  REQUIRE(steps.texts.size() > 10);
  for (size_t i = 0; i < steps.texts.size(); ++i) {
    const bool middle = i > 0 && i + 2 < steps.texts.size();
    CHECK(steps.texts[i] == (middle ? 0u : 1u));
    CHECK((steps.begun[i] > 0) == middle);
    if (i > 1 && middle) CHECK(steps.begun[i] > steps.begun[i - 1]);
    CHECK(steps.begun[i] < 1);
  }
  // One that is abandoned in the middle harms no other.
  Run abandoned;
  for (size_t i = 0; i < 3; ++i) {
    const TextList rest = {std::span(items).subspan(1), 1};
    const auto result = abandoned.Step(opened.model, opened.session, rest, options);
    REQUIRE(result.ok());
    CHECK(result.value().begun == steps.begun[i + 1]);
  }
  CHECK(StepsOf(run, opened, items, options).begun == steps.begun);
}

TEST_CASE("a long text takes a step for each batch of windows, and is given by the last") {
  {
    Opened opened = Open(Fixture("ner"));
    TagOptions options;
    options.windows = {.max_length = 12, .stride = 4};
    CheckRun<TagRun>(opened, {"anna", {}}, {kLong, {}}, options);
    options.aggregation = Aggregation::kAverage;
    CheckRun<TagRun>(opened, {"", {}}, {kLong, {}}, options);
  }
  {
    Opened opened = Open(Fixture("qa"));
    AnswerOptions options;
    options.windows = {.max_length = 16, .stride = 4};
    CheckRun<AnswerRun>(opened, {"who", "anna"}, {"who", kLong}, options);
  }
  Opened opened = Open(Fixture("enc"));
  PartOptions options;
  options.each = GENERATE(true, false);
  options.stride = 2;
  options.embed.length.max_length = 10;
  CheckRun<PartsRun>(opened, {"anna", {}}, {kLong, {}}, options);
}

}  // namespace
}  // namespace pocketbert
