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
// The alignment: the mean of the weights over the heads, [B, H, T, S] -> [B, T, S]. That of an output that copies (See,
// Liu and Manning, ACL 2017): attention that returns its weights is dense, so the last layer then stores [B, H, T, S].
Variable alignment_of(const Variable& weights);

}  // namespace heed::nn
