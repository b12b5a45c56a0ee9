// Exercise 27.4: the GPT itself, from the vectors of the letters to the logits. The parts of its layers are given to
// it: the other parts, or the library's, which the check has.
#include "tutorials/app/mine/gpt.h"
#include "autograd/ops.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/module.h"

namespace heed::app {
namespace {

void check(Comparison& c) {
  Generator rng(5);
  nn::LanguageModel library(gpt_options(7, 4, 2, 2), rng);
  nn::convert(library, DType::f64);
  for (auto& p : nn::parameters(library)) p.set_value(Tensor::normal(p.shape(), rng, 0, 1, DType::f64));
  const Tensor ids = Tensor::from(std::vector<int64_t>{2, 5, 4, 2, 6, 6}, {2, 3}),
               rows = nn::sinusoidal_positions(3, {.width = 4}, 0, DType::f64).unsqueeze(0).expand({2, 3, 4});
  auto library_gpt = [&](const std::vector<Variable>& in) {  // with E as its input
    library.embedding.words.weight = in[0], library.output.weight = in[0];
    return library(ids);
  };
  auto ours = [&](const std::vector<Variable>& in) {
    mine::Gpt g{.words = in[0], .positions = Variable(rows), .layers = {}, .norm = [&](const Variable& x) {
                  return (*library.decoder.norm)(x);
                }};
    for (const nn::TransformerLayer& l : library.decoder.layers)
      g.layers.push_back({.norm1 = [&l](const Variable& x) { return l.norm1(x); },
                          .attention = [&l](const Variable& x) { return (*l.self_attn)(x).output; },
                          .norm2 = [&l](const Variable& x) { return l.norm2(x); },
                          .feed_forward = [&l](const Variable& x) { return l.feed_forward(x); }});
    return mine::gpt(g, ids);
  };
  c.functions("the logits of two layers", ours, library_gpt, {Tensor::normal({7, 4}, rng, 0, 1, DType::f64)});
}

void use(Pieces& pieces) { pieces.gpt = mine::gpt; }

const Registered part({.name = "gpt", .exercise = "27.4", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
