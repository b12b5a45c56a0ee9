// Attention as it was shipped wrong: each fault is built here, and the property that holds the catalogue finds it.
// The numbers are those of the list of traps that this course keeps; each names who fell into it.
#include <doctest/doctest.h>

#include <cmath>

#include "nn/attention/attend.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/score_bias.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/scores/additive.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/data/batches.h"
#include "nn/recurrent/padding.h"
#include "nn/transformer/transformer.h"
#include "tensor/compare.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"
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
    Generator rng(1);
    nn::AdditiveScore score({.query = kWidth, .key = kWidth}, rng);
    nn::convert(score, DType::f64);
    double bound = sum(abs(score.v)).item();  // |e| <= sum |v|, whatever queries and keys are
    Variable q(mul(random({2, 3, kWidth}, 1, DType::f64), 1e4)), k(random({2, 5, kWidth}, 2, DType::f64));
    Variable keys = score.prepare(k);
    CHECK(amax(abs(score(q, keys).value())).item() <= bound * (1 + 1e-12));
    Variable hidden = unsqueeze(score.query(q), 2) + unsqueeze(keys, 1);  // keon/seq2seq: relu of the same sums
    CHECK(amax(abs(matmul(relu(hidden), score.v).value())).item() > bound);
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

  // Rotary pairs side by side or in halves (transformers#25199, TinyLlama#24): weights of one in the other, no error.
  TEST_CASE("trap 9, the pairs of rope: weights made for one layout are wrong in the other, until rows are permuted") {
    auto m = make<nn::MultiHeadAttention>({.model = 8, .heads = 1, .position = {.name = "rope_interleaved"}}, 3);
    auto other = make<nn::MultiHeadAttention>({.model = 8, .heads = 1, .position = {.name = "rope"}}, 3);
    nn::convert(m, DType::f64), nn::convert(other, DType::f64);
    nn::load_state(other, nn::save_state(m), "the same weights");
    Variable x(random({1, 6, 8}, 5, DType::f64));
    CHECK(max_abs_difference(m(x).output.value(), other(x).output.value()) > 1e-3);
    std::vector<int64_t> rows;
    for (int64_t part : {0, 1})  // queries and keys; values are not turned
      for (double r : nn::rope_permutation(8).to_vector()) rows.push_back(part * 8 + static_cast<int64_t>(r));
    for (int64_t r = 16; r < 24; ++r) rows.push_back(r);
    other.in_proj_weight.set_value(index_select(m.in_proj_weight.value(), 0, Tensor::from(rows, {24})));
    CHECK(max_abs_difference(m(x).output.value(), other(x).output.value()) < 1e-12);
  }

  // Two libraries order the channels of sine and cosine in two ways (tensor2tensor#177, #391).
  TEST_CASE("trap 10, the layout of sinusoids: weights made for one order are wrong with the other") {
    Generator rng(1);
    auto m = make<nn::MultiHeadAttention>({.model = 6, .heads = 2, .bias = false}, 3), moved = nn::clone(m);
    nn::convert(m, DType::f64), nn::convert(moved, DType::f64);
    nn::SinusoidalPositions in_turn({.width = 6}, rng),
        halves({.width = 6, .layout = nn::SinusoidalLayout::halves}, rng);
    Variable nothing(Tensor::zeros({1, 7, 6}, DType::f64));
    Tensor wanted = m(in_turn(nothing)).output.value();
    CHECK(max_abs_difference(m(halves(nothing)).output.value(), wanted) > 1e-2);
    moved.in_proj_weight.set_value(index_select(m.in_proj_weight.value(), 1, nn::sinusoidal_permutation(6)));
    CHECK(max_abs_difference(moved(halves(nothing)).output.value(), wanted) < 1e-12);
  }

  // The annotated transformer: its text is norm last, its code norm first (issues #1, #13, #92, #110).
  TEST_CASE("trap 11, norm first and last: the same weights, other numbers, and only last ends in normed rows") {
    nn::TransformerLayerOptions o{.model = 8, .heads = 2, .inner = 5};
    auto last = make<nn::TransformerLayer>(o, 3);
    o.norm_first = true;
    auto first = make<nn::TransformerLayer>(o, 3);
    nn::load_state(first, nn::save_state(last), "the same weights");
    Variable x(mul(random({2, 4, 8}, 5), 3));
    Tensor a = last(x).output.value(), b = first(x).output.value();
    CHECK(max_abs_difference(a, b) > 0.1);
    for (double v : var(Variable(a), {-1}, {.unbiased = false}).value().to_vector())
      CHECK(v == doctest::Approx(1).epsilon(1e-3));
    CHECK(amax(var(Variable(b), {-1}, {.unbiased = false}).value()).item() > 2);
  }

  // The annotated transformer divides by the unbiased deviation plus eps.
  TEST_CASE("trap 12, the unbiased deviation in layer norm: outputs smaller by sqrt((d - 1) / d)") {
    Variable x(random({3, 8}, 1, DType::f64));
    Variable centred = x - mean(x, {-1}, true);
    Variable wrong = centred / sqrt(sum(square(centred), {-1}, true) / 7.0);
    Tensor right = layer_norm(x, {}, {}, {.eps = 0}).value();
    CHECK(max_abs_difference(wrong.value(), mul(right, std::sqrt(7.0 / 8))) < 1e-12);
    CHECK(max_abs_difference(wrong.value(), right) > 1e-2);
  }

  // The annotated transformer#134: memory, mask and target in the wrong order are all tensors, and run.
  TEST_CASE("trap 13, the order of arguments of decode: what is swapped does not compile") {
    using T = const Tensor&;
    using E = const nn::Transformer::Encoded&;
    auto decodes = []<class A, class B>() {
      return requires(const nn::Transformer& m, A a, B b) { m.decode(a, b, nn::Transformer::Decoding{}); };
    };
    CHECK(decodes.operator()<T, E>());
    CHECK_FALSE(decodes.operator()<E, T>());
    CHECK_FALSE(decodes.operator()<T, T>());
  }

  // labml adds m_h j, which a causal softmax cannot tell from -m_h |i - j|.
  TEST_CASE("trap 15, ALiBi by the key's place alone: right under a causal mask, wrong without one") {
    nn::AlibiBias alibi({.heads = 2}, *std::make_unique<Generator>(1));
    Variable right = alibi({.queries = 5, .keys = 5}, DType::f64);
    Tensor by_place = Tensor::zeros({1, 2, 1, 5}, DType::f64);
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t s = 0; s < 5; ++s) by_place.set({0, h, 0, s}, nn::alibi_slopes(2)[size_t(h)] * double(s));
    Variable x(random({1, 5, 4}, 2, DType::f64));
    for (const char* scope : {"causal", "global"}) {
      auto m = make<nn::MultiHeadAttention>({.model = 4, .heads = 2, .scope = {.name = scope}}, 3);
      nn::convert(m, DType::f64);
      double apart =
          max_abs_difference(m(x, {.bias = right}).output.value(), m(x, {.bias = Variable(by_place)}).output.value());
      CHECK((apart < 1e-12) == (std::string(scope) == "causal"));
    }
  }

  // pytorch/tutorials#719: a decoder that is given the word it must find.
  TEST_CASE("trap 17, targets that are not shifted: the decoder's input is one word behind what it must find") {
    std::vector<data::EncodedPair> pairs{{{5, 6, 2}, {7, 8, 9}}, {{6, 2}, {9, 7}}};
    data::Batch b = data::make_batch(pairs, {0, 1});
    const Tensor &in = b.target_in, &out = b.target_out;
    REQUIRE(in.shape() == out.shape());
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t t = 1; t < in.size(1); ++t) {
        if (in.at({row, t}) == 0) continue;  // padding
        CHECK(in.at({row, t}) == out.at({row, t - 1}));
        CHECK(in.at({row, t}) != out.at({row, t}));  // no word of these pairs stands twice in a row
      }
    CHECK(in.at({0, 0}) != out.at({0, 0}));
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
