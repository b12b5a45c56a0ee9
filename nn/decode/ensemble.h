// Ensemble: several models decode together, and the next word is chosen by the mean of their probabilities.
//
//   log p(w) = log (1 / M) sum_m p_m(w)
//
// (Sutskever, Vinyals and Le, NIPS 2014, section 3.6; checkpoints of one run: Sennrich, Haddow and Birch, WMT 2016.)
// The models must have the same target vocabulary, and must have read the same source sentences. weights() is the mean
// of the attention weights of those models that have attention. M models, R rows, V vocabulary, S source length.
#pragma once

#include <memory>
#include <vector>

#include "nn/decode/search.h"

namespace heed::nn {

class Ensemble final : public SearchModel {
 public:
  // ValueError if there is no model, or if the models have different numbers of rows.
  explicit Ensemble(std::vector<std::unique_ptr<SearchModel>> models);

  int64_t rows() const override { return models_.front()->rows(); }
  Tensor next(const Tensor& tokens) override;  // [R] i64 -> log p [R, V]; ShapeError if the models differ in V
  void keep(const Tensor& rows) override;
  Tensor weights() const override;  // [R, S]

 private:
  std::vector<std::unique_ptr<SearchModel>> models_;
};

}  // namespace heed::nn
