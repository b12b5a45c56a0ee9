// A reader as a stage: how a decoder reads values by its weights. Without a reader it reads their weighted mean.
//
//   weights [B, T, S], values [B, S, D]  ->  context [B, T, D]
//
// A reader that draws has no derivative through its choice, so it also adds a term to the loss, which needs the
// log-likelihood of each sentence. A reader is a line of all.cpp. B batch, T queries, S keys, D width of the values.
#pragma once

#include <memory>

#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

struct HardRead {
  Variable context;          // [B, T, D]
  Variable weights;          // [B, T, S], share of each value that was read: one-hot, or the weights if soft
  Variable log_probability;  // [B, T], log w_z; 0 if nothing was drawn
  Variable entropy;          // [B, T], H[w]
  Tensor chosen = {};        // [B, T] i64, z; 0 if no key may be chosen
};

struct Reader : Module {
  using Stage = Reader;
  Reader() = default;
  Reader(Reader&&) = default;
  Reader& operator=(Reader&&) = default;
  virtual ~Reader() = default;
  virtual HardRead operator()(const Variable& weights, const Variable& values) const = 0;
  // The term of the loss whose gradient is that of the choices, a mean over the sentences: []. log_likelihood [B]
  // counts as a constant; log_probability and entropy [B, T] are those of the choices, 0 where there was no word.
  virtual Variable penalty(const Variable& log_likelihood, const Variable& log_probability,
                           const Variable& entropy) const = 0;
  virtual void visit(Visitor&) {}
};

std::unique_ptr<Reader> make_reader(const std::string& text, Generator& rng);  // "hard:soft=0.2"

}  // namespace heed::nn
