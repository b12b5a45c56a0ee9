// What structures for sets and graphs hold.
#include <cmath>

#include "nn/attention/structures/hopfield.h"
#include "nn/attention/structures/set_transformer.h"
#include "nn/attention/structures/slot_attention.h"
#include "nn/zoo/graph_attention.h"
#include "tensor/indexing.h"
#include "tests/nn/attention/memory_properties.h"

namespace heed::nn_test {
namespace {

const std::vector<int64_t> kOrder{3, 0, 4, 2, 1};
Tensor order() { return Tensor::from(kOrder, {5}); }
Variable set() { return Variable(random({2, 5, kWidth}, 1, kF64)); }
Variable reordered(const Variable& x, int64_t axis = 1) { return Variable(index_select(x.value(), axis, order())); }

// Reordering the elements reorders the outputs in the same way: the input is a set.
PROPERTY(elements_permuted_permute_the_output) {
  for (int64_t inducing : {0, 2}) {
    nn::SetBlock m = built<nn::SetBlock>({.model = kWidth, .heads = 2, .inducing = inducing});
    CHECK(max_abs_difference(m(reordered(set())).context.value(), reordered(m(set()).context).value()) < 1e-14);
    CHECK(max_abs_difference(m(set()).context.value(), reordered(m(set()).context).value()) > 1e-2);
  }
}

// The block agrees with its formula, line by line, and its weights sum to 1.
PROPERTY(sab_by_its_lines) {
  nn::SetBlock m = built<nn::SetBlock>({.model = kWidth, .heads = 2});
  Variable x = set(), h = layer_norm(x + m.outer.attention(x).output);
  Variable wanted = layer_norm(h + m.outer.rows.linear2(relu(m.outer.rows.linear1(h))));
  CHECK(max_abs_difference(m(x).context.value(), wanted.value()) < 1e-14);
  Tensor sums = sum(m(x).weights, {-1}).value();
  CHECK(max_abs_difference(sums, Tensor::ones(sums.shape(), kF64)) < 1e-14);
}

// The elements reach each other through the learned vectors alone: with one vector all of them read the same.
PROPERTY(isab_reads_through_its_points) {
  nn::SetBlock m = built<nn::SetBlock>({.model = kWidth, .heads = 1, .inducing = 1});
  nn::Attended seen = m(set());
  for (int64_t t = 1; t < 5; ++t)
    CHECK(max_abs_difference(seen.weights.value().select(1, t), seen.weights.value().select(1, 0)) < 1e-15);
  nn::MultiHeadBlock& inner = *m.inner;
  Variable start = expand(unsqueeze(m.inducing, 0), {2, 1, kWidth});
  Variable summary = inner(start, set()).context;
  CHECK(max_abs_difference(m.outer(set(), summary).context.value(), seen.context.value()) < 1e-15);
  CHECK(max_abs_difference(sum(seen.weights.value(), {2}), Tensor::ones({2, 5}, kF64)) < 1e-14);
}

nn::SlotAttention slots(int64_t iterations = 3) {
  return built<nn::SlotAttention>({.input = kWidth, .width = 3, .slots = 3, .iterations = iterations});
}

// Each word is first shared out among the slots, and then each slot divides by its sum: slots compete for words.
PROPERTY(slots_share_each_word_out) {
  nn::SlotAttention m = slots(1);
  Variable x = m.input_norm(set()), q = m.query(m.slot_norm(expand(unsqueeze(m.start, 0), {2, 3, 3})));
  Variable shares = softmax(matmul(q, transpose(m.key(x), 1, 2)) / std::sqrt(3.0), 1);  // columns sum to 1
  Variable wanted = shares / sum(shares, {-1}, true);
  Tensor w = m(set()).weights.value();
  CHECK(max_abs_difference(w, wanted.value()) < 1e-14);
  CHECK(max_abs_difference(sum(w, {1}), Tensor::ones({2, 5}, kF64)) > 1e-2);
}

// Reordering the first slots reorders the result, and slots that begin alike stay alike: their start alone
// tells them apart.
PROPERTY(slots_permuted_permute_the_output) {
  nn::SlotAttention m = slots();
  Variable from(random({2, 3, 3}, 4, kF64)), turned(flip(from.value(), {1}));
  CHECK(max_abs_difference(m(set(), {}, turned).context.value(), flip(m(set(), {}, from).context.value(), {1})) <
        1e-14);
  Variable alike = expand(slice(from, 1, 0, 1), {2, 3, 3});  // slots that begin alike stay alike
  Tensor same = m(set(), {}, alike).context.value();
  CHECK(max_abs_difference(same.select(1, 0), same.select(1, 2)) < 1e-15);
  CHECK(bit_equal(m(set()).context.value(), m(set(), {}, expand(unsqueeze(m.start, 0), {2, 3, 3})).context.value()));
}

// An iteration is attention, a recurrent step and a residual network, as written out; two are one after the other.
PROPERTY(an_iteration_by_its_lines) {
  nn::SlotAttention one = slots(1), two = slots(2);
  Variable from(random({2, 3, 3}, 4, kF64)), x = set();
  Variable read = matmul(one(x, {}, from).weights, one.value(one.input_norm(x)));
  Variable next = reshape(one.update(reshape(read, {6, 3}), reshape(from, {6, 3})), {2, 3, 3});
  next = next + one.mlp(one.mlp_norm(next));
  CHECK(max_abs_difference(one(x, {}, from).context.value(), next.value()) < 1e-14);
  CHECK(max_abs_difference(two(x, {}, from).context.value(), one(x, {}, next).context.value()) < 1e-14);
}

// Reordering the input changes no slot.
PROPERTY(input_has_no_order) {
  nn::SlotAttention m = slots();
  CHECK(max_abs_difference(m(reordered(set())).context.value(), m(set()).context.value()) < 1e-14);
  CHECK(max_abs_difference(m(reordered(set())).weights.value(), reordered(m(set()).weights, 2).value()) < 1e-14);
}

// Five patterns of +1 and -1 in 32 dimensions, which are far from each other.
Tensor patterns() {
  Generator rng(8);
  Tensor p = Tensor::zeros({1, 5, 32}, kF64);
  for (int64_t s = 0; s < 5; ++s)
    for (int64_t d = 0; d < 32; ++d) p.set({0, s, d}, rng.uniform() < 0.5 ? -1 : 1);
  return p;
}

// At a high beta each stored pattern stays where it is; at a very low one every state moves to the mean of all.
PROPERTY(stored_patterns_are_fixed_points) {
  Variable p(patterns());
  nn::Retrieved seen = nn::hopfield_retrieve(p, p, {.beta = 4, .steps = 10});
  CHECK(max_abs_difference(seen.state.value(), p.value()) < 1e-6);
  CHECK(seen.steps == 1);  // it stays where it is, and that is noticed
  nn::Retrieved mean_of_all = nn::hopfield_retrieve(p, p, {.beta = 1e-4, .steps = 50});
  Tensor wanted = mean(p, {1}, true).value().expand(p.shape());
  CHECK(max_abs_difference(mean_of_all.state.value(), wanted) < 1e-2);
  CHECK(mean_of_all.steps < 50);
}

// One step restores a pattern of which a part is missing.
PROPERTY(one_step_repairs_a_pattern) {
  Tensor broken = patterns();
  for (int64_t s = 0; s < 5; ++s)
    for (int64_t d = 0; d < 8; ++d) broken.set({0, s, d}, 0);  // a quarter of each is missing
  CHECK(max_abs_difference(broken, patterns()) == 1);
  Tensor found = nn::hopfield_retrieve(Variable(broken), Variable(patterns()), {.beta = 4}).state.value();
  CHECK(max_abs_difference(found, patterns()) < 1e-3);
}

// No step increases the energy, at any beta, so repeated steps settle.
PROPERTY(energy_never_increases) {
  Variable x(random({2, 3, kWidth}, 5, kF64)), p = set();
  for (double beta : {0.3, 1.0, 5.0}) {
    Variable state = x;
    double first = sum(nn::hopfield_energy(x, p, beta)).value().item();
    for (int step = 0; step < 6; ++step) {
      Variable next = nn::hopfield_retrieve(state, p, {.beta = beta}).state;
      Tensor change = sub(nn::hopfield_energy(next, p, beta).value(), nn::hopfield_energy(state, p, beta).value());
      CHECK(amax(change, {}).item() <= 1e-12);
      state = next;
    }
    CHECK(sum(nn::hopfield_energy(state, p, beta)).value().item() < first - 1e-2);
  }
}

// One step is attention to the patterns with beta as its scale, and two steps are one after the other.
PROPERTY(one_step_is_attention) {
  Ask ask = small_ask();
  nn::Retrieved seen = nn::hopfield_retrieve(ask.query, ask.keys, {.beta = 0.5});
  nn::Attended wanted = nn::attend(matmul(ask.query, transpose(ask.keys, 1, 2)) / std::sqrt(4.0), ask.keys);
  CHECK(max_abs_difference(seen.state.value(), wanted.context.value()) < 1e-15);
  nn::Retrieved twice = nn::hopfield_retrieve(ask.query, ask.keys, {.beta = 0.5, .steps = 2});
  nn::Retrieved again = nn::hopfield_retrieve(seen.state, ask.keys, {.beta = 0.5});
  CHECK(max_abs_difference(twice.state.value(), again.state.value()) < 1e-15);
}

Tensor edges() {  // a path 0 - 1 - 2 - 3, and node 4 by itself
  return Tensor::from_bools({0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, {5, 5});
}

// Renumbering the nodes together with their edges renumbers the outputs in the same way.
PROPERTY(nodes_permuted_permute_the_output) {
  for (bool v2 : {false, true}) {
    auto m = built<nn::GraphAttention>({.input = kWidth, .width = 3, .heads = 2, .v2 = v2});
    Tensor turned = index_select(index_select(edges(), 0, order()), 1, order());
    CHECK(max_abs_difference(m(reordered(set()), turned).context.value(),
                             reordered(m(set(), edges()).context).value()) < 1e-14);
  }
}

// On a complete graph it is dense attention with the same score: the edges are only a mask.
PROPERTY(a_complete_graph_is_dense_attention) {
  for (bool v2 : {false, true}) {
    auto m = built<nn::GraphAttention>({.input = kWidth, .width = 3, .v2 = v2});
    Variable h = set();
    nn::Score& score = v2 ? static_cast<nn::Score&>(m.second[0]) : m.first[0];
    Variable values = linear(h, v2 ? m.second[0].key.weight : m.first[0].shared.weight, {});
    nn::Attended dense = nn::attend(score(h, score.prepare(h)), values);
    Tensor all = Tensor::ones({5, 5}, DType::boolean);
    for (const Tensor& graph : {all, Tensor()}) {
      CHECK(max_abs_difference(m(h, graph).context.value(), elu(dense.context).value()) < 1e-15);
      CHECK(max_abs_difference(m(h, graph).weights.value().squeeze(1), dense.weights.value()) < 1e-15);
    }
  }
}

// A node reads itself and its neighbours alone; without itself, a node that has no neighbours gets zeros.
PROPERTY(only_neighbours_are_read) {
  auto m = built<nn::GraphAttention>({.input = kWidth, .width = 3, .heads = 2});
  auto bare = built<nn::GraphAttention>({.input = kWidth, .width = 3, .heads = 2, .self_loops = false});
  Variable h = leaf(set().value());
  backward(weighted_sum(select(m(h, edges()).context, 1, 0)));
  for (int64_t j = 0; j < 5; ++j) CHECK(all_zero(h.grad().select(1, j)) == (j > 1));  // itself and node 1
  CHECK(all_zero(bare(h, edges()).context.value().select(1, 4)));                     // without neighbours
  CHECK(m(h, edges()).weights.value().at({0, 0, 4, 4}) == 1);
  Variable other = m(set(), edges().unsqueeze(0).expand({2, 5, 5})).context;  // edges of each sentence
  CHECK(bit_equal(other.value(), m(set(), edges()).context.value()));
}

// The heads are joined, or averaged before the nonlinearity, as chosen.
PROPERTY(heads_are_joined_or_averaged) {
  nn::GraphAttentionOptions o{.input = kWidth, .width = 3, .heads = 2};
  auto joined = built<nn::GraphAttention>(o);
  o.average = true;
  auto averaged = built<nn::GraphAttention>(o);
  Variable h = set();
  std::vector<Variable> heads;
  for (size_t i = 0; i < 2; ++i) {
    Variable w = select(joined(h, edges()).weights, 1, static_cast<int64_t>(i));
    heads.push_back(matmul(w, joined.first[i].shared(h)));
  }
  CHECK(max_abs_difference(joined(h, edges()).context.value(), elu(concat(heads, -1)).value()) < 1e-15);
  CHECK(max_abs_difference(averaged(h, edges()).context.value(), elu((heads[0] + heads[1]) / 2).value()) < 1e-15);
}

}  // namespace
}  // namespace heed::nn_test
