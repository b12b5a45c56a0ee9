// Hints and checks of exercise 18.1.
#include "tutorials/18_copy_and_point/exercises/1_mixture.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Row = std::vector<double>;
using Ids = std::vector<std::size_t>;

void examine(app::Exercise& e) {
  Generator rng(18);
  auto shares = [&](int64_t n) {
    return softmax(Variable(Tensor::normal({n}, rng, 0, 1, DType::f64)), 0).value().to_vector();
  };
  const std::vector<std::pair<Ids, std::size_t>> sources{
      {{4, 9, 5, 9, 10, 3}, 11}, {{6, 6, 2, 4, 3}, 9}, {{9, 10, 11, 9, 9, 7, 3}, 12}};
  for (double g : {0.8, 0.25}) {
    for (const auto& [x, size] : sources) {
      const Row p = shares(9), a = shares(static_cast<int64_t>(x.size()));
      Row expected(size, 0);  // a sum over the places, for each word
      for (std::size_t w = 0; w < size; ++w) {
        double copied = 0;
        for (std::size_t s = 0; s < x.size(); ++s) copied += x[s] == w ? a[s] : 0;
        expected[w] = (w < 9 ? g * p[w] : 0) + (1 - g) * copied;
      }
      const Row P = mine::mixture(g, p, a, x, size);
      double total = 0;
      for (double value : P) total += value;
      const std::string given = fmt::format("g = {:g}, {} source words", g, x.size());
      e.check(given + ", P of word ", P, expected, 1e-12);
      e.check(given + ", the sum of P", total, 1, 1e-12);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("18", 1, "The distribution of a pointer-generator");
  e.hint("One loop over the source places is enough.");
  e.hint("Place s gives its share to P[x[s]].");
  e.hint("P[x[s]] += (1 - g) * a[s];");
  e.insight(
      "One line makes an output of any size: the vocabulary says nothing about the words that this sentence has.\n"
      "The += is what keeps the sum at 1 when a word is in the source twice.",
      "./heed exercise 18 2");
  return e.run(argc, argv, examine);
}
