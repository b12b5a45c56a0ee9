// A model that reads one sequence and writes another, as training and programs see it. Each is a file that reads like
// its paper (nn/models/), and is chosen by its name (nn/models/papers.h). B batch, S source words, T target words, V
// vocabulary.
#pragma once

#include <memory>

#include "nn/decode/search.h"
#include "nn/module.h"

namespace heed::nn {

struct EncoderDecoder : Module {
  EncoderDecoder() = default;
  EncoderDecoder(EncoderDecoder&&) = default;
  EncoderDecoder& operator=(EncoderDecoder&&) = default;
  virtual ~EncoderDecoder() = default;
  // Teacher forcing: the decoder's inputs are the true words `target_in` [B, T] i64 (<s> first), the source is [B, S]
  // i64 with lengths [B] i64. Returns logits [B, T, V]. `alignment`, if given, receives the attention weights [B, T, S]
  // with their gradient; undefined without attention, and with an evaluator that never stores weights.
  virtual Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                              Variable* alignment = nullptr) const = 0;
  virtual std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const = 0;
  // What the encoder hands to the decoder: [B, S, A], one vector for each source word, or without attention [B, 1, C].
  virtual Variable encoder_outputs(const Tensor& source, const Tensor& lengths) const = 0;
  virtual void visit(Visitor&) = 0;

  virtual bool attends() const { return true; }        // whether it has an alignment
  virtual int64_t max_positions() const { return 0; }  // of the source and of the target; 0: any number
  // The outputs that each sentence can write, bool [B, V']; undefined: all of them (nn/output_heads/output_head.h).
  virtual Tensor writable(const Tensor& /*source*/, const Tensor& /*lengths*/) const { return {}; }
  // Training: of every `layers` layers only the input is stored; the backward pass computes the rest again. ValueError
  // if the model cannot do so.
  virtual void set_checkpoint(int64_t layers);
};

}  // namespace heed::nn
