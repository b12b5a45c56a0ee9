// Exercise 12.2: find the fake.
//
// An attention is a function from a query [Q] and keys [S, K] to weights [S]. To how many of the keys does it listen?
// A key is listened to if any weight changes when that key, and nothing else, is another.
//
// Five attentions are tried; two of them cheat.
#include <fmt/format.h>

#include <functional>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Attention = std::function<Tensor(const Tensor& query, const Tensor& keys)>;  // [Q], [S, K] -> [S]

int64_t keys_listened_to(const Attention& attention, const Tensor& query, const Tensor& keys) {
  // ---- the gap, filled: change one key at a time ----
  Tensor before = attention(query, keys);
  int64_t count = 0;
  for (int64_t s = 0; s < keys.size(0); ++s) {
    Tensor other = keys.clone();
    other.set({s, 0}, keys.at({s, 0}) + 1);
    count += amax(abs(sub(attention(query, other), before))).item() > 0;
  }
  return count;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  app::Exercise e("12", 2, "Find the fake");
  e.hint("keys.clone() is a copy; copy.set({s, k}, value) changes one number of it.");
  e.hint("amax(abs(sub(a, b))).item() is the largest difference of two tensors.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    constexpr int64_t S = 5, K = 3;
    Tensor W = nn::init::normal({K, K}, rng, {}, DType::f64), table = nn::init::normal({S, K}, rng, {}, DType::f64);
    Tensor query = nn::init::normal({K}, rng, {}, DType::f64), keys = nn::init::normal({S, K}, rng, {}, DType::f64);
    auto softened = [](const Variable& scores) { return softmax(scores, 0).value(); };
    auto listens = [&](const char* name, const Attention& attention, int expected) {
      e.check(fmt::format("keys that {} listens to,", name),
              static_cast<double>(keys_listened_to(attention, query, keys)), expected, 0);
    };
    listens(
        "the dot product", [&](const Tensor& q, const Tensor& k) { return softened(matmul(k, q)); }, S);
    listens(
        "the table by the query", [&](const Tensor& q, const Tensor&) { return softened(matmul(table, q)); }, 0);
    listens(
        "the bilinear score", [&](const Tensor& q, const Tensor& k) { return softened(matmul(k, matmul(W, q))); }, S);
    listens(
        "the table by the last key",
        [&](const Tensor& q, const Tensor& k) { return softened(matmul(table, add(q, k.select(0, S - 1)))); }, 1);
    listens(
        "additive attention",
        [&](const Tensor& q, const Tensor& k) { return softened(sum(tanh(Variable(add(matmul(k, W), q))), {1})); }, S);
  });
}
