// Exercise 10.2: greedy decoding.
//
// A trained decoder has no teacher: it reads what it has predicted, and stops when it predicts </s>.
//
//   y_0 = <s>          y_t = argmax of the logits after step(y_{t-1}, state)          until </s>, or `limit` symbols
//
// Sutskever, Vinyals and Le, NeurIPS 2014, section 3.2, with one hypothesis.
#pragma once

#include <vector>

#include "nn/models/seq2seq.h"

namespace mine {

// source [1, S] i64, lengths [1] i64 -> the ids of at most `limit` predicted symbols, without </s>
std::vector<double> write(const heed::nn::Seq2Seq& model, const heed::Tensor& source, const heed::Tensor& lengths,
                          int64_t limit);

}  // namespace mine
