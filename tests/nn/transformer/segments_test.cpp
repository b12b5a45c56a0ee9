// Reading in segments, with the memory of Transformer-XL: full causal attention where the memory is long enough, keys
// by the weights of now, and no gradient into the segments before.
#include "nn/transformer/segments.h"

#include "autograd/modes.h"
#include "nn/optim/adam.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::LanguageModel;
using nn::LayerCache;

namespace {

nn::TransformerOptions small(const std::string& positions, int64_t layers = 2) {
  nn::TransformerOptions o = small_transformer();
  o.positions = positions, o.decoder_layers = layers, o.norm_first = false;
  return o;
}

Tensor text(int64_t rows, int64_t words) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < rows * words; ++i) out.push_back(4 + (i * i + i / words) % 5);
  return ids(out, {rows, words});
}

std::vector<Tensor> gradients(LanguageModel& m) {
  std::vector<Tensor> out;
  for (auto& p : nn::named_parameters(m)) {
    out.push_back(p.variable.grad().defined() ? p.variable.grad().clone()
                                              : Tensor::zeros(p.variable.shape(), DType::f64));
    p.variable.zero_grad();
  }
  return out;
}

double difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, max_abs_difference(a[i], b[i]));
  return worst;
}

}  // namespace

// With a memory as long as the past it is full causal attention, with every kind of position.
TEST_CASE("segments: a memory as long as all the past is full causal attention, with every position" *
          holds("long_memory_is_full_attention")) {
  Tensor words = text(2, 20);
  for (const std::string& positions : position_schemes())
    for (bool norm_first : {false, true}) {
      CAPTURE(positions);
      nn::TransformerOptions o = small(positions);
      o.norm_first = norm_first;
      auto m = shaken<LanguageModel>(o, DType::f32);
      Tensor parallel = m(words).value();
      double longest = 0, shorter = 0;
      for (int64_t length : {20, 14, 3}) {
        auto caches = nn::segment_caches(m.decoder, length);
        double worst = 0;
        for (int64_t from = 0, to = 0; from < 20; from = to) {
          to = std::min<int64_t>(20, from == 7 ? from + 1 : from + 7);  // 7, 1, 7 and 5 words: 15 words of past
          Tensor now = m(words.slice(1, from, to).contiguous(), &caches).value();
          worst = std::max(worst, max_abs_difference(now, parallel.slice(1, from, to)));
        }
        (length == 20 ? longest : shorter) = worst;
        CHECK(caches[0].self->bytes() == 2 * (std::min<int64_t>(length, 15) + 5) * 12 * 4);
      }
      CHECK(longest < 1e-5);
      CHECK(shorter > 1e-4);
    }
}

// Gradients do not reach the past states, but their keys are computed with the current weights, so the matrices of keys
// and values learn from the past.
TEST_CASE("segments: no gradient reaches the past states, whose keys are computed with the current weights" *
          holds("gradient_stays_in_the_segment")) {
  auto m = shaken<LanguageModel>(small("xl", 1));
  const nn::TransformerStack& stack = m.decoder;
  Tensor x = random({2, 9, 12}, 7, DType::f64);
  Variable before = leaf(x.slice(1, 0, 5).contiguous()), now = leaf(x.slice(1, 5, 9).contiguous());
  auto caches = nn::segment_caches(stack, 8);
  stack(before, {}, &caches);
  auto& weight = m.decoder.layers[0].self_attn->in_proj_weight;  // a step of training between the segments
  weight.set_value(random(weight.shape(), 8, DType::f64));
  Variable seen = stack(now, {}, &caches).output;
  backward(weighted_sum(seen));
  CHECK_FALSE(before.grad().defined());
  CHECK(max_abs_difference(now.grad(), Tensor::zeros(now.shape(), DType::f64)) > 1e-3);
  std::vector<Tensor> by_segments = gradients(m);

  Variable all = leaf(x);
  Variable whole = slice(stack(all).output, 1, 5, 9);
  CHECK(max_abs_difference(seen.value(), whole.value()) < 1e-12);
  backward(weighted_sum(whole));
  CHECK(max_abs_difference(now.grad(), all.grad().slice(1, 5, 9)) < 1e-10);
  CHECK(max_abs_difference(all.grad().slice(1, 0, 5), Tensor::zeros(before.shape(), DType::f64)) > 1e-3);
  CHECK(difference(by_segments, gradients(m)) < 1e-10);  // of one layer: W_k and W_v learn from the past too
}

// A small language model learns from a long text, segment by segment.
TEST_CASE("segments: a small language model learns from a long text, segment by segment" *
          holds("segments_train_a_model")) {
  auto m = make<LanguageModel>(small("xl"), 5);
  Tensor words = text(2, 33);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = 0.01});
  std::vector<double> losses;
  for (int step = 0; step < 3; ++step) {
    auto caches = nn::segment_caches(m.decoder, 8);
    double total = 0;
    for (int64_t from = 0; from < 32; from += 8) {
      Tensor in = words.slice(1, from, from + 8).contiguous(), out = words.slice(1, from + 1, from + 9).contiguous();
      adam.zero_grad();
      Variable loss = cross_entropy(m(in, &caches), out);
      backward(loss);
      for (auto& p : nn::named_parameters(m)) CHECK((!p.variable.grad().defined() || all_finite(p.variable.grad())));
      adam.step();
      total += loss.item();
    }
    losses.push_back(total);
  }
  CHECK(losses[1] < losses[0]);
  CHECK(losses[2] < losses[1]);
  // And it reads what the segments were: after another first segment it predicts the second one differently.
  auto second_after = [&](int64_t from) {
    NoGrad guard;
    auto caches = nn::segment_caches(m.decoder, 8);
    m(words.slice(1, from, from + 8).contiguous(), &caches);
    return m(words.slice(1, 8, 16).contiguous(), &caches).value();
  };
  CHECK(bit_equal(second_after(0), second_after(0)));
  CHECK(max_abs_difference(second_after(0), second_after(16)) > 1e-3);
}

TEST_CASE("segments: stages that remember the step before hand no gradient to the segments before either") {
  nn::TransformerLayerOptions layer{.model = 8, .heads = 2, .inner = 6, .causal = true};
  auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 1}, 3);
  auto caches = nn::segment_caches(stack, 4);
  stack(leaf({2, 3, 8}, 1, DType::f32), {}, &caches);
  Variable earlier = leaf({2, 2, 3}, 2, DType::f32);
  caches[0].state.total = earlier * 2;
  stack(leaf({2, 3, 8}, 3, DType::f32), {}, &caches);
  CHECK_FALSE(caches[0].state.total.requires_grad());
}
