// The output layer W_o of the models of nn/transformer/, and what an output that copies asks of a model.
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

// Its initial weights give logits of size about 1; if tied, its weight is that of `words`.
Linear output_layer(const TransformerOptions& options, const Embedding& words, bool tied, Generator& rng);
std::unique_ptr<OutputHead> output_head(const TransformerOptions& options, const Embedding& words, Generator& rng);
// ValueError for an output that copies: a model of this name has no source to copy from.
void require_no_copies(const char* model, const TransformerOptions& options);
// ValueError for an output that copies by weights that do not sum to 1.
void require_weights_to_copy(const Transformer& model);
// ShapeError for a source or a target that is no batch of sentences.
void require_source(const Tensor& source, const Tensor& lengths);
void require_target(const Tensor& target, const Transformer::Encoded& source);
// The alignment: the mean over the heads of the last cross-attention's weights, [B, H, T, S] -> [B, T, S]. An output
// that copies reads it (See, Liu and Manning, ACL 2017), so that the last layer must store all weights.
Variable alignment_of(const Variable& weights);

}  // namespace heed::nn
