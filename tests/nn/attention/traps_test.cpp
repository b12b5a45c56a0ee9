// Traps around attention: what looks alike and is not the same, and who fell into it. Attention that was shipped wrong
// is planted in the library itself, and a property of the catalogue must report it (tests/mutation/faults.txt).
#include <cmath>

#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/score_bias.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/data/batches.h"
#include "nn/transformer/transformer.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"
#include "tests/nn/attention/subject.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

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
  nn::SinusoidalPositions in_turn({.width = 6}, rng), halves({.width = 6, .layout = nn::SinusoidalLayout::halves}, rng);
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
  refuses("MultiHeadAttention: heads got 4 6", [&] { nn::MultiHeadAttention({.model = 6, .heads = 4}, rng); });
}
