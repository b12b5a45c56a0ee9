// Penalties: who collects, what they add up to, and how the training loop uses and records them.
#include "nn/penalties.h"

#include "nn/attention/coverage.h"
#include "nn/attention/structures/structured.h"
#include "nn/models/bahdanau.h"
#include "nn/models/luong.h"
#include "nn/text/vocabulary.h"
#include "nn/train/fit.h"
#include "tests/nn/io/support.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

const nn::Bahdanau::Options kTiny = small_paper<nn::Bahdanau>(8, 8, 3, 4, 0.1);
std::vector<data::EncodedPair> pairs(size_t n) {
  std::vector<data::EncodedPair> out;
  Generator rng(5);
  for (size_t i = 0; i < n; ++i) {
    data::EncodedPair p;
    for (int64_t k = 2 + rng.below(3); k > 0; --k) p.source.push_back(4 + rng.below(4));
    p.target = p.source;
    p.source.push_back(text::Vocabulary::stop);
    out.push_back(p);
  }
  return out;
}
const std::vector<data::EncodedPair> kTrain = pairs(24), kValid = pairs(5);
std::vector<Tensor> values(nn::Bahdanau& model) {
  std::vector<Tensor> out;
  for (auto& p : nn::named_parameters(model)) out.push_back(p.variable.value().clone());
  return out;
}
Tensor source() { return Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 0, 0}, {2, 4}); }
Tensor lengths() { return Tensor::from(std::vector<int64_t>{4, 2}, {2}); }
Tensor target_in() { return Tensor::from(std::vector<int64_t>{2, 4, 5, 2, 6, 0}, {2, 3}); }

}  // namespace

TEST_CASE("penalties: nobody collects, nothing happens; of nested collectors the innermost one receives") {
  Variable x(Tensor::scalar(3, DType::f64), Variable::kRequiresGrad);
  CHECK_FALSE(nn::Penalties::active());
  nn::Penalties::add("a", x);
  nn::Penalties outer;
  CHECK(nn::Penalties::active());
  CHECK(outer.empty());
  CHECK_FALSE(outer.total().defined());
  nn::Penalties::add("a", square(x), 0.5);
  {
    nn::Penalties inner;
    nn::Penalties::add("b", x, 2);
    CHECK(inner.values() == std::map<std::string, double>{{"b", 6}});
  }
  nn::Penalties::add("a", x);
  nn::Penalties::add("c", x, 0);
  CHECK(outer.values() == std::map<std::string, double>{{"a", 7.5}, {"c", 0}});
  CHECK(outer.total().item() == 7.5);
  backward(outer.total());
  CHECK(x.grad().item() == 4);  // 0.5 * 2 x + 1
}

TEST_CASE("penalties: the structured embedding adds its redundancy") {
  auto m = make<nn::StructuredEmbedding>({.input = 3, .hidden = 5, .rows = 2, .penalty = 0.5}, 1);
  Variable h = leaf({2, 4, 3}, 1);
  nn::Penalties collected;
  Variable weights = m(h).weights;
  CHECK(collected.values().at("redundancy") == doctest::Approx(0.5 * mean(nn::redundancy(weights)).item()));
  backward(collected.total());
  CHECK(!all_zero(h.grad()));
}

TEST_CASE("penalties: the coverage of the steps that are no padding, before and behind the cell") {
  auto check = []<class M>(M m) {
    Variable alignment;
    m(source(), lengths(), target_in(), &alignment);
    nn::Penalties collected;
    nn::AttentionPenalties{.coverage_loss = 2}.add(alignment, target_in(), lengths());
    Tensor steps = nn::coverage_loss(alignment).value();  // [2, 3], the last of row 1 padding
    double wanted = 0;
    for (int64_t t = 0; t < 3; ++t) wanted += steps.at({0, t}) + (t < 2 ? steps.at({1, t}) : 0);
    CHECK(wanted > 0.5);
    CHECK(collected.values().at("coverage") == doctest::Approx(2 * wanted / 5));
    backward(collected.total());
    for (auto& p : nn::named_parameters(m.attention)) CHECK(!all_zero(p.variable.grad()));
  };
  check(make<nn::Bahdanau>(small_paper<nn::Bahdanau>(8, 8, 3, 4), 1));
  nn::Luong::Options o = small_paper<nn::Luong>(8, 8, 3, 4);
  o.attention.score.name = "general";
  check(make<nn::Luong>(o, 1));
}

TEST_CASE("fit: penalties are recorded by name, change the training, and a run resumed has the same ones") {
  nn::FitOptions how{.epochs = 3, .batch_size = 5, .learning_rate = 0.05, .warmup = 2, .accumulate = 2};
  auto run = [&](double weight, std::vector<nn::FitStep>& steps) {
    nn::Bahdanau m = make<nn::Bahdanau>(kTiny, 1);
    how.attention.coverage_loss = weight;
    nn::FitWatcher watcher;
    watcher.on_step = [&](const nn::FitStep& s) { steps.push_back(s); };
    auto history = nn::fit(nn::fit_model(m), kTrain, kValid, how, watcher).history;
    return std::pair(history, values(m));
  };
  std::vector<nn::FitStep> with, without;
  auto [history, trained] = run(1, with);
  auto [plain, other] = run(0, without);
  CHECK_FALSE(same_bits(trained, other));
  CHECK(with[0].loss == doctest::Approx(without[0].loss));  // the loss is without the penalties
  CHECK(without[0].penalties.empty());
  CHECK(plain[0].penalties.empty());
  for (const nn::EpochRecord& r : history) {
    double sum = 0, steps = 0;
    for (const nn::FitStep& s : with)
      if (s.epoch == r.epoch) sum += s.penalties.at("coverage"), ++steps;
    CHECK(steps == 3);
    CHECK(r.penalties.at("coverage") == doctest::Approx(sum / steps));
    CHECK(sum > 0);
  }

  io_test::Folder folder;
  how.attention.coverage_loss = 1;
  nn::Bahdanau first = make<nn::Bahdanau>(kTiny, 1);
  nn::FitRun ahead(nn::fit_model(first), kTrain, kValid, how);
  while (!ahead.done()) {
    ahead.save(folder / "last");
    ahead.step();
    nn::Bahdanau second = make<nn::Bahdanau>(kTiny, 2);
    nn::FitRun resumed(nn::fit_model(second), kTrain, kValid, how);
    resumed.load(folder / "last");
    while (!resumed.done()) resumed.step();
    auto again = resumed.finish().history;
    CHECK(same_bits(values(second), trained));
    for (size_t e = 0; e < again.size(); ++e) CHECK(again[e].penalties == history[e].penalties);
  }
}
