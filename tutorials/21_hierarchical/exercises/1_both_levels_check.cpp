// Hints and checks of exercise 21.1.
#include "tutorials/21_hierarchical/exercises/1_both_levels.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  constexpr int64_t L = 3, D = 2;
  for (int64_t M : {2, 5}) {
    Generator rng(static_cast<uint64_t>(M));
    auto drawn = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
    Tensor w = softmax(Variable(drawn({M, L})), 1).value();
    Tensor v = softmax(Variable(drawn({M})), 0).value();
    Tensor h = drawn({M, L, D});
    Tensor sentences = sum(mul(h, w.unsqueeze(2)), Dims{1});         // [M, D]
    Tensor document = sum(mul(sentences, v.unsqueeze(1)), Dims{0});  // [D]
    Tensor u = mine::weights_in_document(w, v);
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
  return e.run(argc, argv, examine);
}
