// The LSTMN: with a tape of one entry it is an LSTM; padding and the future change nothing; the two fusions.
#include "nn/attention/structures/lstmn.h"

#include "nn/attention/structures/lstmn_decoder.h"
#include "nn/observe.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

Tensor lengths() { return Tensor::from(std::vector<int64_t>{5, 3}, {2}); }

nn::LSTMN::Sequence read(const nn::LSTMN& m, DType dtype) { return m(random({2, 5, 3}, 1, dtype), lengths()); }

// Three steps of a decoder over a source of two sentences, [2, 3, 4].
// With the memory cells of the source multiplied by `cells`.
Tensor decoded(const nn::LSTMNDecoder& m, const nn::LSTMN& encoder, nn::FusionState* end = nullptr, double cells = 1) {
  nn::LSTMN::Sequence source = read(encoder, DType::f64);
  source.c = source.c * cells;
  nn::SourceTape tape = m.remember(source, lengths());
  nn::FusionState state = m.begin(source.last);
  std::vector<Variable> h;
  for (uint64_t t = 0; t < 3; ++t) h.push_back(m.step(random({2, 3}, 10 + t, DType::f64), tape, state));
  if (end) *end = state;
  return stack(h, 1).value();
}

template <class M>
M in_f64(const typename M::Options& options, uint64_t seed) {
  M m = make<M>(options, seed);
  nn::convert(m, DType::f64);
  return m;
}

}  // namespace

// With a tape of one entry it is an LSTM.
TEST_CASE("LSTMN: with a tape of one entry it is an LSTM" * holds("a_tape_of_one_is_an_lstm")) {
  nn::LSTMN m = in_f64<nn::LSTMN>({.input = 3, .hidden = 4, .tape = 1}, 1);
  nn::LSTM lstm = in_f64<nn::LSTM>({.input = 3, .hidden = 4}, 2);
  lstm.cells[0].weight_ih = m.cell.weight_ih, lstm.cells[0].weight_hh = m.cell.weight_hh;
  lstm.cells[0].bias_ih = m.cell.bias_ih, lstm.cells[0].bias_hh = m.cell.bias_hh;
  nn::LSTMN::Sequence got = read(m, DType::f64);
  auto [annotations, last] = lstm(random({2, 5, 3}, 1, DType::f64), lengths());
  CHECK(max_abs_difference(got.h.value(), annotations.value()) <= 1e-12);
  CHECK(max_abs_difference(got.last.h.value(), select(last.h, 0, 0).value()) <= 1e-12);
  CHECK(max_abs_difference(got.last.c.value(), select(last.c, 0, 0).value()) <= 1e-12);
  nn::LSTMN longer = in_f64<nn::LSTMN>({.input = 3, .hidden = 4, .tape = 2}, 1);
  CHECK(max_abs_difference(read(longer, DType::f64).h.value(), annotations.value()) > 1e-3);
}

// Padding changes no bit, and no step reads what comes after it.
TEST_CASE("LSTMN: padding changes no bit, and no step reads what comes behind it" *
          holds("reads_only_what_came_before")) {
  nn::LSTMN m = make<nn::LSTMN>({.input = 3, .hidden = 4}, 1);
  Variable x = leaf({2, 5, 3}, 1);
  nn::LSTMN::Sequence batch = m(x, lengths());
  nn::LSTMN::Sequence alone = m(Variable(x.value().slice(0, 1, 2).slice(1, 0, 3)));
  CHECK(bit_equal(batch.h.value().slice(0, 1, 2).slice(1, 0, 3).contiguous(), alone.h.value()));
  CHECK(bit_equal(batch.last.h.value().slice(0, 1, 2).contiguous(), alone.last.h.value()));
  CHECK(all_zero(batch.h.value().select(0, 1).slice(0, 3, 5).contiguous()));
  CHECK(all_zero(batch.c.value().select(0, 1).slice(0, 3, 5).contiguous()));
  backward(weighted_sum(select(batch.h, 1, 2)));
  for (int64_t t = 0; t < 5; ++t) CHECK(all_zero(x.grad().select(1, t).contiguous()) == (t > 2));
}

