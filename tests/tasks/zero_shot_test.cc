#include "tasks/zero_shot.h"

#include <catch2/catch_amalgamated.hpp>
#include <cmath>

#include "tasks/classify.h"
#include "tasks/fixture.h"

namespace pocketbert {
namespace {

Hypotheses Judge(Opened& opened, const std::vector<TextPair>& pairs) {
  Hypotheses all;
  for (size_t done = 0; done < pairs.size();) {
    auto result =
        ZeroShotBatch(opened.model, opened.session, {std::span(pairs).subspan(done), done}, {});
    if (!result.ok()) FAIL(result.error().message);
    const Hypotheses& batch = result.value();
    REQUIRE(batch.logits.size() == 2 * batch.tokens.size());
    all.logits.insert(all.logits.end(), batch.logits.begin(), batch.logits.end());
    all.tokens.insert(all.tokens.end(), batch.tokens.begin(), batch.tokens.end());
    all.truncated.insert(all.truncated.end(), batch.truncated.begin(), batch.truncated.end());
    all.entailment = batch.entailment;
    done += batch.tokens.size();
  }
  return all;
}

std::string Replaced(std::string_view pattern, std::string_view label) {
  const size_t at = pattern.find("{}");
  return std::string(pattern.substr(0, at)).append(label).append(pattern.substr(at + 2));
}

TEST_CASE("labels scored as in the reference") {
  const auto file = ParseJson(ReadFile(kFamiliesHand + "zero-shot.json"), "zero-shot.json");
  REQUIRE(file.ok());
  size_t ran = 0;
  for (Json test : file.value().root().GetArray("cases").value().Items()) {
    INFO(test.GetString("id").value());
    Opened opened = Open(CaseFolder(test, kFamiliesHand).value());
    const Json input = test.Get("input").value(), options = test.Get("options").value();
    std::vector<std::string> labels, hypotheses;
    for (Json label : input.GetArray("labels").value().Items()) {
      labels.emplace_back(label.AsString().value());
      hypotheses.push_back(
          Replaced(options.GetString("hypothesis_template").value(), labels.back()));
    }
    std::vector<TextPair> pairs;
    for (const std::string& hypothesis : hypotheses) {
      pairs.push_back({input.GetString("text").value(), hypothesis});
    }
    Hypotheses judged = Judge(opened, pairs);
    const std::vector<float> shares =
        LabelShares(judged.logits, labels.size(), options.GetBool("multi_label").value());
    const Json expect = test.Get("expect").value();
    for (Json result : expect.GetArray("results").value().Items()) {
      const auto at = std::find(labels.begin(), labels.end(), result.GetString("label").value());
      REQUIRE(at != labels.end());
      CHECK(std::abs(shares[static_cast<size_t>(at - labels.begin())] -
                     result.GetDouble("score").value()) <= expect.GetDouble("abs").value());
    }
    ++ran;
  }
  CHECK(ran == 5);
}

// bert-nli with other names for its labels, of which transformers makes these choices.
TEST_CASE("entailment by its name, else the last label; contradiction the first or the last") {
  struct Row {
    const char* labels;
    size_t entailment, contradiction;
  };
  const Row row = GENERATE(Row{R"("contradiction","ENTAILMENT","neutral")", 1, 0},
                           Row{R"("Entails","neutral","contradiction")", 0, 2},
                           Row{R"("a","b","c")", 2, 0}, Row{R"("entai","","no entailment")", 2, 0});
  Folder folder = ReadFolder(kFamiliesHand + "fixtures/bert-nli");
  std::string& config = folder["config.json"];
  const size_t begin = config.find('{', config.find("\"id2label\""));
  std::string names = row.labels;
  std::string map = "{\"0\":", rest = names;
  for (int i = 1; i <= 3; ++i) {
    const size_t comma = rest.find(',');
    map += rest.substr(0, comma) + (i < 3 ? ",\"" + std::to_string(i) + "\":" : "}");
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  config.replace(begin, config.find('}', begin) + 1 - begin, map);
  Opened opened = Open(folder);
  const std::vector<TextPair> pairs = {{"The old river boat was slow.", "it is a river."}};
  const Hypotheses judged = Judge(opened, pairs);
  CHECK(judged.entailment == row.entailment);
  ClassifyOptions raw;
  raw.activation = ScoreFunction::kNone;
  const auto logits = Classify(opened.model, opened.session, pairs, raw);
  REQUIRE(logits.ok());
  for (size_t i = 0; i < 3; ++i) {
    if (logits.value().labels[i] == row.contradiction) {
      CHECK(judged.logits[0] == logits.value().scores[i]);
    }
    if (logits.value().labels[i] == row.entailment) {
      CHECK(judged.logits[1] == logits.value().scores[i]);
    }
  }
}

TEST_CASE("a long text is cut, its hypotheses are not") {
  Opened opened = Open(ReadFolder(kFamiliesHand + "fixtures/bert-nli"));
  const std::string hypothesis =
      "it is the old river boat on the slow river by the old boat and the old river bridge.";
  const auto boats = [](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += "boat ";
    return text;
  };
  const auto judge = [&](const std::string& text) {
    return Judge(opened, std::vector<TextPair>{{text, hypothesis}});
  };
  const size_t others = judge(boats(1)).tokens[0] - 1;
  const size_t most = opened.model.max_length();
  REQUIRE(2 * others > most);  // else cutting the longer one would do the same
  const Hypotheses whole = judge(boats(most - others)), cut = judge(boats(200));
  CHECK(whole.tokens[0] == most);
  CHECK(whole.truncated[0] == 0);
  CHECK(cut.truncated[0] == 1);
  CHECK(cut.logits == whole.logits);
  const std::string longer = hypothesis + " " + boats(most);
  const std::string few = boats(3);
  const std::vector<TextPair> pairs = {{few, longer}};
  const auto refused = ZeroShotBatch(opened.model, opened.session, {pairs, 0}, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("shares of labels by their formulas") {
  const std::vector<float> logits = {0.5f, 1, -2, 3, 0, 0.25f, 1, 1, 5, -1, 2, 2};
  std::vector<float> one = logits, each = logits, single = logits;
  const std::vector<float> among = LabelShares(one, 3, false);
  const std::vector<float> alone = LabelShares(each, 3, true);
  CHECK(LabelShares(single, 1, false) == alone);
  REQUIRE(among.size() == 6);
  for (size_t text = 0; text < 2; ++text) {
    double sum = 0;
    for (size_t i = 0; i < 3; ++i) sum += std::exp(double{logits[6 * text + 2 * i + 1]});
    for (size_t i = 0; i < 3; ++i) {
      const size_t at = 3 * text + i;
      const double no = logits[2 * at], yes = logits[2 * at + 1];
      CHECK(among[at] == Catch::Approx(std::exp(yes) / sum).epsilon(1e-6));
      CHECK(alone[at] == Catch::Approx(1 / (1 + std::exp(no - yes))).epsilon(1e-6));
    }
  }
}

TEST_CASE("a head of one label cannot judge hypotheses") {
  Opened opened = Open(Fixture("rank"));
  const std::vector<TextPair> pairs = {{"boat", "it is a boat."}};
  const auto result = ZeroShotBatch(opened.model, opened.session, {pairs, 0}, {});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ErrorCode::kUnsupported);
  CHECK(result.error().message.find("1 label") != std::string::npos);
}

}  // namespace
}  // namespace pocketbert
