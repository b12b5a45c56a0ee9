// Cases of nn/sentence/.
#include "autograd/cases/layouts.h"
#include "nn/cases/examples.h"
#include "nn/sentence/contrastive.h"
#include "nn/sentence/masked_word_model.h"
#include "nn/train/minimum_risk.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

nn::TransformerOptions small_encoder() {
  return {.source_vocabulary = 6,
          .model = 4,
          .heads = 2,
          .inner = 3,
          .encoder_layers = 1,
          .activation = "gelu",
          .norm_first = true,
          .dropout = 0,
          .token_types = 2};
}

CaseRow unit_rows() {
  return nn::module_row(
      "unit_rows",
      over_layouts({{.label = "rows", .shapes = {{2, 3, 4}}, .f = [](In in) { return nn::unit_rows(in[0]); }}}));
}

CaseRow contrastive() {
  std::vector<BaseCase> bases;
  for (bool symmetric : {false, true})
    bases.push_back({.label = symmetric ? "symmetric" : "one way", .shapes = {{3, 4}, {3, 4}}, .f = [symmetric](In in) {
                       return nn::contrastive_loss(in[0], in[1], {.temperature = 0.3, .symmetric = symmetric});
                     }});
  return nn::module_row("contrastive_loss", over_layouts(bases));
}

CaseRow risk() {
  Tensor errors = Tensor::from(std::vector<double>{0, 1, 3, 2, 0.5, 1}, {2, 3});
  return nn::module_row("minimum_risk",
                        over_layouts({{.label = "3 candidates", .shapes = {{2, 3}}, .f = [errors](In in) {
                                         return nn::minimum_risk(in[0], errors.to(in[0].dtype()), {.alpha = 0.7});
                                       }}}));
}

CaseRow head() {
  struct WithWords : nn::MaskedWordHead {  // the head alone, with an embedding of its own instead of its model's
    using Options = nn::TransformerOptions;
    WithWords(const Options& o, Generator& rng)
        : nn::MaskedWordHead(o, nn::Embedding({.vocabulary = o.source_vocabulary, .width = o.model}, rng), rng) {}
  };
  return nn::module_row("MaskedWordHead", {module_case<WithWords>("N 2", small_encoder(), {{2, 4}},
                                                                  [](WithWords& m, In in) { return m(in[0]); })});
}

CaseRow masked_words() {
  auto guess = [](nn::MaskedWordModel& m, In) {
    return m(ids({4, 3, 4, 5, 3, 1}, {2, 3}), ids({3, 2}, {2}), ids({0, 0, 1, 0, 1, 1}, {2, 3}), ids({1, 2, 3}, {3}));
  };
  return nn::module_row("MaskedWordModel",
                        {module_case<nn::MaskedWordModel>("B 2, S 3, N 3", small_encoder(), {}, guess)});
}

}  // namespace

std::vector<CaseRow> sentence_cases() { return {unit_rows(), contrastive(), risk(), head(), masked_words()}; }

}  // namespace heed
