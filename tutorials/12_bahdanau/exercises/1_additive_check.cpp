// Hints and checks of exercise 12.1.
#include <fmt/format.h>

#include "nn/attention/attention.h"
#include "nn/attention/scores/additive.h"
#include "tutorials/12_bahdanau/exercises/1_additive.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Attended;

void examine(app::Exercise& e) {
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
    Attended ours = mine::additive(Variable(q), Variable(h), score.query.weight, score.key.weight, score.v, words);
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
  return e.run(argc, argv, examine);
}
