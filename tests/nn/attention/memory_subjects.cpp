// Subjects of the structures that have a memory of their own, and of those that read two or more sequences.
#include "autograd/ops.h"
#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/recurrent/padding.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

template <class M>
M built(const typename M::Options& options, DType dtype) {
  M module = make<M>(options, 1);
  nn::convert(module, dtype);
  return module;
}

// Lengths and the mask of an Ask as one mask, or undefined.
Tensor allowed_by(const Ask& ask) {
  return ask.lengths.defined() ? nn::length_mask(ask.lengths, ask.keys.size(1)).unsqueeze(1) : ask.allowed;
}

Seen run_hop(const Ask& ask) {
  nn::Attended seen = nn::memory_read(ask.query, ask.keys, ask.values, allowed_by(ask));
  return {seen.context, seen.weights};
}

// The keys are the memory, each query is a state of the controller, and the weights before are even.
Seen run_ntm(const Ask& ask) {
  auto m = built<nn::NTMHead>({.controller = kWidth, .width = kWidth}, ask.keys.dtype());
  int64_t N = ask.keys.size(1);
  Variable before(Tensor::full({ask.keys.size(0), N}, 1.0 / static_cast<double>(N), ask.keys.dtype()));
  std::vector<Variable> read, weights;
  for (int64_t t = 0; t < ask.query.size(1); ++t) {
    weights.push_back(m(select(ask.query, 1, t), ask.keys, before));
    read.push_back(nn::ntm_read(weights.back(), ask.keys));
  }
  return {stack(read, 1), stack(weights, 1), nn::named_parameters(m)};
}

}  // namespace

Subject memory_subject_of(const nn::CatalogueEntry& entry) {
  if (entry.id == "E9") return run_hop;
  if (entry.id == "E10") return run_ntm;
  return {};
}

}  // namespace heed::nn_test
