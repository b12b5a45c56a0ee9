// Adapts Seq2Seq to SearchModel: it holds the decoder state of each row and the memory of the row's sentence.
#pragma once

#include "autograd/ops_matmul.h"
#include "nn/decode/search.h"
#include "nn/models/seq2seq.h"

namespace heed::nn {

class Seq2SeqSearch final : public SearchModel {
 public:
  Seq2SeqSearch(const Seq2Seq& model, const Tensor& source, const Tensor& lengths);  // [R, S] and [R] i64
  int64_t rows() const override { return rows_; }
  Tensor next(const Tensor& tokens) override;
  void keep(const Tensor& rows) override;
  Tensor weights() const override;

 private:
  PackedWeights packed_;
  const Seq2Seq& model_;
  Memory memory_;
  DecoderState state_;
  OutputSource source_;  // the source words of each row's sentence
  int64_t rows_;
  std::vector<int64_t> sentence_;  // the index of each row's sentence
};

}  // namespace heed::nn
