// Paged attention (section 4.1 of the paper): decoding from a cache in blocks (memories/paged.h), which are read one
// after the other and merged (partial.h). They are never copied into one piece, unless the weights are asked for.
// Without a cache, in training and in cross-attention, it is tiled attention. Under a scope that reads only the last
// words, such as a window, the cache still keeps all words.
#pragma once

#include "nn/attention/evaluators/partial.h"
#include "nn/attention/evaluators/tiled.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct PagedEvaluator final : Evaluator {
  struct Settings {
    int64_t block = 16;
    void fields(OptionFields& f) { f("block", block, "b, words of a block", {1, 1e6}); }
  };
  static constexpr About about{
      .names = {"G4", "paged", "PagedAttention", "vLLM"},
      .formula = "word t of a row is entry t mod b of its block table[t / b];  c = merge of attention to each block",
      .paper = {"Kwon et al., SOSP 2023", 2023, 3},
      .idea =
          "Keys and values are kept in blocks of a fixed number of words, and each sequence has a table of its blocks. "
          "Beams with a common past share its blocks, so reordering them copies tables and not words. At most one "
          "block of a sequence is partly empty.",
      .wrong =
          "A beam that appends to a block which another beam still reads must copy the block first. Otherwise both get "
          "the word of the last writer.",
      .shapes = "blocks of keys [G, b, K] and values [G, b, V]; a table of blocks for each row",
      .cost = "the products of dense; ceil(S / b) b G (K + V) numbers a row, those of shared blocks once",
      .own = {"pages_hold_what_the_cache_holds", "shared_blocks_are_copied_on_write", "pages_are_the_parallel_pass",
              "cache_bytes_are_their_formula"},
      .cases = "MultiHeadAttention",
  };

  PagedEvaluator(const EvaluatorOptions& o, Generator& rng) : block(o.settings.as<Settings>().block), whole_(o, rng) {}
  std::string refuses(const StageSet& stages) const override;
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
