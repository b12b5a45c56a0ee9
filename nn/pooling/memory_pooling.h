// The hops of an end-to-end memory network (nn/attention/structures/memory_network.h) as a pooling: the words are the
// memory, and the question is learned.
//
//   u^1 learned;   p = softmax_s(u^k . E^k x_s),  o^k = sum_s p_s E^{k+1} x_s,  u^{k+1} = u^k + o^k        K hops
//   y = o^1 + .. + o^K = u^{K+1} - u^1                                                  [B, S, D] -> [B, D]
//
// With one hop the query is the same for all sentences. With more hops the later queries depend on the sentence.
// E^1 .. E^{K+1} [D, D], adjacent tying. B batch, S words, D width.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/structures/memory_network.h"
#include "nn/init.h"
#include "nn/padding.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

struct MemoryNetworkPooling final : Pooler {
  struct Settings {
    int64_t hops = 3;
    void fields(OptionFields& f) { f("hops", hops, "K, number of reads", {1, 64}); }
  };

  MemoryNetworkPooling(const PoolerOptions& o, Generator& rng)
      : question(uniform_parameter({1, 1, o.width}, o.width, rng)) {
    for (int64_t k = 0; k <= o.settings.as<Settings>().hops; ++k)
      maps.emplace_back(Linear::Options{.in = o.width, .out = o.width, .bias = false}, rng);
  }
  Variable operator()(const Variable& x_, const Tensor& words) const override {
    Call call(*this);
    Variable x = without_padding(x_, words), keys = maps[0](x), read;
    for (size_t k = 1; k < maps.size(); ++k) {
      Variable values = maps[k](x);
      Variable u = read.defined() ? question + read : expand(question, {x.size(0), 1, x.size(2)});
      Variable o = memory_read(u, keys, values, words.defined() ? words.unsqueeze(1) : Tensor()).context;
      read = read.defined() ? read + o : o;
      keys = values;
    }
    return call.result("output", squeeze(read, 1));
  }
  int64_t width() const override { return question.size(2); }
  void visit(Visitor& v) override {
    v.parameter("question", question);
    for (size_t k = 0; k < maps.size(); ++k) v.child("map_" + std::to_string(k), maps[k]);
  }
  Variable question;         // u^1 [1, 1, D]
  std::vector<Linear> maps;  // E^1 .. E^{K+1}
};

}  // namespace heed::nn
