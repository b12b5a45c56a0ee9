// Exercise 12.1 in the translator: attention. The exercise takes one query and one sentence, so it is called for every
// sentence of the batch at every step; it computes W_k h again each time. The softmax is the one that the exercise
// uses.
#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/padding.h"
#include "tutorials/12_bahdanau/exercises/1_additive.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

nn::Attended attend_mine(const Pieces&, const Lookup& look) {
  std::vector<Variable> queries = unstack(look.query, 0), sentences = unstack(look.values, 0), contexts, weights;
  const std::vector<double> lengths = look.lengths.to_vector();
  for (size_t b = 0; b < queries.size(); ++b) {
    mine::Attended one =
        mine::additive(queries[b], sentences[b], look.W_q, look.W_k, look.v, static_cast<int64_t>(lengths[b]));
    contexts.push_back(one.context);
    weights.push_back(one.weights);
  }
  return {stack(contexts, 0), stack(weights, 0)};
}

// The library's attention, with the three matrices as inputs: q [N], h [S, A], W_q [D, N], W_k [D, A], v [D].
Variable library_attention(const std::vector<Variable>& in, int64_t words) {
  Variable query = reshape(linear(in[0], in[2], {}), {1, 1, -1});                              // [1, 1, D]
  Variable scores = nn::additive_score(query, unsqueeze(linear(in[1], in[3], {}), 0), in[4]);  // [1, 1, S]
  Tensor allowed = nn::length_mask(Tensor::from(std::vector<int64_t>{words}, {1}), in[1].size(0)).unsqueeze(1);
  nn::Attended seen = nn::attend(scores, unsqueeze(in[1], 0), allowed);
  return reshape(concat({seen.weights, seen.context}, -1), {-1});
}

void check(Comparison& c) {
  Generator rng(1);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  for (int64_t words : {6, 4, 1})
    c.functions(
        "weights and context of " + std::to_string(words) + " words",
        [words](const auto& in) {
          mine::Attended seen = mine::additive(in[0], in[1], in[2], in[3], in[4], words);
          return concat({seen.weights, seen.context}, 0);
        },
        [words](const auto& in) { return library_attention(in, words); },
        {normal({3}), normal({6, 5}), normal({4, 3}), normal({4, 5}), normal({4})});
}

void use(Pieces& pieces) { pieces.attend = attend_mine, pieces.computes_keys = true; }

const Registered part({.name = "additive", .exercise = "12.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
