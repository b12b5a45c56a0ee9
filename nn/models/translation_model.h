// The model inside a trainer or a translator: one of the papers, chosen by name (nn/models/papers.h), with its options.
//
//   TranslationModel model(paper_called("bahdanau"), {.source = 4000, .target = 4000}, rng);
//   model(source, lengths, target_in)            // logits [B, T, V], teacher forcing
//   model.search(source, lengths)                // for greedy and beam search (nn/decode/search.h)
//
// The parameters have the same names as in the model itself. B batch, S source length, T target length, V vocabulary.
#pragma once

#include "nn/models/papers.h"
#include "nn/transformer/transformer.h"

namespace heed::nn {

struct TranslationModel : Module {
  TranslationModel(const AnyPaper& paper, Vocabularies words, Generator& rng)
      : options(paper), model(options.make(words, rng)) {}

  // As in EncoderDecoder, which says what each function does.
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Variable* alignment = nullptr) const {
    return (*model)(source, lengths, target_in, alignment);
  }
  std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const {
    return model->search(source, lengths);
  }
  Tensor writable(const Tensor& source, const Tensor& lengths) const { return model->writable(source, lengths); }
  void set_checkpoint(int64_t layers) { model->set_checkpoint(layers); }
  bool attends() const { return model->attends(); }
  int64_t max_positions() const { return model->max_positions(); }

  const std::string& output() const { return options.output(); }  // the name of its output (nn/output_heads/)
  template <class M>
  M* as() {  // nullptr: it is another paper, or one that copies
    return dynamic_cast<M*>(model.get());
  }
  template <class M>
  const M* as() const {
    return dynamic_cast<const M*>(model.get());
  }
  void visit(Visitor& v) { v.child("", *model); }
  AnyPaper options;
  std::unique_ptr<EncoderDecoder> model;
};

}  // namespace heed::nn
