// All decoder steps as one node against the same steps from recorded operations; the additive score against its
// formula.
#include "nn/models/attention_decoder.h"

#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/models/bahdanau.h"
#include "tensor/thread_pool.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

// Value, weights and the gradients of all inputs.
using Decoder = nn::DecoderOutputs (*)(const nn::DecoderInputs&);
struct Widths {
  int64_t B = 2, T = 3, S = 4, N = 5, E = 3, C = 6, A = 7;
};
std::vector<Variable> leaves(const Widths& w, DType dtype) {
  std::vector<Shape> shapes{{w.B, w.T, w.E}, {w.B, w.N},           {w.B, w.S, w.C}, {w.B, w.S, w.A}, {w.A, w.N},
                            {w.A},           {3 * w.N, w.E + w.C}, {3 * w.N, w.N},  {3 * w.N},       {3 * w.N}};
  std::vector<Variable> out;
  for (size_t i = 0; i < shapes.size(); ++i) out.push_back(leaf(mul(random(shapes[i], 10 + i, dtype), 0.5)));
  return out;
}
nn::DecoderInputs inputs_of(const std::vector<Variable>& v, const Tensor& allowed) {
  return {v[0], v[1], v[2], v[3], allowed, v[4], v[5], v[6], v[7], v[8], v[9]};
}
Tensor words_of(const Widths& w) {  // sentence b has b words less than S, sentence 0 all
  std::vector<int> out;
  for (int64_t b = 0; b < w.B; ++b)
    for (int64_t s = 0; s < w.S; ++s) out.push_back(s < std::max<int64_t>(1, w.S - b));
  return Tensor::from_bools(out, {w.B, 1, w.S});
}
std::vector<Tensor> run(Decoder decoder, const Widths& w, const Tensor& allowed, DType dtype) {
  std::vector<Variable> v = leaves(w, dtype);
  auto [y, weights] = decoder(inputs_of(v, allowed));
  backward(weighted_sum(y));
  std::vector<Tensor> out{y.value(), weights};
  for (const Variable& x : v) out.push_back(x.grad());
  return out;
}

}  // namespace

TEST_CASE("attention_decoder: fused as composed, for widths of all kinds, with words barred or not") {
  for (DType dtype : {DType::f32, DType::f64})
    for (const Widths& w :
         {Widths{}, Widths{1, 1, 1, 1, 1, 1, 1}, Widths{3, 4, 5, 16, 8, 17, 33}, Widths{4, 2, 20, 9, 5, 32, 16}}) {
      double tol = dtype == DType::f32 ? 1e-5 : 1e-12;
      for (const Tensor& allowed : {Tensor(), words_of(w)})
        close(run(nn::attention_decoder, w, allowed, dtype), run(nn::attention_decoder_composed, w, allowed, dtype),
              tol);
    }
}

TEST_CASE("attention_decoder: the value has the bits of the steps, whatever the threads, gradients too") {
  Widths w{33, 4, 12, 48, 16, 96, 64};
  int threads = thread_count();
  set_thread_count(1);
  auto one = run(nn::attention_decoder, w, words_of(w), DType::f32);
  auto steps = run(nn::attention_decoder_composed, w, words_of(w), DType::f32);
  set_thread_count(3);
  auto three = run(nn::attention_decoder, w, words_of(w), DType::f32);
  set_thread_count(threads);
  CHECK(same_bits(one, three));
  CHECK(bit_equal(one[0], steps[0]));
  CHECK(bit_equal(one[1], steps[1]));
}

TEST_CASE("attention_decoder: what stands behind a sentence, even NaN, reaches no gradient") {
  Widths w;
  std::vector<Variable> v = leaves(w, DType::f32);
  for (size_t i : {size_t{2}, size_t{3}}) {
    Tensor last = v[i].value().select(0, 1).select(0, w.S - 1);
    fill_into(last, i == 2 ? 1e30 : NAN);
  }
  backward(weighted_sum(nn::attention_decoder(inputs_of(v, words_of(w))).joined));
  for (size_t i = 0; i < v.size(); ++i) {
    CAPTURE(i);
    CHECK(all_finite(v[i].grad()));
  }
  for (size_t i : {size_t{2}, size_t{3}}) CHECK(all_zero(v[i].grad().select(0, 1).select(0, w.S - 1)));
}

TEST_CASE("attention_decoder: gradients of gradients replay the steps") {
  auto curvature = [](Decoder decoder) {
    std::vector<Variable> v = leaves({}, DType::f64);
    Variable y = weighted_sum(decoder(inputs_of(v, words_of({}))).joined);
    Variable dx = grad({y}, {v[0]}, {.create_graph = true})[0];
    std::vector<Tensor> out;
    for (const Variable& g : grad({sum(square(dx))}, {v[0], v[3], v[6]})) out.push_back(g.value());
    return out;
  };
  close(curvature(nn::attention_decoder), curvature(nn::attention_decoder_composed), 1e-12);
}

TEST_CASE("Bahdanau: all steps are one node, a hook on the decoder sees each, and the gradients agree") {
  nn::Bahdanau m = make<nn::Bahdanau>(small_paper<nn::Bahdanau>(9, 8), 1);
  Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6, 7, 3, 8, 4, 3, 0, 0}, {2, 5}),
         lengths = Tensor::from(std::vector<int64_t>{5, 3}, {2}),
         in = Tensor::from(std::vector<int64_t>{2, 4, 5, 6, 2, 6, 7, 0}, {2, 4});
  auto pass = [&] {
    nn::zero_grad(m);
    LeakCheck check;
    Variable y = m(source, lengths, in);
    int64_t nodes = check.nodes();
    backward(weighted_sum(y));
    std::vector<Tensor> out = gradients(m);
    out.push_back(y.value());
    return std::pair(out, nodes);
  };
  auto [fused, few] = pass();
  int steps = 0;
  m.decoder.output_hooks = {[&](std::string_view, const Variable&) {
    ++steps;
    return Variable();
  }};
  auto [stepped, many] = pass();
  CHECK(steps == 4);
  CHECK(few + 30 < many);
  CHECK(bit_equal(fused.back(), stepped.back()));
  close(fused, stepped, 1e-5);
}

TEST_CASE("additive_score: fused as composed, for every width of the last vector") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t A : {1, 3, 8, 15, 16, 17, 40}) {
      auto result = [&](auto f) {
        std::vector<Variable> v{leaf({3, 2, A}, 1, dtype), leaf({3, 5, A}, 2, dtype), leaf({A}, 3, dtype)};
        Variable y = f(v[0], v[1], v[2]);
        backward(weighted_sum(y));
        return std::vector<Tensor>{y.value(), v[0].grad(), v[1].grad(), v[2].grad()};
      };
      close(result(nn::additive_score), result(nn::additive_score_composed), dtype == DType::f32 ? 1e-5 : 1e-12);
    }
}
