// The encoder of exercise 24.4 in a transformer: the whole stack, with the exercise's own attention, norms and
// feed-forward networks. What it computes for padding is not compared: nothing reads it.
#include "autograd/ops.h"
#include "nn/module.h"
#include "nn/padding.h"
#include "tensor/elementwise.h"
#include "tutorials/app/mine/transformer.h"

namespace heed::app {
namespace {

constexpr int64_t kModel = 4, kHeads = 2, kInner = 6, kLayers = 2;

using Stack =
    std::function<Variable(const std::vector<mine::Parameters>&, const mine::Affine& last, const Variable& x)>;

// Parameters from a list of variables: for each layer W_q, W_k, W_v, W_o, W_1, b_1, W_2, b_2, two norms; the last norm.
Variable of_parameters(const std::vector<Variable>& in, const Stack& stack) {
  const Variable none(Tensor::zeros({kModel}, DType::f64));
  std::vector<mine::Parameters> layers;
  size_t at = 1;
  auto next = [&] { return in[at++]; };
  for (int64_t i = 0; i < kLayers; ++i) {
    mine::Parameters p;
    p.heads = kHeads;
    for (mine::Affine* a : {&p.query, &p.key, &p.value, &p.output}) a->weight = next(), a->bias = none;
    for (mine::Affine* a : {&p.first, &p.second, &p.norm1, &p.norm2}) a->weight = next(), a->bias = next();
    layers.push_back(p);
  }
  mine::Affine last;
  last.weight = next(), last.bias = next();
  return stack(layers, last, in[0]);
}

// The library's stack with these parameters.
Variable library_stack(const std::vector<mine::Parameters>& layers, const mine::Affine& last, const Variable& x,
                       const Tensor& words) {
  Generator unused(1);
  nn::TransformerStack stack(
      {.layer = {.model = kModel, .heads = kHeads, .inner = kInner, .norm_first = true}, .layers = kLayers}, unused);
  nn::convert(stack, DType::f64);
  auto set_norm = [](nn::AnyNorm& norm, const mine::Affine& a) {
    auto& n = std::get<nn::LayerNorm>(norm.norm);
    n.weight = a.weight, n.bias = a.bias;
  };
  auto set_linear = [](nn::Linear& l, const mine::Affine& a) { l.weight = a.weight, l.bias = a.bias; };
  for (size_t i = 0; i < layers.size(); ++i) {
    const mine::Parameters& p = layers[i];
    nn::TransformerLayer& l = stack.layers[i];
    l.self_attn->in_proj_weight = concat({p.query.weight, p.key.weight, p.value.weight}, 0);
    l.self_attn->in_proj_bias = concat({p.query.bias, p.key.bias, p.value.bias}, 0);
    set_linear(l.self_attn->out_proj, p.output);
    set_linear(l.feed_forward.linear1, p.first), set_linear(l.feed_forward.linear2, p.second);
    set_norm(l.norm1, p.norm1), set_norm(l.norm2, p.norm2);
  }
  set_norm(*stack.norm, last);
  return stack(x, {.self = {.words = words}}).output;
}

void check(Comparison& c) {
  Generator rng(1);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  const Tensor lengths = Tensor::from(std::vector<int64_t>{3, 2}, {2}), words = nn::length_mask(lengths, 3);
  std::vector<Tensor> in{normal({2, 3, kModel})};
  for (int64_t i = 0; i < kLayers; ++i) {
    for (int k = 0; k < 4; ++k) in.push_back(normal({kModel, kModel}));
    for (const Shape& shape : {Shape{kInner, kModel}, Shape{kInner}, Shape{kModel, kInner}, Shape{kModel}})
      in.push_back(normal(shape));
    for (int k = 0; k < 4; ++k) in.push_back(normal({kModel}));
  }
  in.push_back(normal({kModel})), in.push_back(normal({kModel}));
  auto of_words = [&](const Variable& h) { return masked_fill(h, logical_not(words).unsqueeze(2), 0); };
  c.functions(
      "the encoder of two layers",
      [&](const auto& v) {
        return of_parameters(v, [&](const auto& layers, const auto& last, const Variable& x) {
          return of_words(mine::encoder(layers, last, x, lengths));
        });
      },
      [&](const auto& v) {
        return of_parameters(v, [&](const auto& layers, const auto& last, const Variable& x) {
          return of_words(library_stack(layers, last, x, words));
        });
      },
      in);
}

void use(Pieces& pieces) {
  pieces.encoder = [](const Pieces&, const std::vector<mine::Parameters>& layers, const mine::Affine& last,
                      const Variable& x, const Tensor& lengths) { return mine::encoder(layers, last, x, lengths); };
}

const Registered part({.name = "encoder", .exercise = "24.4", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
