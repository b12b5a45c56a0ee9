// The location-aware score in an encoder-decoder: the weights of the step before follow their sentence through teacher
// forcing, single steps, greedy search and a beam whose rows change places.
#include "nn/attention/scores/location_aware.h"

#include "autograd/modes.h"
#include "nn/decode/search.h"
#include "nn/models/bahdanau.h"
#include "nn/models/luong.h"
#include "tensor/indexing.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using two_sentences::lengths;
using two_sentences::source;

namespace {

Tensor target_in() { return ids({2, 4, 5, 6, 2, 6, 7, 5}, {2, 4}); }

// Large weights of the convolution, so that what was read before decides much.
template <class M>
M model(double cumulative, bool feeding = false) {
  typename M::Options o = small_paper<M>(9, 30);
  if constexpr (requires { o.input_feeding; }) o.input_feeding = feeding;
  o.attention.score = {.name = "location_aware",
                       .settings = {{"filters", 4}, {"kernel", 3}, {"cumulative", cumulative}}};
  M m = built<M>(o);
  auto& score = static_cast<nn::LocationAwareScore&>(*m.attention.score);
  score.filters.set_value(mul(random(score.filters.shape(), 5, DType::f64), 4));
  score.v.set_value(mul(random(score.v.shape(), 6, DType::f64), 4));
  nn::set_training(m, false);
  return m;
}

template <class Check>
void for_each_paper(const Check& check) {
  for (double cumulative : {0, 1}) {
    CAPTURE(cumulative);
    check(model<nn::Bahdanau>(cumulative));
    check(model<nn::Luong>(cumulative));
    check(model<nn::Luong>(cumulative, true));
  }
}

}  // namespace

TEST_CASE("location-aware papers: teacher forcing is what the steps give, one by one, and the past counts") {
  for_each_paper([](const auto& m) {
    Variable alignment;
    Tensor logits = m(source(), lengths(), target_in(), &alignment).value(), weights = alignment.value();
    auto [memory, state] = m.encode(source(), lengths());
    nn::DecoderState forgetful = state;
    double forgotten = 0;
    for (int64_t t = 0; t < 4; ++t) {
      Variable word = m.embed(target_in().select(1, t).contiguous());
      nn::Step step = m.step(word, state, memory);
      CHECK(max_abs_difference(m.logits(step.features).value(), logits.select(1, t)) < 1e-12);
      CHECK(max_abs_difference(step.state.alignment.weights.value(), weights.select(1, t)) < 1e-12);
      nn::DecoderState blank = state;
      blank.alignment.weights = blank.alignment.total = {};
      forgotten = std::max(forgotten, max_abs_difference(m.step(word, blank, memory).state.alignment.weights.value(),
                                                         weights.select(1, t)));
      state = step.state;
    }
    CHECK(forgotten > 1e-2);
  });
}

TEST_CASE("location-aware papers: rows that change places in a search take their past with them") {
  for_each_paper([](const auto& m) {
    auto search = m.search(source(), lengths()), swapped = m.search(source(), lengths());
    Tensor order = ids({1, 0, 1}, {3});
    for (const auto& words : {std::vector<int64_t>{2, 2}, {4, 5}}) {
      search->next(ids(words, {2}));
      swapped->next(ids(words, {2}));
    }
    swapped->keep(order);
    Tensor plain = search->next(ids({6, 7}, {2})), moved = swapped->next(ids({7, 6, 7}, {3}));
    CHECK(max_abs_difference(moved, index_select(plain, 0, order)) < 1e-12);
    CHECK(max_abs_difference(swapped->weights(), index_select(search->weights(), 0, order)) < 1e-12);
  });
}

TEST_CASE("location-aware papers: what greedy search and a beam find has the weights of teacher forcing") {
  for_each_paper([](const auto& m) {
    nn::SearchOptions limits{.max_lengths = {5, 5}, .length_penalty = 0};
    std::vector<std::vector<nn::Hypothesis>> found;
    for (auto& h : nn::greedy(*m.search(source(), lengths()), limits)) found.push_back({h});
    for (auto& hypotheses : nn::beam_search_all(*m.search(source(), lengths()), 3, limits)) found.push_back(hypotheses);
    REQUIRE(found.size() == 4);
    for (size_t i = 0; i < found.size(); ++i) {
      int64_t b = static_cast<int64_t>(i % 2), S = b == 0 ? 5 : 3;
      for (const nn::Hypothesis& h : found[i]) {
        std::vector<int64_t> in{2};
        in.insert(in.end(), h.tokens.begin(), h.tokens.end());
        Variable weights;
        m(source().slice(0, b, b + 1).slice(1, 0, S).contiguous(), ids({S}, {1}),
          ids(in, {1, static_cast<int64_t>(in.size())}), &weights);
        REQUIRE(h.weights.size() <= in.size());
        for (size_t t = 0; t < h.weights.size(); ++t)
          for (int64_t s = 0; s < S; ++s)
            CHECK(h.weights[t][static_cast<size_t>(s)] ==
                  doctest::Approx(weights.value().at({0, static_cast<int64_t>(t), s})).epsilon(1e-5));
      }
    }
  });
}
