// A decoder's memory of its own outputs, as a stage: each output h_t is replaced by one that has also read the outputs
// before it.
//
//   a whole sequence   h [B, T, N]                 ->  output [B, T, P]
//   one step           h_t [B, N], past [B, l, N]  ->  output_t [B, P], past with h_t appended
//
// Both give the same numbers. A memory is a line of all.cpp. B batch, T time, l number of outputs that are still
// remembered, N width of h, P width of the result.
#pragma once

#include <memory>

#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

struct OutputMemory : Module {
  using Stage = OutputMemory;
  OutputMemory() = default;
  OutputMemory(OutputMemory&&) = default;
  OutputMemory& operator=(OutputMemory&&) = default;
  virtual ~OutputMemory() = default;
  virtual Variable sequence(const Variable& h) const = 0;
  virtual Variable step(const Variable& h, Variable& past) const = 0;  // `past` is undefined before the first step
  virtual int64_t width() const = 0;                                   // P
  virtual void visit(Visitor&) {}
};

// From a text such as key_value:parts=2,window=5, for outputs of width N.
std::unique_ptr<OutputMemory> make_output_memory(const std::string& text, int64_t width, Generator& rng);

}  // namespace heed::nn
