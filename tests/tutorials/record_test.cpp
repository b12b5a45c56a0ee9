// What the lessons record for the report's panels is what the model computes: the same words as greedy search, weights
// that are the softmax of the scores, a fake that no key moves, and a model that ablation leaves as it was.
#include "tutorials/common/record.h"

#include <doctest/doctest.h>

#include <cmath>

#include "autograd/modes.h"
#include "nn/models/bahdanau.h"
#include "nn/models/fixed_vector.h"
#include "tensor/reduce.h"

using namespace heed;

namespace {

const std::vector<std::string> kSource{"i", "am", "a", "student"}, kTarget{"je", "suis", "étudiant"};

nn::Translator untrained(const nn::AnyPaper& paper) {
  return {{{}, text::Vocabulary({kSource}), text::Vocabulary({kTarget})}, paper, 3};
}
template <class M>
typename M::Options small() {
  return {.source = {.width = 6}, .target = {.width = 6}, .encoder = {.hidden = 8}, .decoder = {.hidden = 8}};
}
nn::AnyPaper recurrent(const std::string& score) {
  nn::Bahdanau::Options o = small<nn::Bahdanau>();
  o.attention.score.name = score;
  if (score == "location") o.attention.score.settings["max_source"] = 16;
  return nn::paper_of<nn::Bahdanau>(o);
}
nn::AnyPaper transformer() {
  nn::TransformerOptions o{};
  o.model = 8, o.inner = 16, o.heads = 2, o.encoder_layers = o.decoder_layers = 2, o.dropout = 0;
  return nn::paper_of<nn::Transformer>(o);
}
std::vector<std::string> words_of(const report::StepperModel& m) {
  std::vector<std::string> out;
  for (const auto& s : m.steps) out.push_back(s.word);
  if (!out.empty() && out.back() == "</s>") out.pop_back();
  return out;
}

}  // namespace

TEST_CASE("a recorded translation is the greedy one, padding or not, and weights are the softmax of its scores") {
  const nn::AnyPaper cho = nn::paper_of<nn::Cho>(small<nn::Cho>());
  for (const nn::AnyPaper& paper : {cho, recurrent("additive"), transformer()}) {
    CAPTURE(paper.name());
    nn::Translator t = untrained(paper);
    report::StepperModel m = app::record_decode(t, kSource, {.name = "m", .padding = 2});
    std::vector<std::string> greedy = t.translate({kSource})[0].target, recorded = words_of(m);
    recorded.resize(std::min(recorded.size(), greedy.size()));  // the two have other length limits
    greedy.resize(recorded.size());
    CHECK(recorded == greedy);
    REQUIRE(m.source.size() == 7);
    CHECK(m.source[4] == "</s>");
    CHECK(m.source[6] == "<pad>");
    CHECK(m.heads.size() == (!t.model.attends() ? 0 : t.model.as<nn::Transformer>() ? 4 : 1));
    for (const auto& step : m.steps) {
      CHECK(step.best[0].word == step.word);
      REQUIRE(step.best.size() == 5);
      for (const auto& head : step.heads) {
        double sum = 0;
        for (double s : head.scores) sum += std::exp(s);
        for (std::size_t s = 0; s < 7; ++s) CHECK(head.weights[s] == doctest::Approx(std::exp(head.scores[s]) / sum));
        CHECK(head.scores[5] == -INFINITY);
        CHECK(head.weights[6] == 0);
      }
    }
  }
}

TEST_CASE("changing a key moves the weights of attention, and none of the fake's") {
  for (std::string score : {"additive", "location"}) {
    CAPTURE(score);
    nn::Translator t = untrained(recurrent(score));
    report::StepperModel m = app::record_decode(t, kSource, {.change_key = true});
    double change = 0;
    for (const auto& step : m.steps) {
      REQUIRE(step.changed.size() == m.source.size());
      for (std::size_t s = 0; s < step.changed.size(); ++s)
        change = std::max(change, std::abs(step.changed[s] - step.heads[0].weights[s]));
    }
    CHECK((change > 0) == (score == "additive"));
  }
}

TEST_CASE("ablation: all heads on is the model, a layer off is both of its heads off, and the model stays the same") {
  nn::Translator t = untrained(transformer());
  io::SafeTensors before = nn::save_state(t.model);
  report::AblationPanel panel = app::record_ablation(t, {{"student", {kSource, kTarget}, 1, 0}}, {"suis", "étudiant"});
  io::SafeTensors after = nn::save_state(t.model);
  for (std::size_t i = 0; i < before.tensors.size(); ++i)
    CHECK(before.tensors[i].second.to_vector() == after.tensors[i].second.to_vector());
  REQUIRE(panel.heads.size() == 12);  // encoder, decoder, cross: 2 layers of 2 heads each
  REQUIRE(panel.layers.size() == 6);
  const report::AblationCase& c = panel.cases[0];
  CHECK(c.written == std::vector<std::string>{"je"});
  NoGrad guard;
  nn::Evaluating evaluating;
  data::Batch b = data::make_batch({t.encode({kSource, kTarget})}, {0});
  Tensor log_p = log_softmax_rows(t.model(b.source, b.lengths, b.target_in).value());
  CHECK(c.all[0] == doctest::Approx(std::exp(log_p.at({0, 1, t.parts.target.id("suis")}))));
  CHECK(c.heads[0][0] != c.all[0]);
  CHECK(c.pairs[0][0] == doctest::Approx(c.layers[0][0]));  // heads 0 and 1 are the first layer
  REQUIRE(c.pairs.size() == 66);
  CHECK(c.pairs[65][1] == doctest::Approx(c.layers[5][1]));  // heads 10 and 11 are the last
}

TEST_CASE("heads and parameters are listed completely") {
  nn::Translator t = untrained(transformer());
  report::ArcsSentence s = app::record_heads(t, {kSource, kTarget}, "student");
  REQUIRE(s.attentions.size() == 3);
  for (const auto& a : s.attentions) {
    REQUIRE(a.heads.size() == 4);
    CHECK(a.heads[3].layer == 1);
    for (const auto& h : a.heads)
      for (std::size_t i = 0; i < h.weights.rows; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < h.weights.columns; ++j) sum += h.weights.value(i, j);
        CHECK(sum == doctest::Approx(1));
      }
  }
  CHECK(s.attentions[1].heads[0].weights.value(0, 1) == 0);  // causal
  int64_t count = 0;
  for (const auto& line : app::parameter_lines(t.model)) count += line.count;
  CHECK(count == nn::count_parameters(t.model));
}
