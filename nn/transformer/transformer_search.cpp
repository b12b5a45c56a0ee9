// A transformer as a search sees it, with a cache (LayerCache): each step computes one word. No later word changes the
// keys and values of an earlier one, so these are kept, and those of the source are projected once per sentence.
//
//   without    every step runs over all words so far: for T words T^2 / 2 through all layers
//   with       T words through all layers; only the weights of attention still grow with T
//
// The predictions are the same, and so are the bits of their probabilities where the kernels sum in one order. R rows,
// S source words.
#include "autograd/modes.h"
#include "autograd/ops_matmul.h"
#include "nn/decode/search_steps.h"
#include "nn/transformer/transformer_output.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

using search_steps::pick;

class TransformerSearch final : public SearchModel {
 public:
  TransformerSearch(const Transformer& model, const Tensor& source, const Tensor& lengths)  // [R, S] and [R] i64
      : model_(model), source_of_row_(Tensor::arange(source.size(0))) {
    NoGrad guard;
    source_ = model_.encode(source, lengths);
  }
  int64_t rows() const override { return source_of_row_.size(0); }
  Tensor next(const Tensor& tokens) override {
    NoGrad guard;
    PackedWeights::Step step_of(packed_);
    Transformer::Decoded decoded = model_.decode(tokens.unsqueeze(1), source_, {.caches = &caches_, .weights = true});
    weights_ = alignment_of(decoded.weights).value().select(1, 0);
    return log_softmax_rows(model_.logits(decoded, source_.read).value().select(1, 0));
  }
  void keep(const Tensor& rows) override {
    NoGrad guard;
    for (LayerCache& cache : caches_) cache.keep(rows);
    pick(weights_, rows);
    Tensor before = source_of_row_;
    source_of_row_ = index_select(before, rows);
    if (source_of_row_.to_vector() == before.to_vector()) return;  // hypotheses of a sentence changed places
    for (LayerCache& cache : caches_) pick(cache.cross.keys, rows), pick(cache.cross.values, rows);
    pick(source_.annotations, rows), pick(source_.words, rows);
    pick(source_.read.ids, rows), pick(source_.read.lengths, rows), pick(source_.read.states, rows);
  }
  Tensor weights() const override { return weights_; }  // the last layer's, the mean over heads

 private:
  PackedWeights packed_;
  const Transformer& model_;
  Transformer::Encoded source_;
  std::vector<LayerCache> caches_;
  Tensor weights_;
  Tensor source_of_row_;  // [R] i64: hypotheses of one sentence share its keys and values
};

}  // namespace

std::unique_ptr<SearchModel> Transformer::search(const Tensor& source, const Tensor& lengths) const {
  return std::make_unique<TransformerSearch>(*this, source, lengths);
}

}  // namespace heed::nn
