// Hierarchical attention (Yang et al., NAACL 2016) as a pooling: the words of a source are cut into segments of L
// words, attention pools each segment, and attention over the segments pools the source.
//
//   s_m = level_1(x of segment m)          a bidirectional GRU over its words, then attention pooling        [2N]
//   document = level_2(s_1 .. s_M)         the same over the segments                                        [2N]
//
// The two levels are those of HierarchicalAttention (nn/attention/structures/hierarchical.h), which reads documents
// whose sentences are given. A model of sequences does not know where sentences end, so here a segment has a fixed
// number of words, L: choose it near the length of a sentence. The last segment may be shorter. Unlike in the paper,
// the words have already been read by the model's own encoder. Segments count words, not positions, so padding changes
// nothing. B batch, S words, D width of x, M segments, N hidden width of both levels.
#pragma once

#include "nn/attention/structures/hierarchical.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

struct HierarchicalPooling final : Pooler {
  struct Settings {
    int64_t segment = 10;
    int64_t hidden = 0;
    int64_t attention = 0;
    void fields(OptionFields& f) {
      f("segment", segment, "number of words of one segment of the source", {1, 100000});
      f("hidden", hidden, "hidden width of both levels; 0: half of the encoder's width", {0, 4096});
      f("attention", attention, "width of both attentions; 0: twice the hidden width", {0, 4096});
    }
  };

  HierarchicalPooling(const PoolerOptions& options, Generator& rng);
  Variable operator()(const Variable& x, const Tensor& words) const override;  // -> [B, 2N]; without words: 0
  int64_t width() const override { return 2 * level_words.options.hidden; }
  void visit(Visitor& v) override {
    v.child("words", level_words);
    v.child("segments", level_segments);
  }
  int64_t segment;  // L
  HierarchyLevel level_words, level_segments;
};

}  // namespace heed::nn
