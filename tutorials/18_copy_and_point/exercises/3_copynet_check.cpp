// Hints and checks of exercise 18.3.
#include "tutorials/18_copy_and_point/exercises/3_copynet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::CopyNet;
using mine::kPadding;
using Row = std::vector<double>;
using Ids = std::vector<std::size_t>;

// P from its definition, in one sum for each word; scores relative to `most`.
Row probabilities(const Row& g, const Row& c, const Ids& x, std::size_t size) {
  double most = *std::max_element(g.begin(), g.end()), Z = 0;
  for (std::size_t s = 0; s < c.size(); ++s) most = x[s] == kPadding ? most : std::max(most, c[s]);
  Row P(size, 0);
  for (std::size_t w = 0; w < size; ++w) {
    if (w < g.size()) P[w] += std::exp(g[w] - most);
    for (std::size_t s = 0; s < c.size(); ++s) P[w] += x[s] == w ? std::exp(c[s] - most) : 0;
    Z += P[w];
  }
  for (double& value : P) value /= Z;
  return P;
}

void examine(app::Exercise& e) {
  Generator rng(20);
  struct Case {
    Ids x;
    std::size_t size, y;
    double shift;
  };
  const std::vector<Case> cases{{{4, 7, 5, 7, 3, kPadding}, 8, 7, 0},     // unknown, and twice in the source
                                {{2, 7, 2, 8, 3}, 9, 2, 0},               // known, and twice in the source
                                {{4, 7, kPadding, kPadding}, 8, 1, 900},  // only in the vocabulary
                                {{5, 7, 8, 7, 3}, 9, 8, -900}};
  for (const Case& given : cases) {
    Row g = Tensor::normal({7}, rng, given.shift, 1, DType::f64).to_vector();
    Row c = Tensor::normal({static_cast<int64_t>(given.x.size())}, rng, given.shift + 0.5, 1, DType::f64).to_vector();
    const CopyNet ours = mine::copynet(g, c, given.x, given.size, given.y);
    const std::string name = fmt::format("y = {}, {} places, scores near {:g}", given.y, given.x.size(), given.shift);
    auto loss = [&] { return -std::log(probabilities(g, c, given.x, given.size)[given.y]); };
    e.check(name + ", P of word ", ours.P, probabilities(g, c, given.x, given.size), 1e-12);
    e.check(name + ", the loss", ours.loss, loss(), 1e-12);
    auto numeric = [&](Row& row) {
      Row slopes;
      for (double& score : row) {
        const double before = score;
        score = before + 1e-4;
        const double high = loss();
        score = before - 1e-4;
        slopes.push_back((high - loss()) / 2e-4);
        score = before;
      }
      return slopes;
    };
    e.check(name + ", gradient by g, word ", ours.dg, numeric(g), 1e-6);
    e.check(name + ", gradient by c, place ", ours.dc, numeric(c), 1e-6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("18", 3, "CopyNet, its distribution and its gradient");
  e.hint(
      "Store exp(g_w - maximum) / Z in dg first, and exp(c_s - maximum) / Z in dc: both P and the gradients need "
      "them.");
  e.hint("P[w] starts as dg[w]; then P[x[s]] += dc[s] for every place that is not padding.");
  e.hint("The second term is the same number divided by P[y]: dg[y] -= dg[y] / P[y], if y is in the vocabulary.");
  e.hint("dc[s] -= dc[s] / P[y] for every s with x[s] == y.");
  e.insight(
      "Each way to the right word gets credit for its share of P(y): the model itself decides whether to copy or to\n"
      "write. No label says which; this is why neither CopyNet nor the pointer-generator needs one.",
      "./heed run 19");
  return e.run(argc, argv, examine);
}
