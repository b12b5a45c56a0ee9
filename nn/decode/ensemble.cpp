#include "nn/decode/ensemble.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {

Ensemble::Ensemble(std::vector<std::unique_ptr<SearchModel>> models) : models_(std::move(models)) {
  if (models_.empty()) throw ValueError("ensemble: needs at least one model; got none");
  for (const auto& model : models_) {
    if (!model) throw ValueError("ensemble: every model must be there; got a null pointer");
    if (model->rows() != models_[0]->rows())
      throw ValueError(fmt::format("ensemble: the models must search the same sentences; got {} and {} rows",
                                   models_[0]->rows(), model->rows()));
  }
}

// logsumexp over the models, minus log M.
Tensor Ensemble::next(const Tensor& tokens) {
  std::vector<Tensor> answers;
  for (const auto& model : models_) {
    answers.push_back(model->next(tokens));
    if (answers.back().shape() != answers[0].shape())
      throw ShapeError(fmt::format("ensemble: the models must have one target vocabulary; got answers {} and {}",
                                   to_string(answers[0].shape()), to_string(answers.back().shape())));
  }
  if (answers.size() == 1) return answers[0];
  Tensor all = stack(answers, 0);  // [M, R, V]
  return sub(logsumexp(all, {0}), std::log(static_cast<double>(answers.size())));
}

void Ensemble::keep(const Tensor& rows) {
  for (const auto& model : models_) model->keep(rows);
}

Tensor Ensemble::weights() const {
  std::vector<Tensor> all;
  for (const auto& model : models_)
    if (Tensor one = model->weights(); one.defined()) all.push_back(one);
  return all.empty() ? Tensor() : mul(sum(stack(all, 0), {0}), 1.0 / static_cast<double>(all.size()));
}

}  // namespace heed::nn
