// What memory networks, heads of neural Turing machines and their relatives hold.
#include <cmath>

#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/pool.h"
#include "nn/zoo/dnc.h"
#include "tests/nn/attention/memory_properties.h"

namespace heed::nn_test {
namespace {

const nn::MemoryNetworkOptions kSmall{.vocabulary = 6, .width = 3, .hops = 2, .sentences = 5};
Tensor story() { return ids({1, 2, 3, 4, 5, 0, 2, 2, 1, 5, 0, 0}, {2, 3, 2}); }
Tensor question() { return ids({3, 1, 4, 0}, {2, 2}); }

// A hop over values of zero leaves the question's vector as it was: what a hop adds comes from the values.
PROPERTY(hop_without_values_is_idle) {
  Ask ask = small_ask();
  nn::Attended seen = nn::memory_read(ask.query, ask.keys, ask.values * 0);
  CHECK(bit_equal((ask.query + seen.context).value(), ask.query.value()));
  nn::MemoryNetwork m = built<nn::MemoryNetwork>(kSmall);  // in a network: C = 0 leaves u = B q, which A = 0 does not
  for (size_t i = 1; i < 3; ++i) {
    m.tables[i].weight.set_value(Tensor::zeros({6, 3}, kF64));
    m.ages[i].set_value(Tensor::zeros({5, 3}, kF64));
  }
  Tensor u = nn::pool("position_encoding", m.tables[0](question()), not_equal(question(), 0)).value();
  CHECK(bit_equal(m(story(), question()).state.value(), u));
}

// Each hop reads keys from one table and values from the next, as written out hop by hop, and the answer
// uses the last.
PROPERTY(adjacent_hops_share_matrices) {
  nn::MemoryNetwork m = built<nn::MemoryNetwork>(kSmall);
  CHECK(nn::count_parameters(m) == 3 * (6 * 3 + 5 * 3));
  auto read = [&](size_t table, const Tensor& of) {
    Tensor rows = of.reshape({-1, 2});
    return nn::pool("position_encoding", m.tables[table](rows), not_equal(rows, 0));
  };
  Tensor age = ids({2, 1, 0, 1, 0, 0}, {2, 3});  // the second story has two sentences
  auto memory = [&](size_t table) {
    return reshape(read(table, story()), {2, 3, 3}) + index_select(m.ages[table], age);
  };
  Tensor exists = Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 1, 3});
  Variable u = unsqueeze(read(0, question()), 1);
  std::vector<Variable> weights;
  for (size_t k = 0; k < 2; ++k) {
    Variable e = matmul(u, transpose(memory(k), 1, 2));
    weights.push_back(softmax(masked_fill(e, logical_not(exists), -INFINITY)));
    u = u + matmul(weights.back(), memory(k + 1));
  }
  nn::MemoryAnswer y = m(story(), question());
  CHECK(max_abs_difference(y.weights.value(), concat(weights, 1).value()) < 1e-14);
  Tensor logits = matmul(squeeze(u, 1), transpose(m.tables[2].weight, 0, 1)).value();
  CHECK(max_abs_difference(y.logits.value(), logits) < 1e-14);
}

// With one hop, an identity as H and the same tables, layer-wise sharing equals adjacent sharing; its number of
// parameters does not depend on the number of hops.
PROPERTY(layer_wise_hops_share_matrices) {
  nn::MemoryNetworkOptions o = kSmall;
  o.hops = 1;
  nn::MemoryNetwork adjacent = built<nn::MemoryNetwork>(o);
  o.layer_wise = true;
  nn::MemoryNetwork one = built<nn::MemoryNetwork>(o);
  o.hops = 4;
  CHECK(nn::count_parameters(built<nn::MemoryNetwork>(o)) == nn::count_parameters(one));  // whatever the hops
  for (size_t i = 0; i < 2; ++i) {
    one.tables[i].weight.set_value(adjacent.tables[i].weight.value());
    one.ages[i].set_value(adjacent.ages[i].value());
  }
  one.tables[2].weight.set_value(adjacent.tables[0].weight.value());
  one.between->weight.set_value(Tensor::eye(3, kF64));
  one.answer->weight.set_value(adjacent.tables[1].weight.value());
  CHECK(max_abs_difference(one(story(), question()).logits.value(), adjacent(story(), question()).logits.value()) <
        1e-14);
  one.between->weight.set_value(mul(Tensor::eye(3, kF64), 2));  // H is used
  CHECK(max_abs_difference(one(story(), question()).logits.value(), adjacent(story(), question()).logits.value()) >
        1e-3);
}

