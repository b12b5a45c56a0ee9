// Two more structures as poolings (nn/attention/structures/):
//
//   DynamicMemoryPooling   the memory after several passes over the words, with a learned question
//                          (dynamic_memory.h)                                                        width D
//   SqueezeExcitePooling   the mean, with a gate for each entry that is made from the mean
//                          (squeeze_excite.h)                                                        width D
#pragma once

#include "nn/attention/structures/dynamic_memory.h"
#include "nn/attention/structures/squeeze_excite.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

struct DynamicMemoryPooling final : Pooler {
  struct Settings {
    int64_t passes = 3;
    void fields(OptionFields& f) { f("passes", passes, "number of episodes", {1, 64}); }
  };

  DynamicMemoryPooling(const PoolerOptions& o, Generator& rng)
      : question(uniform_parameter({1, o.width}, o.width, rng)),
        memory({.width = o.width, .passes = o.settings.as<Settings>().passes}, rng) {}
  Variable operator()(const Variable& x, const Tensor& words) const override {
    Call call(*this);
    return call.result("output", memory(x, expand(question, {x.size(0), x.size(2)}), words).memory);
  }
  int64_t width() const override { return memory.options.width; }
  void visit(Visitor& v) override {
    v.parameter("question", question);
    v.child("memory", memory);
  }
  Variable question;  // [1, D]
  DynamicMemory memory;
};

struct SqueezeExcitePooling final : Pooler {
  struct Settings {
    int64_t reduction = 8;
    void fields(OptionFields& f) { f("reduction", reduction, "D / R", {1, 1024}); }
  };

  SqueezeExcitePooling(const PoolerOptions& o, Generator& rng)
      : gates({.width = o.width, .reduction = o.settings.as<Settings>().reduction}, rng) {}
  Variable operator()(const Variable& x, const Tensor& words) const override {
    Call call(*this);
    return call.result("output", pool("mean", x, words) * gates.gates(x, words));
  }
  int64_t width() const override { return gates.options.width; }
  void visit(Visitor& v) override { v.child("", gates); }
  SqueezeExcite gates;
};

}  // namespace heed::nn
