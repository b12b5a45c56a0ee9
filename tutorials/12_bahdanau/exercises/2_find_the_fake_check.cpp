// Hints, common mistakes and checks of exercise 12.2.
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
using A = const Attention&;
using T = const Tensor&;

double largest_difference(T a, T b) { return amax(abs(sub(a, b))).item(); }
// Changes the features first .. last - 1 of key s in place.
void change(Tensor& keys, int64_t s, int64_t first, int64_t last) {
  for (int64_t k = first; k < last; ++k) keys.set({s, k}, keys.at({s, k}) + static_cast<double>(k + 1));
}
// The weights with key s changed.
Tensor with_changed(A attention, T query, T keys, int64_t s) {
  Tensor other = keys.clone();
  change(other, s, 0, keys.size(1));
  return attention(query, other);
}

const std::vector<app::Mistake<decltype(&mine::keys_listened_to)>> mistakes{
    {"The gap is still open: every attention is said to depend on all keys", [](A, T, T keys) { return keys.size(0); }},
    {"The sums of the weights are compared, which are always 1: compare weight by weight",
     [](A, T, T) { return int64_t{0}; }},
    {"A changed key stays changed when the next one is tested: change a clone() of the original keys each time (a copy "
     "of a Tensor shares its memory)",
     [](A attention, T query, T keys) {
       Tensor before = attention(query, keys), other = keys.clone();
       int64_t count = 0;
       for (int64_t s = 0; s < keys.size(0); ++s) {
         change(other, s, 0, keys.size(1));
         count += largest_difference(attention(query, other), before) > 0;
       }
       return count;
     }},
    {"Only the first feature of each key is changed: an attention may use another one, so change all",
     [](A attention, T query, T keys) {
       int64_t count = 0;
       for (int64_t s = 0; s < keys.size(0); ++s) {
         Tensor other = keys.clone();
         change(other, s, 0, 1);
         count += largest_difference(attention(query, other), attention(query, keys)) > 0;
       }
       return count;
     }},
    {"Only the first key is changed, and the others are assumed to behave like it: test each key",
     [](A attention, T query, T keys) {
       return largest_difference(with_changed(attention, query, keys, 0), attention(query, keys)) > 0 ? keys.size(0)
                                                                                                      : int64_t{0};
     }},
    {"All keys are changed at once, which does not show which of them mattered: change one at a time",
     [](A attention, T query, T keys) {
       return largest_difference(attention(query, mul(keys, 2.0)), attention(query, keys)) > 0 ? keys.size(0)
                                                                                               : int64_t{0};
     }},
    {"The weights that change are counted, and one key changes many of them: count the keys",
     [](A attention, T query, T keys) {
       int64_t count = 0;
       for (int64_t s = 0; s < keys.size(0); ++s)
         for (double d : abs(sub(with_changed(attention, query, keys, s), attention(query, keys))).to_vector())
           count += d > 0;
       return count;
     }},
    {"The last key is not tested: s runs up to S - 1",
     [](A attention, T query, T keys) {
       int64_t count = 0;
       for (int64_t s = 0; s + 1 < keys.size(0); ++s)
         count += largest_difference(with_changed(attention, query, keys, s), attention(query, keys)) > 0;
       return count;
     }},
    {"The keys that do not matter are counted: count those that change a weight",
     [](A attention, T query, T keys) {
       int64_t count = 0;
       for (int64_t s = 0; s < keys.size(0); ++s)
         count += largest_difference(with_changed(attention, query, keys, s), attention(query, keys)) == 0;
       return count;
     }},
};

void examine(app::Exercise& e, const decltype(&mine::keys_listened_to)& keys_listened_to) {
  Generator rng(1);
  constexpr int64_t S = 5, K = 3;
  auto normal = [&](const Shape& shape) { return nn::init::normal(shape, rng, {}, DType::f64); };
  Tensor W = normal({K, K}), table = normal({S, K}), query = normal({K}), keys = normal({S, K});
  auto softened = [](const Variable& scores) { return softmax(scores, 0).value(); };
  auto listens = [&](const char* name, const Attention& attention, int expected) {
    e.check(fmt::format("{}: the number of keys that matter", name),
            static_cast<double>(keys_listened_to(attention, query, keys.clone())), expected, 0);
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
  return e.run(argc, argv, mine::keys_listened_to, examine, mistakes);
}
