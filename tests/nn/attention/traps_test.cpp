// Attention as it was shipped wrong: each fault is built here, and the property that holds the catalogue finds it.
// The numbers are those of the list of traps that this course keeps; each names who fell into it.
#include <doctest/doctest.h>

#include <cmath>

#include "nn/attention/attend.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/recurrent/padding.h"
#include "tensor/compare.h"
#include "tensor/indexing.h"
#include "tests/nn/attention/subject.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

// Dot attention in three lines, right until one of them is exchanged.
struct Parts {
  std::function<Variable(const Ask&)> scores = [](const Ask& a) { return matmul(a.query, transpose(a.keys, 1, 2)); };
  std::function<Tensor(const Ask&)> allowed = [](const Ask& a) {
    Tensor words = a.lengths.defined() ? nn::length_mask(a.lengths, a.keys.size(1)).unsqueeze(1) : Tensor();
    Tensor order = a.causal ? nn::causal_mask({.queries = a.query.size(1), .keys = a.keys.size(1)}) : Tensor();
    return nn::both(nn::both(words, a.allowed), order);
  };
  std::function<Variable(const Variable&, const Tensor&)> weights = [](const Variable& e, const Tensor& mask) {
    return softmax(mask.defined() ? masked_fill(e, logical_not(mask), -INFINITY) : e);
  };
};

Subject subject(const Parts& parts) {
  return [parts](const Ask& ask) -> Seen {
    Variable w = parts.weights(parts.scores(ask), parts.allowed(ask));
    return {matmul(w, ask.values), w};
  };
}

