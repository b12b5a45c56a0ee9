// Hints and checks of exercise 26.2.
#include "tutorials/26_transformer/exercises/2_cache.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Cache;
using mine::Weights;

Variable all_at_once(const Variable& x, const Weights& w) {
  int64_t T = x.size(0);
  Variable q = linear(x, w.q, {}), k = linear(x, w.k, {}), v = linear(x, w.v, {});
  std::vector<double> later(static_cast<size_t>(T * T), 0);
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = i + 1; j < T; ++j) later[static_cast<size_t>(i * T + j)] = -INFINITY;
  Variable scores = matmul(q, transpose(k, 0, 1)) * (1 / std::sqrt(static_cast<double>(x.size(1))));
  return matmul(softmax(scores + Variable(Tensor::from(later, {T, T})), -1), v);
}

void examine(app::Exercise& e) {
  Generator rng(1);
  constexpr int64_t T = 6, D = 4;
  auto drawn = [&](const Shape& shape) { return Variable(Tensor::normal(shape, rng, 0, 1, DType::f64)); };
  Weights w{drawn({D, D}), drawn({D, D}), drawn({D, D})};
  Variable x = drawn({T, D});
  Tensor together = all_at_once(x, w).value();
  Cache cache;
  for (int64_t t = 0; t < T; ++t) {
    Variable h = mine::step(slice(x, 0, t, t + 1), w, cache);
    e.check(fmt::format("the result for word {}, element ", t + 1), h.value(), together.slice(0, t, t + 1), 1e-12);
    auto rows = [&](const Variable& v) { return v.defined() ? static_cast<double>(v.size(0)) : 0; };
    e.check(fmt::format("the number of keys after word {}", t + 1), rows(cache.keys), static_cast<double>(t + 1), 0);
    e.check(fmt::format("the number of values after word {}", t + 1), rows(cache.values), static_cast<double>(t + 1),
            0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("26", 2, "One word per step");
  e.hint("concat({cache.keys, k}, 0) appends one row.");
  e.hint("Before the first word cache.keys.defined() is false: then the cache is {k, v}.");
  e.hint("Append to the values, too, and in the same order: row j of both belongs to word j.");
  e.insight(
      "With a cache each step costs one query over t keys instead of the whole sentence again, and needs no mask: the\n"
      "cache holds no later word. The price is memory, 2 D numbers per word and layer.",
      "./heed exercise 26 3");
  return e.run(argc, argv, examine);
}
