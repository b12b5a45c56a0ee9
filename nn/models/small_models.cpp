#include "nn/models/small_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/around/pruned_heads.h"
#include "nn/attention/registry.h"

namespace heed::nn {

void run_once(const EncoderDecoder& model) {
  Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6}, {1, 3}),
         lengths = Tensor::from(std::vector<int64_t>{3}, {1});
  Tensor target = Tensor::from(std::vector<int64_t>{2, 5, 6}, {1, 3});
  backward(sum(model(source, lengths, target)));
  Evaluating evaluating;
  NoGrad guard;
  greedy(*model.search(source, lengths), {.max_lengths = {3}});
}

TransformerOptions small_model(const TransformerOptions& options) {
  TransformerOptions o = completed(options);
  for (TransformerPart part : {TransformerPart::encoder, TransformerPart::decoder}) stack_of(o, part);  // the whole one
  int64_t K = o.model / o.heads % 2 == 0 ? 4 : 3;  // rope needs pairs
  int64_t kinds = o.mixers.empty() ? 1 : std::ssize(stage_texts(o.mixers));
  std::string& pruned = o.around[PrunedHeads::about.name()].text;
  const auto all_pruned = pruned_from(std::exchange(pruned, ""));
  for (const auto& [layer, head] : all_pruned) {  // the same layers, with heads that a small model has
    pruned += fmt::format("{}{}.{}", pruned.empty() ? "" : ",", layer, std::min<int64_t>(head, 1));
    kinds = std::max(kinds, layer + 1);
  }
  o.kv_heads = o.kv_heads == o.heads ? 2 : 1;
  o.heads = 2, o.model = 2 * K, o.inner = 8, o.max_positions = 16;
  o.encoder_layers = std::min(o.encoder_layers, kinds), o.decoder_layers = std::min(o.decoder_layers, kinds);
  return o;
}

// The parts of a recurrent model whose sizes do not follow from each other.
void shrink(WordOptions& source, WordOptions& target, EncoderOptions& encoder, DecoderOptions& decoder,
            std::string& pooling, int64_t& readout) {
  Generator unused(0);  // do the settings fit the widths as they are?
  if (!decoder.memory.empty()) make_output_memory(decoder.memory, decoder.hidden, unused);
  if (!pooling.empty()) {
    Pooling({.modes = stage_texts(pooling), .width = encoder.width()}, unused);
    std::string names;  // the settings may be too large for a small model
    for (const std::string& text : stage_texts(pooling))
      names += (names.empty() ? "" : ",") + text.substr(0, text.find(':'));
    pooling = names;
  }
  // Scores that need equal widths find them equal, or not, as in the model itself.
  const bool same = decoder.hidden == encoder.hidden, wide = decoder.hidden == encoder.width();
  source.width = target.width = 4;
  encoder.hidden = 6;
  decoder.hidden = same ? 6 : wide ? encoder.width() : 18;
  encoder.layers = decoder.layers = 1;
  if (readout != Readout::kDirect) readout = 6;
}

bool has_shape(const io::SafeTensors& file, const std::string& name, const Shape& shape) {
  const Tensor* t = file.find(name);
  return t && t->shape() == shape;
}

bool fits(const WordOptions& source, const WordOptions& target, const EncoderOptions& e, const DecoderOptions& d,
          int64_t readout, bool writes_words, const io::SafeTensors& file) {
  const Tensor* output = file.find("output.weight");
  auto [first, shape] = first_weights(e.cell, e.hidden);
  auto [decoder, decoder_shape] = first_weights(d.cell, d.hidden);
  const bool words = output && output->rank() == 2 && output->size(0) == target.vocabulary &&
                     (readout == Readout::kDirect || output->size(1) == (readout == 0 ? d.hidden : readout));
  return (words || !writes_words) && has_shape(file, "encoder." + first, shape) &&
         has_shape(file, "decoder." + decoder, decoder_shape) &&
         has_shape(file, "source_embedding.weight", {source.vocabulary, source.width}) &&
         has_shape(file, "target_embedding.weight", {target.vocabulary, target.width});
}

// Requires the file to have as many numbers as the model has parameters, so that a damaged file cannot ask for a model
// of absurd size.
bool fits(const TransformerOptions& o, bool, const io::SafeTensors& file) {
  int64_t numbers = 0;
  for (const auto& [name, t] : file.tensors) numbers += t.count();
  return numbers >= transformer_parameters(o) &&
         has_shape(file, "source_embedding.words.weight", {o.source_vocabulary, o.model}) &&
         has_shape(file, "target_embedding.words.weight", {o.target_vocabulary, o.model});
}

}  // namespace heed::nn
