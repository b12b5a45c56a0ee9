// Hints, common mistakes and checks of exercise 12.1.
#include <fmt/format.h>

#include "nn/attention/attention.h"
#include "nn/attention/scores/additive.h"
#include "tutorials/12_bahdanau/exercises/1_additive.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Attended;

// The right answer with one part exchanged: how the scores are made, and how they become weights.
Variable scores(const Variable& q, const Variable& h, const Variable& W_q, const Variable& W_k, const Variable& v) {
  return matmul(tanh(linear(h, W_k, {}) + linear(q, W_q, {})), v);  // [S]
}
Variable padded(const Variable& w, int64_t S) {
  return w.size(0) == S ? w : concat({w, Variable(Tensor::zeros({S - w.size(0)}, w.dtype()))}, 0);
}
Attended read(const Variable& w, const Variable& h) { return {w, matmul(w, h)}; }
Variable softmax_of_words(const Variable& e, int64_t words) {
  return padded(softmax(slice(e, 0, 0, words), 0), e.size(0));
}

using V = const Variable&;
const std::vector<app::Mistake<decltype(&mine::additive)>> mistakes{
    {"The gap is still open: every position has the same weight",
     [](V, V h, V, V, V, int64_t) {
       return read(Variable(Tensor::full({h.size(0)}, 1.0 / static_cast<double>(h.size(0)), h.dtype())), h);
     }},
    {"Your weights do not change when the query does: W_q q is missing from the score",
     [](V, V h, V, V W_k, V v, int64_t n) {
       return read(softmax_of_words(matmul(tanh(linear(h, W_k, {})), v), n), h);
     }},
    {"The weights of the words do not sum to 1: set the padding to 0 before the softmax (score -inf), not after it",
     [](V q, V h, V W_q, V W_k, V v, int64_t n) {
       return read(padded(slice(softmax(scores(q, h, W_q, W_k, v), 0), 0, 0, n), h.size(0)), h);
     }},
    {"Padding gets weight: leave positions from `words` on out of the softmax",
     [](V q, V h, V W_q, V W_k, V v, int64_t) { return read(softmax(scores(q, h, W_q, W_k, v), 0), h); }},
    {"The score is linear in query and key: tanh is missing, so the query adds the same number to all scores and drops "
     "out of the softmax",
     [](V q, V h, V W_q, V W_k, V v, int64_t n) {
       return read(softmax_of_words(matmul(linear(h, W_k, {}) + linear(q, W_q, {}), v), n), h);
     }},
    {"A padded score of 0 is not a masked one: exp(0) is 1. Padding needs the score -inf",
     [](V q, V h, V W_q, V W_k, V v, int64_t n) {
       return read(softmax(padded(slice(scores(q, h, W_q, W_k, v), 0, 0, n), h.size(0)), 0), h);
     }},
    {"Your scores are used as weights: the softmax is missing",
     [](V q, V h, V W_q, V W_k, V v, int64_t n) {
       return read(padded(slice(scores(q, h, W_q, W_k, v), 0, 0, n), h.size(0)), h);
     }},
    {"The weights are right and the context is not: c is the sum of w_s h_s, not their mean",
     [](V q, V h, V W_q, V W_k, V v, int64_t n) {
       Variable w = softmax_of_words(scores(q, h, W_q, W_k, v), n);
       return Attended{w, matmul(w, h) / static_cast<double>(h.size(0))};
     }},
};

void examine(app::Exercise& e, const decltype(&mine::additive)& additive) {
  Generator rng(1);
  for (int64_t words : {6, 4, 1}) {
    nn::Attention attention({.score = {.name = "additive", .query = 3, .key = 5, .settings = {{"width", 4}}}}, rng);
    nn::convert(attention, DType::f64);
    auto& score = dynamic_cast<nn::AdditiveScore&>(*attention.score);
    auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
    score.query.weight.set_value(normal({4, 3})), score.key.weight.set_value(normal({4, 5}));
    score.v.set_value(normal({4})), score.key.bias.set_value(Tensor::zeros({4}, DType::f64));
    Tensor q = normal({3}), h = normal({6, 5});
    Variable keys(h.unsqueeze(0));
    nn::Attended theirs = attention(Variable(q.unsqueeze(0).unsqueeze(0)),
                                    attention.remember(keys, keys, Tensor::from(std::vector<int64_t>{words}, {1})));
    Attended ours = additive(Variable(q), Variable(h), score.query.weight, score.key.weight, score.v, words);
    e.check(fmt::format("weights of {} words", words), ours.weights.value(),
            theirs.weights.value().select(0, 0).select(0, 0), 1e-12);
    e.check(fmt::format("context of {} words", words), ours.context.value(),
            theirs.context.value().select(0, 0).select(0, 0), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("12", 1, "Additive attention for one query");
  e.hint("linear(h, W_k, {}) is h W_k^T: W_k h_s for all positions at once, [S, D]. W_q q [D] is added to each row.");
  e.hint("matmul(tanh(..), v) is e [S].");
  e.hint("concat({slice(e, 0, 0, words), ..}, 0), or softmax of the first `words` scores followed by zeros.");
  e.insight(
      "The query enters through tanh: without it the score would be a sum of two terms, and the query's own term\n"
      "would add the same number to every score, which the softmax ignores.",
      "./heed exercise 12 2");
  return e.run(argc, argv, mine::additive, examine, mistakes);
}
