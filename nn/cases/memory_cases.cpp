// Cases of the structures in nn/attention/structures/ that have a memory of their own.
#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/cases/build.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

// Two stories of three sentences, one of which is shorter; ids 1 .. 4, and 0 for padding.
CaseRow memory_network() {
  auto call = [](nn::MemoryNetwork& m, In) {
    Tensor story = Tensor::from(std::vector<int64_t>{1, 2, 3, 4, 2, 0, 4, 1, 3, 0, 0, 0}, {2, 3, 2});
    nn::MemoryAnswer y = m(story, Tensor::from(std::vector<int64_t>{3, 1, 2, 0}, {2, 2}));
    return nn::together({y.logits, y.weights});
  };
  using M = nn::MemoryNetwork;
  return nn::module_row(
      "MemoryNetwork",
      {module_case<M>("adjacent", {.vocabulary = 5, .width = 3, .hops = 2, .sentences = 3}, {}, call),
       module_case<M>("layer-wise, bags of words",
                      {.vocabulary = 5, .width = 2, .hops = 2, .sentences = 0, .layer_wise = true, .bag = true}, {},
                      call)});
}

// Two steps: a head that writes, then the same head reads what it wrote.
CaseRow ntm_head() {
  auto call = [](nn::NTMHead& m, In in) {
    Variable before(Tensor::full({2, 4}, 0.25, DType::f64));
    nn::NTMControl c = m.control(in[0]);
    Variable w = m.address(c, in[1], before), memory = nn::ntm_written(w, in[1], c.erase, c.add);
    Variable again = m(in[0] * 2, memory, w);
    return nn::together({w, memory, again, nn::ntm_read(again, memory)});
  };
  return nn::module_row("NTMHead", {module_case<nn::NTMHead>("N 4, W 2", {.controller = 3, .width = 2, .writes = true},
                                                             {{2, 3}, {2, 4, 2}}, call)});
}

}  // namespace

std::vector<CaseRow> memory_cases() { return {memory_network(), ntm_head()}; }

}  // namespace heed
