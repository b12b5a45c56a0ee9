// Hints, common mistakes and checks of exercise 21.1.
#include "tutorials/21_hierarchical/exercises/1_both_levels.h"

#include <fmt/format.h>

#include <vector>

#include "autograd/ops.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

Tensor product(const Tensor& w, const Tensor& v) { return mul(w, v.unsqueeze(1)); }

const std::vector<app::Mistake<decltype(&mine::weights_in_document)>> mistakes{
    {"Your weights sum to the number of sentences: each sentence counts fully. Multiply row m by v_m",
     [](const Tensor& w, const Tensor&) { return w; }},
    {"Each sentence has the weight 1 / M in yours: multiply row m by its own weight v_m",
     [](const Tensor& w, const Tensor&) { return div(w, static_cast<double>(w.size(0))); }},
    {"v is spread along the wrong axis: v_m belongs to row m, so v.unsqueeze(1), [M, 1]",
     [](const Tensor& w, const Tensor& v) { return mul(w, v.unsqueeze(0)); }},
    {"The weights of the words are not in your result: multiply w_ml and v_m",
     [](const Tensor& w, const Tensor& v) {
       return div(v.unsqueeze(1).expand(w.shape()), static_cast<double>(w.size(1)));
     }},
    {"You added the weights of the two levels: substituting s_m into d gives their product",
     [](const Tensor& w, const Tensor& v) { return add(w, v.unsqueeze(1)); }},
    {"You averaged the weights of the two levels: substituting s_m into d gives their product",
     [](const Tensor& w, const Tensor& v) { return div(add(w, v.unsqueeze(1)), 2); }},
    {"You applied a softmax to the products: they sum to 1 already",
     [](const Tensor& w, const Tensor& v) {
       return softmax(Variable(product(w, v).view({w.count()})), 0).value().view(w.shape());
     }},
    {"You divided the products by the number of words: w_ml is divided among the words of a sentence already",
     [](const Tensor& w, const Tensor& v) { return div(product(w, v), static_cast<double>(w.size(1))); }},
};

void examine(app::Exercise& e, const decltype(&mine::weights_in_document)& weights_in_document) {
  constexpr int64_t L = 3, D = 2;
  for (int64_t M : {2, 5}) {
    Generator rng(static_cast<uint64_t>(M));
    auto drawn = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
    Tensor w = softmax(Variable(drawn({M, L})), 1).value();
    Tensor v = softmax(Variable(drawn({M})), 0).value();
    Tensor h = drawn({M, L, D});
    Tensor sentences = sum(mul(h, w.unsqueeze(2)), Dims{1});         // [M, D]
    Tensor document = sum(mul(sentences, v.unsqueeze(1)), Dims{0});  // [D]
    Tensor u = weights_in_document(w, v);
    if (!e.check(fmt::format("the shape of u for {} sentences", M), to_string(u.shape()), to_string(w.shape())))
      continue;
    e.check(fmt::format("the vector of a document of {} sentences, element ", M),
            sum(mul(h, u.unsqueeze(2)), Dims{0, 1}), document, 1e-12);
    e.check(fmt::format("the sum of all weights of {} sentences", M), sum(u).item(), 1, 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("21", 1, "Which word counts in the document?");
  e.hint("Every w_ml of sentence m is multiplied by the same number.");
  e.hint("u_ml = v_m w_ml.");
  e.hint("v.unsqueeze(1) is [M, 1], and mul broadcasts it over the L words.");
  e.insight(
      "A word counts in the document only if its sentence does: a high weight in an unimportant sentence is worth\n"
      "little. The products sum to 1, so two levels of soft attention are one attention over all words.",
      "./heed exercise 21 2");
  return e.run(argc, argv, mine::weights_in_document, examine, mistakes);
}
