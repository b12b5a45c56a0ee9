// Exercise 04.3: the loss of a batch of sentences of different lengths.
//
//   logits [B, T, V]    targets [B, T] i64, filled up with `pad` after the end of each sentence
//   L = sum over the targets that are not `pad` of -log p(target), divided by the NUMBER of these targets
//
// B sentences, T positions, V words. The mean over all B T positions is wrong: it depends on how much padding there
// happens to be, and its gradient teaches the model to predict padding. Three properties must hold: adding padding
// changes nothing, logits at padded positions get the gradient 0, and a batch of padding alone has the loss 0, not 0/0.
//
// Useful, from autograd/ops.h and tensor/: log_softmax(x), reshape(x, shape), gather(x, index) (the element of the last
// axis whose number is in the index; the index has as many axes as x), masked_fill(x, mask, value), sum(x);
// equal(tensor, value) gives a bool mask. `pad` is a word of the vocabulary, so it can be gathered. Do without
// cross_entropy, whose option ignore_index does the same.
#pragma once

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace mine {

heed::Variable padded_loss(const heed::Variable& logits, const heed::Tensor& targets, int64_t pad);

}  // namespace mine
