// Exercise 26.2: one word a step.
//
//   all at once    h = softmax(q k^T / sqrt(D), causal) v        q, k, v [T, D] = x W_q^T, x W_k^T, x W_v^T
//   with a cache   at step t only x_t comes: its key and value are put behind those that are kept, and its query looks
//                  at all of them. No mask is needed: what is to come is not there.
#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/init.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

struct Weights {
  Variable q, k, v;  // [D, D] each
};
struct Cache {
  Variable keys, values;  // [words so far, D]; undefined before the first word
};

// x [1, D], one word -> [1, D]; the cache grows by a row.
Variable step(const Variable& x, const Weights& w, Cache& cache) {
  Variable q = linear(x, w.q, {}), k = linear(x, w.k, {}), v = linear(x, w.v, {});
  // ---- the gap, filled: keep what came before ----
  bool first = !cache.keys.defined();
  cache = {first ? k : concat({cache.keys, k}, 0), first ? v : concat({cache.values, v}, 0)};
  // ---- end of the gap ----
  Variable scores = matmul(q, transpose(cache.keys, 0, 1)) * (1 / std::sqrt(static_cast<double>(x.size(1))));
  return matmul(softmax(scores, -1), cache.values);
}

Variable all_at_once(const Variable& x, const Weights& w) {
  int64_t T = x.size(0);
  Variable q = linear(x, w.q, {}), k = linear(x, w.k, {}), v = linear(x, w.v, {});
  std::vector<double> later(static_cast<size_t>(T * T), 0);
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = i + 1; j < T; ++j) later[static_cast<size_t>(i * T + j)] = -INFINITY;
  Variable scores = matmul(q, transpose(k, 0, 1)) * (1 / std::sqrt(static_cast<double>(x.size(1))));
  return matmul(softmax(scores + Variable(Tensor::from(later, {T, T})), -1), v);
}

}  // namespace

int main(int argc, char** argv) {
  app::Exercise e("26", 2, "One word a step");
  e.hint("concat({cache.keys, k}, 0) puts one row behind the others.");
  e.hint("Before the first word cache.keys.defined() is false.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    constexpr int64_t T = 5, D = 4;
    auto drawn = [&](const Shape& shape) { return Variable(nn::init::normal(shape, rng, {}, DType::f64)); };
    Weights w{drawn({D, D}), drawn({D, D}), drawn({D, D})};
    Variable x = drawn({T, D});
    Tensor together = all_at_once(x, w).value();
    Cache cache;
    for (int64_t t = 0; t < T; ++t) {
      Variable h = step(slice(x, 0, t, t + 1), w, cache);
      e.check(fmt::format("word {},", t + 1), h.value(), together.slice(0, t, t + 1), 1e-12);
      e.check(fmt::format("keys kept after word {},", t + 1), static_cast<double>(cache.keys.size(0)),
              static_cast<double>(t + 1), 0);
    }
  });
}
