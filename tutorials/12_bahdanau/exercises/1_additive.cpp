// Exercise 12.1: additive attention for one query.
//
//   e_s = v . tanh(W_q q + W_k h_s)        q [N], h [S, A], W_q [D, N], W_k [D, A], v [D]
//   w   = softmax(e)                       [S]; a place that is not a word gets exactly 0
//   c   = sum_s w_s h_s                    [A]
//
// What stands in the gap is the mean: it looks everywhere alike, and at the padding, too.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/attention/scores/additive.h"
#include "nn/init.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

struct Look {
  Variable weights, context;  // [S], [A]
};

// words: how many of the S places are words; behind them there is padding.
Look look([[maybe_unused]] const Variable& q, const Variable& h, [[maybe_unused]] const Variable& W_q,
          [[maybe_unused]] const Variable& W_k, [[maybe_unused]] const Variable& v, [[maybe_unused]] int64_t words) {
  int64_t S = h.size(0);
  // ---- the gap: score, hide the padding, softmax ----
  Variable w(Tensor::full({S}, 1.0 / static_cast<double>(S), h.dtype()));
  // ---- end of the gap ----
  return {w, matmul(w, h)};
}

}  // namespace

int main(int argc, char** argv) {
  app::Exercise e("12", 1, "Additive attention for one query");
  e.hint("linear(h, W_k, {}) is h W_k^T: W_k h_s for all places at once, [S, D]. W_q q [D] is added to each row.");
  e.hint("matmul(tanh(..), v) is e [S].");
  e.hint("concat({slice(e, 0, 0, words), ..}, 0), or softmax of the first `words` scores with zeros put behind.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    for (int64_t words : {6, 4, 1}) {
      nn::Attention attention({.score = {.name = "additive", .query = 3, .key = 5, .settings = {{"width", 4}}}}, rng);
      nn::convert(attention, DType::f64);
      auto& score = dynamic_cast<nn::AdditiveScore&>(*attention.score);
      score.key.bias.set_value(Tensor::zeros({4}, DType::f64));
      Tensor q = nn::init::normal({3}, rng, {}, DType::f64), h = nn::init::normal({6, 5}, rng, {}, DType::f64);
      Variable keys(h.unsqueeze(0));
      nn::Attended theirs = attention(Variable(q.unsqueeze(0).unsqueeze(0)),
                                      attention.remember(keys, keys, Tensor::from(std::vector<int64_t>{words}, {1})));
      Look ours = look(q, h, score.query.weight, score.key.weight, score.v, words);
      e.check(fmt::format("weights with {} words,", words), ours.weights.value(),
              theirs.weights.value().select(0, 0).select(0, 0), 1e-12);
      e.check(fmt::format("context with {} words,", words), ours.context.value(),
              theirs.context.value().select(0, 0).select(0, 0), 1e-12);
    }
  });
}
