// The small GPT that is made of Pieces: nn/transformer/language_model.h, norm first, with every piece called where it
// belongs, and what writes with it.
//
//   row        several texts, numbered 1, 2, ..; position p within its own text       nn/transformer/packing.h
//   logits     gpt(sqrt(D) E[ids] + P, layers with the mask of the row, E^T)          [B, T, V]
//
// It has a LanguageModel for its parameters. The embeddings are looked up by the piece gpt; the packing of rows, and
// the loop that draws one letter after the other, are the library's. B rows, T letters in a row, V vocabulary.
#pragma once

#include "nn/transformer/language_model.h"
#include "tutorials/app/mine/part.h"
#include "tutorials/app/mine/pieces.h"

namespace heed::app {

struct AssembledGpt {
  AssembledGpt(const nn::LanguageModel::Options& options, Pieces pieces, Generator& rng);
  Variable operator()(const nn::Packed& text) const;
  std::vector<NamedVariable> trained() const;  // all parameters but the biases of attention, which are 0
  // Goes on with a text: draws from the most probable ids that have top_p of the probability together, until </s> or
  // `limit` ids. `written` is told each of them; </s> is not among them.
  std::vector<int64_t> write(std::vector<int64_t> begin, int64_t limit, double top_p, Generator& rng,
                             const std::function<void(int64_t)>& written = {}) const;

  nn::LanguageModel model;
  Pieces pieces;
};

nn::TransformerOptions gpt_options(int64_t vocabulary, int64_t model, int64_t heads, int64_t layers);

// The log-probabilities and the gradients of a small one beside those of the library's, in f64.
void compare_gpts(const Pieces& pieces, Comparison& comparison);

}  // namespace heed::app
