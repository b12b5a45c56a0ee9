#include "nn/attention/recurrences/state_memory.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

void StateMemory::keep(const Tensor& rows) {
  for (Variable& x : state) x = index_select(x, 0, rows);
}

int64_t StateMemory::bytes() const {
  int64_t all = 0;
  for (const Variable& x : state) all += x.value().count() * (x.dtype() == DType::f64 ? 8 : 4);
  return all;
}

StateMemory& state_memory(const char* mixer, AttentionMemory& memory) {
  if (auto* state = dynamic_cast<StateMemory*>(&memory)) return *state;
  throw ValueError(
      fmt::format("{}: it reads from a state of its own; got another memory; hint: memory() makes one", mixer));
}

Tensor of_last(const Tensor& words, int64_t n) {
  return words.defined() ? words.slice(1, words.size(1) - n, words.size(1)) : words;
}

}  // namespace heed::nn
