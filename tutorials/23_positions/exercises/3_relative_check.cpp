// Hints and checks of exercise 23.3.
#include "tutorials/23_positions/exercises/3_relative.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/backward.h"
#include "nn/attention/positions/shaw.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/module.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Tables;
using V = const Variable&;

struct Words {
  Variable q, k, v;  // [H, T, K], [H, S, K], [H, S, K]
};
Variable joined(V heads) {  // [H, T, K] -> [1, T, H K]
  return reshape(permute(heads, {1, 0, 2}), {1, heads.size(1), heads.size(0) * heads.size(2)});
}

// The library's multi-head attention, with projections that change nothing. -> [1, T, H K]
Variable expected(const Words& x, const Tables& tables, int64_t first, bool causal) {
  const int64_t H = x.q.size(0), K = x.q.size(2), R = (tables.keys.size(0) - 1) / 2;
  Generator unused(1);
  nn::MultiHeadAttention attention({.model = H * K,
                                    .heads = H,
                                    .bias = false,
                                    .scope = {.name = causal ? "causal" : "global"},
                                    .position = {.name = "shaw", .settings = {{"max_distance", R}}}},
                                   unused);
  nn::convert(attention, DType::f64);
  Tensor same = Tensor::eye(H * K, DType::f64);
  attention.in_proj_weight.set_value(concat({Variable(same), Variable(same), Variable(same)}, 0).value());
  attention.out_proj.weight.set_value(same);
  auto& position = dynamic_cast<nn::ShawPositions&>(*attention.position);
  position.keys = tables.keys, position.values = tables.values;
  return attention(joined(x.q), joined(x.k), joined(x.v), {.places = {.first_query = first}}).output;
}

void examine(app::Exercise& e) {
  Generator rng(7);
  constexpr int64_t H = 2, K = 3;
  auto normal = [&](const Shape& shape) { return Variable(Tensor::normal(shape, rng, 0, 1, DType::f64)); };
  for (auto [T, S, R, first, causal] : {std::tuple{4, 9, 2, 0, false}, {6, 6, 1, 0, true}, {2, 7, 3, 4, true}}) {
    Words x{normal({H, T, K}), normal({H, S, K}), normal({H, S, K})};
    auto fresh = [&, R = R] {
      return Variable(Tensor::normal({2 * R + 1, K}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    };
    Tables tables{fresh(), fresh()};
    const std::string what =
        fmt::format("{} queries from position {}, {} keys, reach {}{}", T, first, S, R, causal ? ", causal" : "");
    Variable ours = joined(mine::relative_attention(x.q, x.k, x.v, tables, first, causal)),
             theirs = expected(x, tables, first, causal);
    e.check(fmt::format("{}: context ", what), ours.value(), theirs.value(), 1e-10);
    Variable direction = normal({1, T, H * K});
    auto gradient = [&](V context, V table) {
      if (!context.requires_grad()) return Tensor::zeros(table.shape(), DType::f64);
      Variable of_table = grad({sum(context * direction)}, {table}, {.allow_unused = true})[0];
      return of_table.defined() ? of_table.value() : Tensor::zeros(table.shape(), DType::f64);
    };
    e.check(fmt::format("{}: gradient of the keys' table ", what), gradient(ours, tables.keys),
            gradient(theirs, tables.keys), 1e-10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("23", 3, "Attention with Shaw's relative positions");
  e.hint("std::clamp(s - (first + t), -R, R) + R is the row of a pair; R is (tables.keys.size(0) - 1) / 2.");
  e.hint("Tensor::from(rows, {1, T, S}).expand({H, T, S}).contiguous() is an index for gather and scatter_add.");
  e.hint("matmul(q, transpose(tables.keys, 0, 1)) is [H, T, 2 R + 1]; gather(that, index) is [H, T, S].");
  e.hint("scatter_add(w, index, 2 * R + 1) adds up the weights of each distance; matmul it with tables.values.");
  e.insight(
      "A term that depends on few different values is multiplied once for each value and then selected: [T, 2 R + 1]\n"
      "numbers instead of [T, S, K]. The rows depend on the distance only, so the whole sentence may move.",
      "./heed exercise 23 4");
  return e.run(argc, argv, examine);
}