// Without ages a story is a set of sentences; with them the order counts, and ages are counted from the last sentence.
PROPERTY(order_of_sentences_is_their_age) {
  Tensor other = ids({5, 0, 1, 2, 3, 4, 1, 5, 2, 2, 0, 0}, {2, 3, 2});
  nn::MemoryNetworkOptions o = kSmall;
  nn::MemoryNetwork aged = built<nn::MemoryNetwork>(o);
  CHECK(max_abs_difference(aged(story(), question()).logits.value(), aged(other, question()).logits.value()) > 1e-5);
  o.sentences = 0;
  nn::MemoryNetwork set = built<nn::MemoryNetwork>(o);
  CHECK(max_abs_difference(set(story(), question()).logits.value(), set(other, question()).logits.value()) < 1e-15);
  // Words within a sentence: their order counts, unless they are a bag.
  Tensor turned = ids({2, 1, 4, 3, 5, 0, 2, 2, 5, 1, 0, 0}, {2, 3, 2});
  CHECK(max_abs_difference(set(story(), question()).logits.value(), set(turned, question()).logits.value()) > 1e-6);
  o.bag = true;
  nn::MemoryNetwork bags = built<nn::MemoryNetwork>(o);
  CHECK(max_abs_difference(bags(story(), question()).logits.value(), bags(turned, question()).logits.value()) < 1e-15);
}

// Padded words and padded sentences have no weight and change no answer, and an empty story has a finite answer.
PROPERTY(padding_of_stories_is_absent) {
  nn::MemoryNetwork m = built<nn::MemoryNetwork>(kSmall);
  Tensor longer = ids({1, 2, 0, 3, 4, 0, 5, 0, 0, 0, 0, 0, 2, 2, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0}, {2, 4, 3});
  nn::MemoryAnswer a = m(story(), question()), b = m(longer, ids({3, 1, 0, 4, 0, 0}, {2, 3}));
  CHECK(max_abs_difference(a.logits.value(), b.logits.value()) < 1e-15);
  CHECK(all_zero(b.weights.value().select(2, 3)));
  CHECK(all_zero(a.weights.value().select(0, 1).select(1, 2)));  // the second story has two sentences
  backward(weighted_sum(a.logits));
  CHECK(all_zero(m.tables[0].weight.grad().select(0, 0)));
  nn::MemoryAnswer empty = m(ids({0, 0, 0, 0}, {2, 1, 2}), question());
  CHECK(all_zero(empty.weights.value()));
  CHECK(all_finite(empty.logits.value()));
}

// Two hops do what one cannot: the question leads to one pair, whose value is the key of the next.
PROPERTY(hops_follow_a_chain) {
  Variable keys = of({9, 0, 0, 0, 9, 0, 0, 0, 9}, {1, 3, 3}), values = of({0, 1, 0, 0, 0, 1, 1, 0, 0}, {1, 3, 3});
  Variable u = of({1, 0, 0}, {1, 1, 3});
  std::vector<int64_t> read;
  for (int hop = 0; hop < 3; ++hop) {
    nn::Attended seen = nn::memory_read(u, keys, values);
    read.push_back(static_cast<int64_t>(argmax(seen.weights.value(), 2).at({0, 0})));
    u = seen.context;  // with the residual the old question would be asked again
  }
  CHECK(read == std::vector<int64_t>{0, 1, 2});
}

Variable one(double value) { return of({value}, {1, 1}); }
const std::vector<double> kBefore{0.1, 0.2, 0.3, 0.4};

// With its gate closed and no shift the head stays where it was; with its gate open the place before has no effect.
PROPERTY(idle_head_stays) {
  nn::NTMHead head = built<nn::NTMHead>({.controller = 2, .width = 2});
  Variable memory(random({1, 4, 2}, 5, kF64)), before = of(kBefore, {1, 4}), key = of({1, -1}, {1, 2});
  nn::NTMControl idle{key, one(3), one(0), of({0, 1, 0}, {1, 3}), one(1), {}, {}};
  CHECK(max_abs_difference(head.address(idle, memory, before).value(), before.value()) < 1e-15);
  idle.gate = one(1);  // then the weights before have no effect
  CHECK(max_abs_difference(head.address(idle, memory, before).value(), nn::ntm_content(key, one(3), memory).value()) <
        1e-15);
  nn::NTMControl c = head.control(Variable(random({1, 2}, 6, kF64)));
  CHECK(c.power.value().item() >= 1);
  CHECK(c.strength.value().item() >= 0);
  CHECK(sum(c.shift).value().item() == doctest::Approx(1));
}

