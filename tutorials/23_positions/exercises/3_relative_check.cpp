// Hints, common mistakes and checks of exercise 23.3.
#include "tutorials/23_positions/exercises/3_relative.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "nn/attention/positions/shaw.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/module.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Tables;
using V = const Variable&;
using Relative = std::function<Variable(V, V, V, const Tables&, int64_t, bool)>;

// The answer with one vector for each pair, [T, S, K], and with one part exchanged.
struct Wrong {
  bool other_sign = false, absolute = false, from_zero = false, wraps = false;      // the rows
  bool no_keys = false, no_values = false, exchanged = false, last_weight = false;  // the tables
  bool late_position = false, no_root = false, wide_root = false;                   // the root
  bool see_all = false, not_itself = false, zero_mask = false, over_queries = false, mask_from_zero = false;
};

struct Pairs {
  Tensor rows, hidden, repeated;  // [T, S] each; repeated: a later key has the same row
};
Pairs pairs(int64_t T, int64_t S, int64_t R, int64_t first, const Wrong& wrong) {
  std::vector<int64_t> rows;
  std::vector<int> hidden, repeated;
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) {
      int64_t distance = s - (wrong.from_zero ? t : first + t);
      if (wrong.other_sign) distance = -distance;
      if (wrong.absolute) distance = std::abs(distance);
      rows.push_back(std::clamp(distance, -R, R) + R);
      if (wrong.wraps) rows.back() = ((distance + R) % (2 * R + 1) + 2 * R + 1) % (2 * R + 1);
      const int64_t after = s - (wrong.mask_from_zero || wrong.from_zero ? t : first + t);
      hidden.push_back(wrong.not_itself ? after >= 0 : after > 0);
    }
  for (std::size_t i = 0; i < rows.size(); ++i)
    repeated.push_back((i + 1) % static_cast<std::size_t>(S) != 0 && rows[i + 1] == rows[i]);
  return {Tensor::from(rows, {T, S}), Tensor::from_bools(hidden, {T, S}), Tensor::from_bools(repeated, {T, S})};
}

Relative relative(Wrong wrong) {
  return [wrong](V q, V k, V v, const Tables& tables, int64_t first, bool causal) {
    const int64_t H = q.size(0), T = q.size(1), K = q.size(2), R = (tables.keys.size(0) - 1) / 2;
    Pairs p = pairs(T, k.size(1), R, first, wrong);
    Variable a = index_select(wrong.exchanged ? tables.values : tables.keys, p.rows);  // [T, S, K]
    Variable b = index_select(wrong.exchanged ? tables.keys : tables.values, p.rows);
    const double root = wrong.no_root ? 1 : std::sqrt(static_cast<double>(wrong.wide_root ? H * K : K));
    Variable scores = matmul(q, transpose(k, 1, 2)) / root;
    Variable positions = squeeze(matmul(a, unsqueeze(q, 3)), 3);  // [H, T, S]
    if (!wrong.no_keys) scores = scores + (wrong.late_position ? positions : positions / root);
    if (causal && !wrong.see_all) scores = masked_fill(scores, p.hidden, wrong.zero_mask ? 0 : -INFINITY);
    Variable w = softmax(scores, wrong.over_queries ? 1 : 2), context = matmul(w, v);
    if (wrong.no_values) return context;
    Variable kept = wrong.last_weight ? masked_fill(w, p.repeated, 0) : w;
    return context + squeeze(matmul(unsqueeze(kept, 2), b), 2);
  };
}

const std::vector<app::Mistake<Relative>> mistakes{
    {"The gap is still open: attention without positions and without a mask",
     relative({.no_keys = true, .no_values = true, .see_all = true})},
    {"Your distance has the wrong sign: it is s - p_t, so that a key before the query has a negative one",
     relative({.other_sign = true})},
    {"Keys before and after the query share a vector: clip s - p_t with its sign", relative({.absolute = true})},
    {"You count the queries from 0, also with a cache: query t is at position first + t",
     relative({.from_zero = true})},
    {"With a cache your causal mask hides keys that are not later: query t is at position first + t",
     relative({.mask_from_zero = true})},
    {"Distances beyond the reach start again at the other end of the table: clip them", relative({.wraps = true})},
    {"The table of the keys is not used: add q_t . a_r to the scores", relative({.no_keys = true})},
    {"The table of the values is not used: add sum_s w_ts b_r to the context", relative({.no_values = true})},
    {"The two tables are exchanged: a belongs to the scores, b to the context", relative({.exchanged = true})},
    {"Of the keys that share a row of b only the last one counts: add their weights up",
     relative({.last_weight = true})},
    {"q_t . a_r is not divided by sqrt(K): add it to q_t . k_s first, then divide", relative({.late_position = true})},
    {"The scores are not divided by sqrt(K)", relative({.no_root = true})},
    {"The scores are divided by the root of H K: K is the width of one head", relative({.wide_root = true})},
    {"Later keys get weight although `causal` is set: give them the score -infinity", relative({.see_all = true})},
    {"A query does not attend to its own position: hide keys with s > p_t only", relative({.not_itself = true})},
    {"Later keys have the score 0, and exp(0) is 1: they need -infinity", relative({.zero_mask = true})},
    {"The softmax is over the queries: the weights of a query sum to 1 over the keys, the last axis",
     relative({.over_queries = true})},
};

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

void examine(app::Exercise& e, const Relative& attend) {
  Generator rng(7);
  constexpr int64_t H = 2, K = 3;
  auto normal = [&](const Shape& shape) { return Variable(Tensor::normal(shape, rng, 0, 1, DType::f64)); };
  for (auto [T, S, R, first, causal] : {std::tuple{4, 9, 2, 0, false}, {6, 6, 1, 0, true}, {2, 7, 3, 4, true}}) {
    Words x{normal({H, T, K}), normal({H, S, K}), normal({H, S, K})};
    auto fresh = [&] {
      return Variable(Tensor::normal({2 * R + 1, K}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    };
    Tables tables{fresh(), fresh()};
    const std::string what =
        fmt::format("{} queries from position {}, {} keys, reach {}{}", T, first, S, R, causal ? ", causal" : "");
    Variable ours = joined(attend(x.q, x.k, x.v, tables, first, causal)), theirs = expected(x, tables, first, causal);
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
      "./heed run 24");
  return e.run(argc, argv, Relative(mine::relative_attention), examine, mistakes);
}
