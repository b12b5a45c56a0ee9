#include "nn/models/copying.h"

#include <fmt/format.h>

#include "nn/decode/search_steps.h"

namespace heed::nn {

template <class M>
static typename M::Options model_options(const typename Copying<M>::Options& o) {
  typename M::Options model = o.model;
  if (!output_needs_alignment(o.output))
    throw ValueError(fmt::format("copying: needs an output that copies; got {}; use the model alone", o.output));
  if (model.source.vocabulary != model.target.vocabulary)
    throw ValueError(
        fmt::format("copying: the output {} copies words, so both sides need one vocabulary; got {} and {} words",
                    o.output, model.source.vocabulary, model.target.vocabulary));
  bool feeds = false;
  if constexpr (requires { model.input_feeding; }) feeds = model.input_feeding;
  if (model.readout == 0 && !output_writes_words(o.output) && !feeds) model.readout = Readout::kDirect;
  return model;
}

template <class M>
Copying<M>::Copying(const Options& o, Generator& rng)
    : options(o),
      model(model_options<M>(o), rng),
      head(make_output_head({.name = o.output,
                             .features = model.readout.width(),
                             .vocabulary = model.options.target.vocabulary,
                             .states = model.options.encoder.width()},
                            rng)) {
  const SourceAttention& a = model.attention;
  if (!a.normaliser->rows_sum_to_one() || (a.evaluator && !a.evaluator->rows_sum_to_one()) ||
      !a.scope->rows_sum_to_one())
    throw ValueError(
        fmt::format("copying: the output {} copies by weights that sum to 1; got the normaliser {}, the scope {} and "
                    "the evaluator {}; hint: softmax, global and auto",
                    o.output, a.stages.normaliser.name, a.stages.scope.name, a.stages.evaluator.name));
  options.model = model.options;
  if (Linear* words = head->vocabulary_layer()) words->weight = model.output.weight, words->bias = model.output.bias;
  model.output.weight = model.output.bias = {};
}

template <class M>
void Copying<M>::Read::keep(const Tensor& rows) {
  Source::keep(rows);
  search_steps::pick(words.ids, rows), search_steps::pick(words.lengths, rows), search_steps::pick(words.states, rows);
}

template <class M>
typename Copying<M>::Encoded Copying<M>::encode(const Tensor& source, const Tensor& lengths) const {
  auto [memory, state] = model.encode(head->source_words(source), lengths);
  OutputSource words = output_source(source, lengths);
  words.states = slice(memory.values, -1, 0, model.options.encoder.width());  // without deep fusion's memory cells
  return {{memory, words}, state};
}

template <class M>
Decoded Copying<M>::decode(const Tensor& words, const Read& source, DecoderState& state, bool) const {
  return nn::decode(model, head->target_words(words, source.words), source, state, /*weights=*/true);
}

template <class M>
Variable Copying<M>::logits(const Decoded& d, const Read& source) const {
  Module::Call call(*this);
  return call.result("logits", (*head)(model.hidden(d.features), d.weights, source.words));  // d.weights: attention
}

template struct Copying<Bahdanau>;
template struct Copying<Luong>;
template struct Copying<DeepFusion>;

}  // namespace heed::nn
