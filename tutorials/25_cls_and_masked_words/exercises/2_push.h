// Exercise 25.2: how a batch pushes.
//
//   s_ij = cos(a_i, b_j) / tau        p_ij = softmax over j of s_ij        loss = -1/B sum_i log p_ii
//
// Derive d loss / d s_ij from p. Its signs say what training does: it pulls the sentences of a pair together and pushes
// every other sentence of the batch away, the more, the nearer it was. B pairs in the batch.
// InfoNCE: van den Oord, Li and Vinyals, 2018; for sentences: Gao, Yao and Chen, EMNLP 2021, equation 1.
#pragma once

#include "tensor/tensor.h"

namespace mine {

heed::Tensor gradient(const heed::Tensor& p);  // [B, B] f64 -> [B, B]

}  // namespace mine
