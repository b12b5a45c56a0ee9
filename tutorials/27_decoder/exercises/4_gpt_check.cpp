// Hints and checks of exercise 27.4.
#include "tutorials/27_decoder/exercises/4_gpt.h"

#include <fmt/format.h>

#include "nn/attention/positions/sinusoidal.h"
#include "nn/module.h"
#include "nn/transformer/language_model.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

mine::Gpt parts_of(const nn::LanguageModel& m, const Tensor& ids) {
  const int64_t D = m.options.model;
  const Tensor rows = nn::sinusoidal_positions(ids.size(1), {.width = D}, 0, DType::f64);
  mine::Gpt g{.words = m.embedding.words.weight,
              .positions = Variable(rows.unsqueeze(0).expand({ids.size(0), ids.size(1), D})),
              .layers = {},
              .norm = [&m](const Variable& x) { return (*m.decoder.norm)(x); }};
  for (const nn::TransformerLayer& l : m.decoder.layers)
    g.layers.push_back(
        {[&l](const Variable& x) { return l.norm1(x); }, [&l](const Variable& x) { return (*l.self_attn)(x).output; },
         [&l](const Variable& x) { return l.norm2(x); }, [&l](const Variable& x) { return l.feed_forward(x); }});
  return g;
}

void examine(app::Exercise& e) {
  Generator rng(5);
  nn::LanguageModel library({.target_vocabulary = 9,
                             .model = 6,
                             .heads = 2,
                             .inner = 10,
                             .decoder_layers = 2,
                             .norm_first = true,
                             .dropout = 0,
                             .tie = "target",
                             .output_bias = false},
                            rng);
  nn::convert(library, DType::f64);
  for (auto& p : nn::parameters(library)) p.set_value(Tensor::normal(p.shape(), rng, 0, 1, DType::f64));
  for (const auto& [rows, words] : {std::pair<int64_t, int64_t>{1, 1}, {2, 5}}) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < rows * words; ++i) ids.push_back(4 + (i * i + 1) % 5);
    const Tensor text = Tensor::from(ids, {rows, words});
    e.check(fmt::format("the logits of {} rows of {} words, element ", rows, words),
            mine::gpt(parts_of(library, text), text).value(), library(text).value(), 1e-10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 4, "A small GPT from its parts");
  e.hint("D is g.words.size(1). The root multiplies the vectors of the words, before the positions are added.");
  e.hint("Two lines in a loop over g.layers: x = x + attention(norm1(x)), x = x + feed_forward(norm2(x)).");
  e.hint("After the loop: x = g.norm(x). The product with E^T is there already.");
  e.insight(
      "That is all of it: GPT-2 is this function with other sizes, a learned P, gelu in place of relu, and no root.\n"
      "./heed generate --mine trains a small one on letters, with yours in it, and lets it write.",
      "./heed generate --mine");
  return e.run(argc, argv, examine);
}