// A certain shift rotates the weights around the memory, and an uncertain one spreads them; their sum stays 1.
PROPERTY(a_shift_rotates_the_weights) {
  Variable w = of(kBefore, {1, 4});
  CHECK(nn::ntm_shifted(w, of({0, 0, 1}, {1, 3})).value().to_vector() == std::vector<double>{0.4, 0.1, 0.2, 0.3});
  CHECK(nn::ntm_shifted(w, of({1, 0, 0}, {1, 3})).value().to_vector() == std::vector<double>{0.2, 0.3, 0.4, 0.1});
  CHECK(nn::ntm_shifted(w, of({0, 0, 0, 0, 1}, {1, 5})).value().to_vector() == std::vector<double>{0.3, 0.4, 0.1, 0.2});
  Tensor blurred = nn::ntm_shifted(w, of({.25, .5, .25}, {1, 3})).value();  // a wrap at both ends
  CHECK(blurred.at({0, 0}) == doctest::Approx(.25 * .2 + .5 * .1 + .25 * .4));
  CHECK(sum(blurred).item() == doctest::Approx(1));
}

// Sharpening raises the weights to a power and divides by their sum, as by hand, and extreme powers stay finite.
PROPERTY(sharpening_by_hand) {
  Tensor w = nn::ntm_sharpened(of(kBefore, {1, 4}), one(2)).value();
  for (int64_t i = 0; i < 4; ++i)
    CHECK(w.at({0, i}) == doctest::Approx(kBefore[size_t(i)] * kBefore[size_t(i)] / 0.3).epsilon(1e-12));
  Tensor sharp = nn::ntm_sharpened(of(kBefore, {1, 4}), one(1e4)).value();  // 0.4^1e4 is 0 in any float
  CHECK(sharp.to_vector() == std::vector<double>{0, 0, 0, 1});
  CHECK(nn::ntm_sharpened(of({0, 0, 0}, {1, 3}), one(2)).value().to_vector() == std::vector<double>{0, 0, 0});
}

// Erasing a cell and adding to it replaces its content exactly, and leaves every other cell as it was.
PROPERTY(erase_and_add_overwrite) {
  Variable memory(random({1, 4, 3}, 5, kF64)), w = of({0, 0, 1, 0}, {1, 4}), v = of({7, -8, 9}, {1, 3});
  Variable ones = of({1, 1, 1}, {1, 3});
  Variable after = nn::ntm_written(w, memory, ones, v);
  CHECK(bit_equal(nn::ntm_read(w, after).value(), v.value()));
  for (int64_t i : {0, 1, 3}) CHECK(bit_equal(after.value().select(1, i), memory.value().select(1, i)));
  Tensor half = nn::ntm_written(w * 0.5, memory, ones, v).value();
  CHECK(half.at({0, 2, 1}) == doctest::Approx(memory.value().at({0, 2, 1}) * 0.5 - 4));
  CHECK(bit_equal(nn::ntm_written(w, memory, ones * 0, v * 0).value(), memory.value()));
}

// Addressing by content is a softmax of cosines: the length of a cell does not count, and an empty cell
// has a finite weight.
PROPERTY(content_is_the_cosine) {
  Variable memory = of({3, 4, 0, 1, 10, 0, 0, 0}, {1, 4, 2});  // the last cell is empty
  Tensor w = nn::ntm_content(of({2, 0}, {1, 2}), one(5), memory).value();
  double total = std::exp(5 * .6) + 1 + std::exp(5.0) + 1;
  CHECK(w.at({0, 0}) == doctest::Approx(std::exp(3.0) / total).epsilon(1e-5));
  CHECK(w.at({0, 2}) == doctest::Approx(std::exp(5.0) / total).epsilon(1e-5));
  CHECK(w.at({0, 3}) == doctest::Approx(1 / total).epsilon(1e-5));
}

double largest_sum(const Tensor& x, int64_t axis) { return amax(sum(x, {axis}), {}).item(); }

