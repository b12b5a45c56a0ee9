// The location-aware score in an encoder-decoder: the weights of the step before follow their sentence through teacher
// forcing, single steps, greedy search and a beam whose rows change places.
#include "nn/attention/scores/location_aware.h"

#include "autograd/modes.h"
#include "nn/decode/search.h"
#include "nn/models/seq2seq.h"
#include "nn/models/seq2seq_search.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using two_sentences::lengths;
using two_sentences::source;

namespace {

Tensor target_in() { return ids({2, 4, 5, 6, 2, 6, 7, 5}, {2, 4}); }

// Large weights of the convolution, so that what was read before decides much.
nn::Seq2Seq model(const std::string& order, bool feeding, double cumulative) {
  nn::Seq2SeqOptions o{.source_vocabulary = 9, .target_vocabulary = 30, .embedding = 5, .hidden = 6};
  o.dropout = 0, o.order = order, o.input_feeding = feeding;
  o.attention.score = {.name = "location_aware",
                       .settings = {{"filters", 4}, {"kernel", 3}, {"cumulative", cumulative}}};
  nn::Seq2Seq m = make<nn::Seq2Seq>(o, 3);
  nn::convert(m, DType::f64);
  auto& score = static_cast<nn::LocationAwareScore&>(*m.attention->score);
  score.filters.set_value(mul(random(score.filters.shape(), 5, DType::f64), 4));
  score.v.set_value(mul(random(score.v.shape(), 6, DType::f64), 4));
  nn::set_training(m, false);
  return m;
}

struct Kind {
  std::string order;
  bool feeding;
  double cumulative;
};
const std::vector<Kind> kKinds{{"bahdanau", false, 0}, {"bahdanau", false, 1}, {"luong", false, 0},
                               {"luong", false, 1},    {"luong", true, 0},     {"luong", true, 1}};

}  // namespace

TEST_CASE("location-aware Seq2Seq: teacher forcing is what the steps give, one by one, and the past counts") {
  for (const Kind& k : kKinds) {
    CAPTURE(k.order);
    CAPTURE(k.feeding);
    CAPTURE(k.cumulative);
    nn::Seq2Seq m = model(k.order, k.feeding, k.cumulative);
    Tensor weights;
    Tensor logits = m(source(), lengths(), target_in(), &weights).value();
    auto [memory, state] = m.encode(source(), lengths());
    nn::DecoderState forgetful = state;
    double forgotten = 0;
    for (int64_t t = 0; t < 4; ++t) {
      Variable word = m.embed_target(target_in().select(1, t).contiguous());
      nn::Seq2Seq::Step step = m.step(word, state, memory);
      CHECK(max_abs_difference(m.logits(step.features).value(), logits.select(1, t)) < 1e-12);
      CHECK(max_abs_difference(step.state.alignment.weights.value(), weights.select(1, t)) < 1e-12);
      nn::DecoderState blank = state;
      blank.alignment.weights = blank.alignment.total = {};
      forgotten = std::max(forgotten, max_abs_difference(m.step(word, blank, memory).state.alignment.weights.value(),
                                                         weights.select(1, t)));
      state = step.state;
    }
    CHECK(forgotten > 1e-2);
  }
}

TEST_CASE("location-aware Seq2Seq: rows that change places in a search take their past with them") {
  for (const Kind& k : kKinds) {
    nn::Seq2Seq m = model(k.order, k.feeding, k.cumulative);
    nn::Seq2SeqSearch search(m, source(), lengths()), swapped(m, source(), lengths());
    Tensor order = ids({1, 0, 1}, {3});
    for (const auto& words : {std::vector<int64_t>{2, 2}, {4, 5}}) {
      search.next(ids(words, {2}));
      swapped.next(ids(words, {2}));
    }
    swapped.keep(order);
    Tensor plain = search.next(ids({6, 7}, {2})), moved = swapped.next(ids({7, 6, 7}, {3}));
    CHECK(max_abs_difference(moved, index_select(plain, 0, order)) < 1e-12);
    CHECK(max_abs_difference(swapped.weights(), index_select(search.weights(), 0, order)) < 1e-12);
  }
}

TEST_CASE("location-aware Seq2Seq: what greedy search and a beam find has the weights of teacher forcing") {
  for (const Kind& k : kKinds) {
    CAPTURE(k.order);
    CAPTURE(k.feeding);
    CAPTURE(k.cumulative);
    nn::Seq2Seq m = model(k.order, k.feeding, k.cumulative);
    nn::SearchOptions limits{.max_lengths = {5, 5}, .length_penalty = 0};
    nn::Seq2SeqSearch greedy_rows(m, source(), lengths()), beam_rows(m, source(), lengths());
    std::vector<std::vector<nn::Hypothesis>> found;
    for (auto& h : nn::greedy(greedy_rows, limits)) found.push_back({h});
    for (auto& hypotheses : nn::beam_search_all(beam_rows, 3, limits)) found.push_back(hypotheses);
    REQUIRE(found.size() == 4);
    for (size_t i = 0; i < found.size(); ++i) {
      int64_t b = static_cast<int64_t>(i % 2), S = b == 0 ? 5 : 3;
      for (const nn::Hypothesis& h : found[i]) {
        std::vector<int64_t> in{2};
        in.insert(in.end(), h.tokens.begin(), h.tokens.end());
        Tensor weights;
        m(source().slice(0, b, b + 1).slice(1, 0, S).contiguous(), ids({S}, {1}),
          ids(in, {1, static_cast<int64_t>(in.size())}), &weights);
        REQUIRE(h.weights.size() <= in.size());
        for (size_t t = 0; t < h.weights.size(); ++t)
          for (int64_t s = 0; s < S; ++s)
            CHECK(h.weights[t][static_cast<size_t>(s)] ==
                  doctest::Approx(weights.at({0, static_cast<int64_t>(t), s})).epsilon(1e-5));
      }
    }
  }
}
