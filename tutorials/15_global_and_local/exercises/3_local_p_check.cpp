// Hints and checks of exercise 15.3.
#include "tutorials/15_global_and_local/exercises/3_local_p.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "nn/attention/attention.h"
#include "nn/attention/scopes/local_p.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Read;

void examine(app::Exercise& e) {
  constexpr int64_t S = 14, N = 3;
  struct Case {
    int64_t n, D;
    double z;  // the length of v, which moves the centre
  };
  Generator rng(4);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  for (const Case& c : {Case{11, 3, 0.5}, Case{9, 2, 6}, Case{12, 3, -6}, Case{14, 1, 0.2}}) {
    nn::Attention theirs({.score = {.name = "dot", .query = N, .key = N},
                          .scope = {.name = "local_p", .query = N, .settings = {{"window", c.D}}}},
                         rng);
    nn::convert(theirs, DType::f64);
    auto& scope = dynamic_cast<nn::LocalPScope&>(*theirs.scope);
    const Tensor q = normal({N}), h = normal({S, N}), W = normal({N, N});
    const Tensor hidden = tanh(matmul(W, q));
    const Tensor v = mul(hidden, c.z / matmul(hidden, hidden).item());  // v . tanh(W q) = z
    scope.hidden.weight.set_value(W), scope.v.weight.set_value(v.unsqueeze(0));
    const Tensor words = Tensor::from(std::vector<int64_t>{c.n}, {1});
    const Variable keys(h.unsqueeze(0));
    const nn::Attended expected = theirs(Variable(q.view({1, 1, N})), theirs.remember(keys, keys, words));
    const Read ours = mine::local_p(q, h, W, v, c.n, c.D);
    const std::string with = fmt::format("of {} words with D = {}", c.n, c.D);
    e.check("the centre " + with, ours.centre, static_cast<double>(c.n) / (1 + std::exp(-c.z)), 1e-12);
    e.check("the weights " + with, ours.weights, expected.weights.value().view({S}), 1e-12);
    e.check("the context " + with, ours.context, expected.context.value().view({N}), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("15", 3, "Local attention with a predicted centre");
  e.hint("p = n / (1 + exp(-z)) with z = matmul(v, tanh(matmul(W, q))).item().");
  e.hint("first = max(round(p) - D, 0) and end = min(round(p) + D + 1, n): the window is [first, end).");
  e.hint("h.slice(0, first, end) are the rows of the window, and matmul(rows, q).to_vector() their scores.");
  e.hint("sigma = D / 2.0, with the point: D is an integer. The distance of position s is s - p, with p not rounded.");
  e.hint("add_into(read.context, h.select(0, s), w) adds w times row s.");
  e.insight(
      "The window decides which positions are read, and has no gradient; the Gaussian moves the weight within it, and\n"
      "through it the centre learns. Only 2 D + 1 scores are needed, however long the source is.",
      "./heed run 16");
  return e.run(argc, argv, examine);
}
