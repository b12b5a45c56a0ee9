// Hints, common mistakes and checks of exercise 09.2.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "nn/pooling/attention_pooling.h"
#include "tensor/compare.h"
#include "tutorials/09_one_vector/exercises/2_asked.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using V = const Variable&;
using T = const Tensor&;

Variable scores(V q, V x) { return squeeze(matmul(x, unsqueeze(q, 2)), 2); }            // [B, S]
Variable read(V weights, V x) { return squeeze(matmul(unsqueeze(weights, 1), x), 1); }  // [B, D]
Variable mask(V x, T words) { return Variable(words.to(x.dtype())); }
Variable filled(V e, T words, double value) { return masked_fill(e, logical_not(words), value); }

const std::vector<app::Mistake<decltype(&mine::ask)>> mistakes{
    {"The gap is still open: padding has a weight", [](V q, V x, T) { return read(softmax(scores(q, x)), x); }},
    {"The weights are set to 0 after the softmax, so those of the words do not sum to 1: mask the scores before it",
     [](V q, V x, T words) { return read(softmax(scores(q, x)) * mask(x, words), x); }},
    {"Padding has the score 0, and exp(0) is 1: its score must be -infinity",
     [](V q, V x, T words) { return read(softmax(filled(scores(q, x), words, 0)), x); }},
    {"Padding has the score -1, and exp(-1) is 0.37: its score must be -infinity",
     [](V q, V x, T words) { return read(softmax(filled(scores(q, x), words, -1)), x); }},
    {"Padding has the score +infinity: it must be -infinity",
     [](V q, V x, T words) { return read(softmax(filled(scores(q, x), words, INFINITY)), x); }},
    {"The vectors of the padding are set to 0, which gives them the score 0 and a weight: mask the scores",
     [](V q, V x, T words) {
       Variable y = x * unsqueeze(mask(x, words), 2);
       return read(softmax(scores(q, y)), y);
     }},
    {"The words are masked and the padding is not: masked_fill replaces where its mask is true, so give it "
     "logical_not(words)",
     [](V q, V x, T words) { return read(softmax(masked_fill(scores(q, x), words, -INFINITY)), x); }},
    {"The softmax goes across the sentences of the batch: it belongs to the last axis, the positions",
     [](V q, V x, T words) { return read(softmax(filled(scores(q, x), words, -INFINITY), 0), x); }},
    {"The scores are used as weights: the softmax is missing",
     [](V q, V x, T words) { return read(scores(q, x) * mask(x, words), x); }},
    {"The scores are divided by the root of D: here they are plain dot products",
     [](V q, V x, T words) {
       return read(softmax(filled(scores(q, x) / std::sqrt(static_cast<double>(x.size(2))), words, -INFINITY)), x);
     }},
};

void examine(app::Exercise& e, const decltype(&mine::ask)& ask) {
  Generator rng(4);
  nn::AttentionPooling theirs({.score = {.name = "dot", .query = 3, .key = 3}, .learned = false}, rng);
  Variable q(Tensor::normal({2, 3}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
  Variable x(Tensor::normal({2, 5, 3}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
  for (const std::vector<int>& flags :
       {std::vector<int>{1, 1, 1, 0, 0, 1, 1, 1, 1, 0}, {1, 0, 0, 0, 0, 1, 0, 1, 1, 1}}) {
    Tensor words = Tensor::from_bools(flags, {2, 5});
    Variable mine = ask(q, x, words), wanted = squeeze(theirs.ask(unsqueeze(q, 1), x, x, words).context, 1);
    if (!e.check("the vector", mine.value(), wanted.value(), 1e-12)) continue;
    auto by_mine = grad({sum(square(mine))}, {q, x}), by_wanted = grad({sum(square(wanted))}, {q, x});
    e.check("the gradient by the query", by_mine[0].value(), by_wanted[0].value(), 1e-12);
    e.check("the gradient by the words", by_mine[1].value(), by_wanted[1].value(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 2, "Pooling that is asked");
  e.hint("masked_fill(x, mask, value) puts the value where the mask is true.");
  e.hint("logical_not(words) is true for padding.");
  e.hint("The weight of padding must be exactly 0: exp(-INFINITY) is.");
  e.insight(
      "The same sentence now gives a different vector for each query: this is attention, with the words as keys and\n"
      "values. The mask comes before the softmax, so that the weights of the words sum to 1.",
      "./heed exercise 09 3");
  return e.run(argc, argv, mine::ask, examine, mistakes);
}
