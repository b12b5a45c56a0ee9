// Hints and checks of exercise 09.4.
#include "tutorials/09_one_vector/exercises/4_three_poolings.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/ops.h"
#include "nn/attention/attention_pooling.h"
#include "nn/pool.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using T = const Tensor&;

void examine(app::Exercise& e) {
  constexpr int64_t B = 3, S = 5, D = 4;
  Generator rng(9);
  auto normal = [&](const Shape& shape, double mean) { return Tensor::normal(shape, rng, mean, 1, DType::f64); };
  nn::AttentionPooling attention({.score = {.name = "dot", .query = D, .key = D}, .learned = false}, rng);
  auto compare = [&](const std::string& name, T x, T words, T q) {
    const Tensor ours = mine::three_poolings(x, words, q);
    if (!e.check("the shape for " + name, to_string(ours.shape()), to_string(Shape{B, 3 * D}))) return;
    const Variable query(q.expand({B, 1, D}).contiguous()), keys(x);
    const Tensor read = squeeze(attention.ask(query, keys, keys, words).context, 1).value();
    e.check("the mean for " + name, ours.slice(1, 0, D), nn::pool("mean", keys, words).value(), 1e-10);
    e.check("the maximum for " + name, ours.slice(1, D, 2 * D), nn::pool("max", keys, words).value(), 1e-10);
    e.check("attention for " + name, ours.slice(1, 2 * D, 3 * D), read, 1e-10);
  };
  const Tensor some = Tensor::from_bools({1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0}, {B, S});
  compare("sentences with padding", normal({B, S, D}, 0), some, normal({D}, 0));
  compare("negative values", normal({B, S, D}, -4), some, normal({D}, 0));
  compare("sentences without padding", normal({B, S, D}, -3), Tensor::from_bools(std::vector<int>(B * S, 1), {B, S}),
          normal({D}, 0));
  compare("large scores", normal({B, S, D}, 0), some, mul(normal({D}, 0), 1000));
  const Tensor last_empty = Tensor::from_bools({1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0}, {B, S});
  const Tensor ours = mine::three_poolings(normal({B, S, D}, 0), last_empty, normal({D}, 0));
  e.check("the row of a sentence without words", ours.select(0, B - 1), Tensor::zeros({3 * D}, DType::f64), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 4, "Three poolings side by side");
  e.hint("words.at({b, s}) is 1 for a word and 0 for padding. Collect the s of the words in a std::vector<int64_t>.");
  e.hint("The softmax runs over the words only, so the padding needs no score: nothing has to be masked.");
  e.hint("The maximum starts at -INFINITY; std::max(maximum, x.at({b, s, d})).");
  e.hint("Reset all sums where a new sentence, or a new feature, begins.");
  e.insight(
      "Mean, maximum and attention share one loop: they differ in the weight that each word gets. What is left out of\n"
      "the loop needs no mask; a mask does the same when all sentences of a batch are computed at once.",
      "./heed run 10");
  return e.run(argc, argv, examine);
}
