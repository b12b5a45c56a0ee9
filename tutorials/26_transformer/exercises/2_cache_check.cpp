// Hints, common mistakes and checks of exercise 26.2.
#include "tutorials/26_transformer/exercises/2_cache.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Cache;
using mine::Weights;

// The right answer with one part exchanged: what becomes of the cache.
struct Word {
  Variable q, k, v;
};
Word word(const Variable& x, const Weights& w) { return {linear(x, w.q, {}), linear(x, w.k, {}), linear(x, w.v, {})}; }
Variable attend(const Variable& q, const Cache& cache) {
  Variable scores = matmul(q, transpose(cache.keys, 0, 1)) * (1 / std::sqrt(static_cast<double>(q.size(1))));
  return matmul(softmax(scores, -1), cache.values);
}
Variable after(const Variable& old, const Variable& row) { return old.defined() ? concat({old, row}, 0) : row; }

using V = const Variable&;
using W = const Weights&;
const std::vector<app::Mistake<decltype(&mine::step)>> mistakes{
    {"The gap is still open: the cache has one row only, and each word attends to itself alone",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       return attend(q, c = {k, v});
     }},
    {"You keep the first word only: append the key and the value of every word",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       if (!c.keys.defined()) c = {k, v};
       return attend(q, c);
     }},
    {"The first word is in your cache twice: append only if the cache was defined before this step",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       if (!c.keys.defined()) c = {k, v};
       return attend(q, c = {after(c.keys, k), after(c.values, v)});
     }},
    {"You keep the keys and not the values: each kept key needs its value",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       return attend(q, c = {after(c.keys, k), v});
     }},
    {"Your cache of values has keys in it: append v to cache.values",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       return attend(q, c = {after(c.keys, k), after(c.values, c.keys.defined() ? k : v)});
     }},
    {"You added the new key and value to the cache: append them as a new row, with concat",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       return attend(q, c = {c.keys.defined() ? c.keys + k : k, c.values.defined() ? c.values + v : v});
     }},
    {"You appended along axis 1, which makes one long row: words are axis 0",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       bool first = !c.keys.defined();
       return attend(q, c = {first ? k : concat({c.keys, k}, 1), first ? v : concat({c.values, v}, 1)});
     }},
    {"Keys and values are in different orders: row j of both belongs to word j",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       return attend(q, c = {after(c.keys, k), c.values.defined() ? concat({v, c.values}, 0) : v});
     }},
    {"You keep the input x: what is kept is its key, x W_k^T, and its value, x W_v^T",
     [](V x, W w, Cache& c) {
       auto [q, k, v] = word(x, w);
       bool first = !c.keys.defined();
       return attend(q, c = {after(c.keys, first ? k : x), after(c.values, first ? v : x)});
     }},
};

Variable all_at_once(const Variable& x, const Weights& w) {
  int64_t T = x.size(0);
  auto [q, k, v] = word(x, w);
  std::vector<double> later(static_cast<size_t>(T * T), 0);
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = i + 1; j < T; ++j) later[static_cast<size_t>(i * T + j)] = -INFINITY;
  Variable scores = matmul(q, transpose(k, 0, 1)) * (1 / std::sqrt(static_cast<double>(x.size(1))));
  return matmul(softmax(scores + Variable(Tensor::from(later, {T, T})), -1), v);
}

void examine(app::Exercise& e, const decltype(&mine::step)& step) {
  Generator rng(1);
  constexpr int64_t T = 6, D = 4;
  auto drawn = [&](const Shape& shape) { return Variable(Tensor::normal(shape, rng, 0, 1, DType::f64)); };
  Weights w{drawn({D, D}), drawn({D, D}), drawn({D, D})};
  Variable x = drawn({T, D});
  Tensor together = all_at_once(x, w).value();
  Cache cache;
  for (int64_t t = 0; t < T; ++t) {
    Variable h = step(slice(x, 0, t, t + 1), w, cache);
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
  return e.run(argc, argv, mine::step, examine, mistakes);
}