Subject masked_with(double number) {
  return subject({.weights = [=](const Variable& e, const Tensor& allowed) {
    return softmax(allowed.defined() ? masked_fill(e, logical_not(allowed), number) : e);
  }});
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("traps: attention without a fault passes all of the questions") {
    Subject right = subject({});
    for (auto question : {rows_sum_to_one, masked_keys_are_absent, empty_row_reads_zero, keys_may_be_permuted,
                          queries_may_be_permuted, weights_depend_on_keys, constant_values_are_read,
                          causal_under_causal_scope, step_by_step_is_parallel, mask_is_minus_infinity})
      CHECK(question(right) == "");
  }

  // pytorch/tutorials#2121: weights from the decoder's own input and state, 2017 to 2023.
  TEST_CASE("trap 1, fake attention: weights that ignore the encoder") {
    Variable w(random({kWidth, 5}, 1, DType::f64));
    Subject fake = subject({.scores = [w](const Ask& a) { return matmul(a.query, w); }});
    CHECK(rows_sum_to_one(fake) == "");  // it looks like attention
    CHECK(weights_depend_on_keys(fake) == "key 0 has a weight, and no other key in its place changes the weights");
    CHECK(keys_may_be_permuted(fake) == "the context changes");
  }

  // keon/seq2seq: no source mask (and relu for tanh: bounded_by_v in score_properties.cpp).
  TEST_CASE("trap 2, no mask: the padding is read") {
    Subject open = subject({.allowed = [](const Ask&) { return Tensor(); }});
    CHECK(masked_keys_are_absent(open).starts_with("a masked key has the weight"));
    CHECK(empty_row_reads_zero(open) == "an empty row has weights");
    CHECK(causal_under_causal_scope(open) == "position 0 sees position 1");
  }
  TEST_CASE("trap 2, relu for tanh: additive scores without a bound") {
    Variable q(random({1, 40}, 1, DType::f64)), v(random({40}, 2, DType::f64));
    double bound = sum(abs(v)).item();
    CHECK(std::abs(sum(v * tanh(q * 1e4)).item()) <= bound);
    CHECK(std::abs(sum(v * relu(q * 1e4)).item()) > bound);
  }

  // pytorch#41508, open since 2020; burn#4697, rten#1321, mlx#2395, iree#24175.
  TEST_CASE("trap 3, a fully masked row: -inf - (-inf) is not a number") {
    Subject naive = subject({.weights = [](const Variable& e, const Tensor& allowed) {
      Variable logits = allowed.defined() ? masked_fill(e, logical_not(allowed), -INFINITY) : e;
      Variable p = exp(logits - amax(logits, {-1}, true).detach());
      return p / sum(p, {-1}, true);
    }});
    CHECK(rows_sum_to_one(naive) == "");
    CHECK(masked_keys_are_absent(naive) == "");
    CHECK(empty_row_reads_zero(naive) == "an empty row has weights");
    CHECK(mask_is_minus_infinity(naive) == "weights that are not finite");
  }

  // d2l and the annotated transformer.
  TEST_CASE("trap 4, a mask of -1e6 or -1e9: uniform where nothing may be read, and it leaks") {
    for (double number : {-1e6, -1e9}) {
      CHECK(masked_keys_are_absent(masked_with(number)) == "");  // small scores hide it
      CHECK(empty_row_reads_zero(masked_with(number)) == "an empty row has weights");
      CHECK(mask_is_minus_infinity(masked_with(number)) == "the masked key is read");
    }
  }

  // lsdefine/attention-is-all-you-need-keras#16.
  TEST_CASE("trap 5, the mask on the queries in place of the keys") {
    Subject turned = subject({.allowed = [](const Ask& a) {
      return a.lengths.defined() ? nn::length_mask(a.lengths, a.query.size(1)).unsqueeze(2) : Tensor();  // [B, T, 1]
    }});
    Ask ask = small_ask();
    ask.query = leaf({2, 5, kWidth}, 9, DType::f64);
    ask.lengths = Tensor::from(std::vector<int64_t>{5, 3}, {2});
    Tensor w = turned(ask).weights.value();
    CHECK(w.at({1, 0, 4}) > 0);  // the padding is read
    CHECK(all_zero(w.select(0, 1).select(0, 4)));
    Subject square = [turned](const Ask& given) {  // as many queries as keys, or such a mask does not even fit
      Ask padded = given;
      padded.query = concat({given.query, given.query}, 1);
      padded.query = slice(padded.query, 1, 0, given.keys.size(1));
      Seen seen = turned(padded);
      return Seen{slice(seen.context, 1, 0, 3), slice(seen.weights, 1, 0, 3)};
    };
    CHECK(masked_keys_are_absent(square).starts_with("a masked key has the weight"));
  }

  // OpenNMT-py added the coverage to the encoder's memory in place.
  TEST_CASE("trap 6, a memory that is written: reading changes no bit of it, in any entry") {
    for (const nn::CatalogueEntry& entry : nn::catalogue()) {
      Subject attention = subject_of(entry);
      if (!attention) continue;
      CAPTURE(entry.id);
      Ask ask = small_ask();
      ask.lengths = Tensor::from(std::vector<int64_t>{5, 3}, {2});
      Tensor keys = ask.keys.value().clone(), values = ask.values.value().clone(), query = ask.query.value().clone();
      Seen first = attention(ask), second = attention(ask);
      CHECK(bit_equal(first.context.value(), second.context.value()));
      CHECK(bit_equal(ask.keys.value(), keys));
      CHECK(bit_equal(ask.values.value(), values));
      CHECK(bit_equal(ask.query.value(), query));
    }
  }

  // Two libraries order the channels of sine and cosine in two ways (tensor2tensor#177, #391).
  TEST_CASE("trap 10, the layout of sinusoids: weights made for one order are wrong with the other") {
    Tensor turns = nn::sinusoidal_positions(4, {.width = 6}),
           halves = nn::sinusoidal_positions(4, {.width = 6, .layout = nn::SinusoidalLayout::halves});
    CHECK_FALSE(bit_equal(turns, halves));
    CHECK(bit_equal(index_select(turns, 1, nn::sinusoidal_permutation(6)), halves));
  }

  // labml: d // heads without an assertion.
  TEST_CASE("trap 14, heads that do not divide the width: refused, not cut off") {
    Generator rng(1);
    CHECK(message_of<ValueError>([&] { nn::MultiHeadAttention({.model = 6, .heads = 4}, rng); }) ==
          "MultiHeadAttention: the heads must divide the width of the model; got 4 heads of 6");
  }

  TEST_CASE("trap: the diagonal of the causal mask, one off") {
    for (int64_t shift : {-1, 1}) {
      Subject shifted = subject({.allowed = [=](const Ask& a) {
        Tensor mask = Tensor::zeros({5, 5}, DType::boolean);
        for (int64_t i = 0; i < 5; ++i)
          for (int64_t j = 0; j < 5; ++j) mask.set({i, j}, j <= i + shift);
        return a.causal ? mask : Tensor();
      }});
      CHECK(causal_under_causal_scope(shifted) ==
            (shift == 1 ? "position 0 sees position 1" : "position 0 sees nothing"));
    }
  }

  // A test with the tolerance 1e-2 (labml's of the tiled kernel) would pass this one.
  TEST_CASE("trap 16, a loose tolerance: weights wrong by 1e-4 are found") {
    Subject blurred = subject({.weights = [](const Variable& e, const Tensor& allowed) {
      Variable w = softmax(allowed.defined() ? masked_fill(e, logical_not(allowed), -INFINITY) : e);
      return w * (1 - 1e-4);
    }});
    CHECK(rows_sum_to_one(blurred).starts_with("a row that sums to 0.9999"));
    CHECK(constant_values_are_read(blurred) == "the context is not that value");
  }
}
