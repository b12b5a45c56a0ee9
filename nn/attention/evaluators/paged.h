// Paged attention (Kwon et al., SOSP 2023, section 4.1): decoding from a cache in blocks (memories/paged.h), which are
// read one after the other and merged (partial.h). They are never copied into one piece.
//
// Without a cache, in training and in cross-attention, it is tiled attention. The numbers are the same in every form.
// If the weights are asked for, the blocks are first copied into one tensor. Under a scope that reads only the last
// words, such as a window, the cache still keeps all words. b the setting `block`, words of a block.
#pragma once

#include "nn/attention/evaluators/partial.h"
#include "nn/attention/evaluators/tiled.h"

namespace heed::nn {

struct PagedEvaluator final : Evaluator {
  PagedEvaluator(const EvaluatorOptions& o, Generator& rng) : block(o.settings.whole("block")), whole_(o, rng) {}
  std::string refuses(const StageSet& stages) const override { return why_not_in_parts(stages); }
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override {
    return whole_(stages, call, context);
  }
  bool shows_weights() const override { return false; }
  std::unique_ptr<AttentionMemory> memory(const StageSet& stages) const override;
  bool reads_in_place(const AttentionMemory& memory) const override;
  Attended step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                StageContext& context) const override;
  int64_t block;  // b

 private:
  TiledEvaluator whole_;
};

}  // namespace heed::nn