TEST_CASE("LSTMN: each step's weights are a distribution over all states before it, and reach Observe") {
  nn::LSTMN m = make<nn::LSTMN>({.input = 3, .hidden = 4}, 1);
  nn::assign_paths(m, "reader");
  std::vector<nn::AttentionSeen> seen;
  {
    nn::Observe observe([&](const nn::AttentionSeen& s) { seen.push_back(s); });
    read(m, DType::f32);
  }
  REQUIRE(seen.size() == 4);  // the first word has nothing before it
  for (size_t t = 0; t < 4; ++t) {
    CHECK(seen[t].module == "reader");
    REQUIRE(seen[t].weights.shape() == Shape{2, 1, static_cast<int64_t>(t) + 1});
    for (int64_t b = 0; b < 2; ++b) {
      double sum = 0;
      for (int64_t i = 0; i <= static_cast<int64_t>(t); ++i) {
        CHECK(seen[t].weights.at({b, 0, i}) > 0);
        sum += seen[t].weights.at({b, 0, i});
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

// With nothing from the source, deep fusion is the LSTMN that reads its own past alone.
TEST_CASE("fusion: without the source's share, deep fusion is the LSTMN that knows only itself" *
          holds("fusion_without_the_source")) {
  nn::LSTMN encoder = in_f64<nn::LSTMN>({.input = 3, .hidden = 4}, 5);
  nn::LSTMNDecoder none = in_f64<nn::LSTMNDecoder>({.input = 3, .hidden = 4, .fusion = "none"}, 1),
                   deep = in_f64<nn::LSTMNDecoder>({.input = 3, .hidden = 4, .fusion = "deep"}, 2);
  auto shared = nn::save_state(none.lstmn);
  nn::load_state(deep.lstmn, shared, "memory");
  CHECK(max_abs_difference(decoded(deep, encoder), decoded(none, encoder)) > 1e-3);
  deep.gate->weight.set_value(Tensor::zeros({4, 7}, DType::f64));
  deep.gate->bias.set_value(Tensor::zeros({4}, DType::f64));  // r_t = 1 / 2 of cells that are 0
  CHECK(max_abs_difference(decoded(deep, encoder, nullptr, 0), decoded(none, encoder)) <= 1e-12);
  CHECK(max_abs_difference(decoded(deep, encoder), decoded(none, encoder)) > 1e-3);
  deep.gate->bias.set_value(Tensor::full({4}, -1000, DType::f64));  // r_t = 0
  CHECK(max_abs_difference(decoded(deep, encoder), decoded(none, encoder)) <= 1e-12);

  nn::LSTMNDecoder shallow = in_f64<nn::LSTMNDecoder>({.input = 3, .hidden = 4, .fusion = "shallow"}, 3);
  for (auto& p : nn::named_parameters(shallow.lstmn)) {
    const Tensor& from = *shared.find(p.name);
    Tensor to = Tensor::zeros(p.variable.shape(), DType::f64);  // the context's columns stay 0
    Tensor part = from.rank() == 2 ? to.slice(1, 0, from.size(1)) : to;
    copy_into(part, from);
    p.variable.set_value(to);
  }
  CHECK(max_abs_difference(decoded(shallow, encoder), decoded(none, encoder)) <= 1e-12);
}

TEST_CASE("fusion: both kinds look at the source's words only, and every parameter learns") {
  nn::LSTMN encoder = in_f64<nn::LSTMN>({.input = 3, .hidden = 4}, 5);
  for (const char* fusion : {"shallow", "deep"}) {
    CAPTURE(fusion);
    nn::LSTMNDecoder m = in_f64<nn::LSTMNDecoder>({.input = 3, .hidden = 4, .fusion = fusion}, 1);
    nn::FusionState end;
    decoded(m, encoder, &end);
    const Tensor& w = end.alignment.weights.value();
    REQUIRE(w.shape() == Shape{2, 5});
    CHECK(w.at({1, 3}) == 0);
    CHECK(w.at({1, 4}) == 0);
    CHECK(w.at({0, 4}) > 0);
    CHECK(end.tape.h.size() == 4);  // the first state and three steps
    CHECK(end.alignment.position == 3);
  }
}