// Usage, links and weights stay between 0 and 1 over many steps with extreme gates, and no cell links to itself.
PROPERTY(usage_and_links_are_bounded) {
  nn::DNCMemory m = built<nn::DNCMemory>({.controller = 3, .cells = 4, .width = 2, .reads = 2});
  m.map.weight.set_value(mul(m.map.weight.value(), 8));  // gates near 0 and 1
  nn::DNCState s = m.begin(3);
  for (uint64_t t = 0; t < 12; ++t) {
    s = m.step(Variable(random({3, 3}, 50 + t, kF64)), s);
    for (const Tensor& x : {s.usage.value(), s.written.value(), s.read.value(), s.precedence.value(), s.link.value()}) {
      CHECK(amin(x, {}).item() >= -1e-15);
      CHECK(amax(x, {}).item() <= 1 + 1e-12);
    }
    CHECK(largest_sum(s.link.value(), 1) <= 1 + 1e-12);
    CHECK(largest_sum(s.link.value(), 2) <= 1 + 1e-12);
    CHECK(largest_sum(s.written.value(), 1) <= 1 + 1e-12);
    CHECK(largest_sum(s.read.value(), 2) <= 1 + 1e-12);
    CHECK(all_zero(diagonal(s.link.value(), 0, 1, 2)));
  }
  CHECK(amax(s.usage.value(), {}).item() > 0.5);
}

// New content goes to the emptiest cells, in the order of their usage, and a full memory has none to give.
PROPERTY(allocation_takes_the_emptiest) {
  // Sorted: .1, .4, .5, 1. Shares: .9, .1 * .6, .1 * .4 * .5, 0.
  Tensor a = nn::dnc_allocation(of({.5, .1, 1, .4}, {1, 4})).value();
  const std::vector<double> wanted{.02, .9, 0, .06};
  for (int64_t i = 0; i < 4; ++i) CHECK(a.at({0, i}) == doctest::Approx(wanted[size_t(i)]).epsilon(1e-12));
  CHECK(nn::dnc_allocation(of({1, 0, 1}, {1, 3})).value().to_vector() == std::vector<double>{0, 1, 0});
  CHECK(all_zero(nn::dnc_allocation(of({1, 1, 1}, {1, 3})).value()));  // a full memory has no cell to give
}

// The links lead from each written cell to the next, and their transpose leads back, so the order of writing
// can be replayed.
PROPERTY(links_replay_the_order_of_writing) {
  Variable link(Tensor::zeros({1, 4, 4}, kF64)), precedence(Tensor::zeros({1, 4}, kF64));
  auto at = [](int64_t i) {
    Tensor w = Tensor::zeros({1, 4}, kF64);
    w.set({0, i}, 1);
    return Variable(w);
  };
  for (int64_t cell : {2, 0, 3}) {
    link = nn::dnc_link(link, at(cell), precedence);
    precedence = at(cell);
  }
  auto moved = [&](const Variable& from, bool back) {
    return matmul(unsqueeze(from, 1), back ? link : transpose(link, 1, 2)).value().squeeze(1);
  };
  CHECK(bit_equal(moved(at(2), false), at(0).value()));
  CHECK(bit_equal(moved(at(0), false), at(3).value()));
  CHECK(bit_equal(moved(at(3), true), at(0).value()));
  CHECK(all_zero(moved(at(3), false)));
  link = nn::dnc_link(link, at(0), precedence);  // written again: its old links are gone
  CHECK(all_zero(moved(at(2), false)));
  CHECK(bit_equal(moved(at(3), false), at(0).value()));
}

// Open free gates empty the cells that were read; with closed ones the memory stays as full as it was.
PROPERTY(freed_cells_are_used_again) {
  nn::DNCMemory m = built<nn::DNCMemory>({.controller = 1, .cells = 3, .width = 1});
  m.map.weight.set_value(Tensor::zeros(m.map.weight.shape(), kF64));
  for (double gate : {-40.0, 40.0}) {
    Tensor bias = Tensor::zeros(m.map.bias.shape(), kF64);
    bias.set({6}, gate);  // key, strength, key, strength, erase, add: then the free gate
    bias.set({8}, -40);   // nothing is written
    m.map.bias.set_value(bias);
    nn::DNCState s = m.begin(1);
    s.usage = of({.9, .8, .7}, {1, 3});
    s.read = of({1, 0, .5}, {1, 1, 3});
    s = m.step(of({0}, {1, 1}), s);
    std::vector<double> wanted = gate < 0 ? std::vector<double>{.9, .8, .7} : std::vector<double>{0, .8, .35};
    for (int64_t i = 0; i < 3; ++i)
      CHECK(s.usage.value().at({0, i}) == doctest::Approx(wanted[size_t(i)]).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace heed::nn_test
