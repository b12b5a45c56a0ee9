// Poolings made of structures for sets (nn/attention/structures/), each a few lines around it:
//
//   SlotPooling            R slots (slot_attention.h), one after the other                           width R D
//   HopfieldPooling        a learned state retrieves a pattern among the words (hopfield.h)          width D
//   SetTransformerPooling  blocks that let the words read each other, then PMA (set_transformer.h)   width D
//
// D width of the words, R slots.
#pragma once

#include <cmath>

#include "nn/attention/structures/hopfield.h"
#include "nn/attention/structures/set_transformer.h"
#include "nn/attention/structures/slot_attention.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

struct SlotPooling final : Pooler {
  struct Settings {
    int64_t slots = 4;
    int64_t iterations = 3;
    void fields(OptionFields& f) {
      f("slots", slots, "R, number of slots", {1, 1024});
      f("iterations", iterations, "number of iterations; 3 in the paper", {1, 64});
    }
  };

  SlotPooling(const PoolerOptions& o, Generator& rng)
      : slots({.input = o.width,
               .width = o.width,
               .slots = o.settings.as<Settings>().slots,
               .iterations = o.settings.as<Settings>().iterations},
              rng) {}
  Variable operator()(const Variable& x, const Tensor& words) const override {
    Call call(*this);
    return call.result("output", reshape(slots(x, words).context, {x.size(0), width()}));
  }
  int64_t width() const override { return slots.options.slots * slots.options.width; }
  void visit(Visitor& v) override { v.child("", slots); }
  SlotAttention slots;
};

struct HopfieldPooling final : Pooler {
  struct Settings {
    int64_t steps = 1;
    double beta = 0;
    void fields(OptionFields& f) {
      f("steps", steps, "number of steps", {1, 64});
      f("beta", beta, "b; 0: 1 / sqrt(D)", {0, 1e6});
    }
  };

  HopfieldPooling(const PoolerOptions& o, Generator& rng)
      : state(uniform_parameter({1, 1, o.width}, o.width, rng)), settings(o.settings.as<Settings>()) {
    if (settings.beta == 0) settings.beta = 1 / std::sqrt(static_cast<double>(o.width));
  }
  Variable operator()(const Variable& x_, const Tensor& words) const override {
    Call call(*this);
    Variable x = without_padding(x_, words), start = expand(state, {x.size(0), 1, x.size(2)});
    Tensor allowed = words.defined() ? words.unsqueeze(1) : Tensor();
    // A tolerance would make one sentence depend on the others of its batch.
    Retrieved seen = hopfield_retrieve(
        start, x, {.beta = settings.beta, .steps = settings.steps, .tolerance = -1, .allowed = allowed});
    return call.result("output", squeeze(seen.state, 1));
  }
  int64_t width() const override { return state.size(2); }
  void visit(Visitor& v) override { v.parameter("state", state); }
  Variable state;  // [1, 1, D]
  Settings settings;
};

struct SetTransformerPooling final : Pooler {
  struct Settings {
    int64_t inducing = 0;
    int64_t blocks = 1;
    int64_t heads = 1;
    void fields(OptionFields& f) {
      f("inducing", inducing, "M, learned vectors of ISAB; 0: SAB", {0, 1024});
      f("blocks", blocks, "number of blocks before the pooling PMA", {1, 64});
      f("heads", heads, "number of heads; must divide the encoder's width", {1, 1024});
    }
  };

  SetTransformerPooling(const PoolerOptions& o, Generator& rng)
      : pooling({.model = o.width, .heads = o.settings.as<Settings>().heads}, rng) {
    const auto s = o.settings.as<Settings>();
    for (int64_t i = 0; i < s.blocks; ++i)
      blocks.emplace_back(SetBlockOptions{.model = o.width, .heads = s.heads, .inducing = s.inducing}, rng);
  }
  Variable operator()(const Variable& x_, const Tensor& words) const override {
    Call call(*this);
    Variable x = x_;
    for (const SetBlock& block : blocks) x = block(x, words).context;
    return call.result("output", squeeze(pooling(x, words).context, 1));
  }
  int64_t width() const override { return pooling.options.model; }
  void visit(Visitor& v) override {
    for (size_t i = 0; i < blocks.size(); ++i) v.child("block_" + std::to_string(i), blocks[i]);
    v.child("pooling", pooling);
  }
  std::vector<SetBlock> blocks;
  MultiHeadPooling pooling;
};

}  // namespace heed::nn
