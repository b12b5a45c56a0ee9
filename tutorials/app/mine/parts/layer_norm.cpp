// The norm of exercise 24.4 in a transformer and a GPT: every norm but those of the exercise's own encoder, which calls
// it already.
#include "nn/norm.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Variable library_norm(const std::vector<Variable>& in) {  // x, weight, bias
  Generator unused(1);
  nn::LayerNorm norm({.shape = {in[0].size(-1)}}, unused);
  norm.weight = in[1], norm.bias = in[2];
  return norm(in[0]);
}

void check(Comparison& c) {
  Generator rng(1);
  auto normal = [&](const Shape& shape, double size) { return Tensor::normal(shape, rng, 0, size, DType::f64); };
  for (double size : {0.05, 3.0})  // at 0.05 the place of 1e-5 shows
    c.functions(size < 1 ? "the norm of small numbers" : "the norm",
                [](const auto& in) {
                  return mine::norm({in[1], in[2]}, in[0]);
                },
                library_norm, {normal({2, 3, 5}, size), normal({5}, 1), normal({5}, 1)});
}

void use(Pieces& pieces) {
  pieces.norm = [](const mine::Affine& p, const Variable& x) { return mine::norm(p, x); };
}

const Registered part({.name = "layer_norm", .exercise = "24.4", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
