// Hints and checks of exercise 12.2.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/12_bahdanau/exercises/2_find_the_fake.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Attention;
using T = const Tensor&;

void examine(app::Exercise& e) {
  Generator rng(1);
  constexpr int64_t S = 5, K = 3;
  auto normal = [&](const Shape& shape) { return nn::init::normal(shape, rng, {}, DType::f64); };
  Tensor W = normal({K, K}), table = normal({S, K}), query = normal({K}), keys = normal({S, K});
  auto softened = [](const Variable& scores) { return softmax(scores, 0).value(); };
  auto listens = [&](const char* name, const Attention& attention, int expected) {
    e.check(fmt::format("{}: the number of keys that matter", name),
            static_cast<double>(mine::keys_listened_to(attention, query, keys.clone())), expected, 0);
  };
  listens(
      "the dot product", [&](T q, T k) { return softened(matmul(k, q)); }, S);
  listens(
      "the table chosen by the query", [&](T q, T) { return softened(matmul(table, q)); }, 0);
  listens(
      "the bilinear score", [&](T q, T k) { return softened(matmul(k, matmul(W, q))); }, S);
  listens(
      "the table chosen by the last key", [&](T q, T k) { return softened(matmul(table, add(q, k.select(0, S - 1)))); },
      1);
  listens(
      "the table chosen by the first key", [&](T q, T k) { return softened(matmul(table, add(q, k.select(0, 0)))); },
      1);
  listens(
      "the last feature", [&](T q, T k) { return softened(mul(k.select(1, K - 1), q.at({0}))); }, S);
  listens(
      "additive attention", [&](T q, T k) { return softened(sum(tanh(Variable(add(matmul(k, W), q))), {1})); }, S);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("12", 2, "Find the fake");
  e.hint("keys.clone() is a copy with its own memory; copy.set({s, k}, value) changes one number of it.");
  e.hint("amax(abs(sub(a, b))).item() is the largest difference of two tensors.");
  e.hint("Compare each changed copy with attention(query, keys), computed once before the loop.");
  e.insight(
      "Weights that look like an alignment may come from positions alone. Changing one input at a time shows what a\n"
      "function really uses, whatever its name is; the same test finds a mask that lets the future through.",
      "./heed exercise 12 3");
  return e.run(argc, argv, examine);
}
