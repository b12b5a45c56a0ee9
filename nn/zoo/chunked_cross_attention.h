// Chunked cross-attention (RETRO: "Improving language models by retrieving from trillions of tokens", section 2.4): a
// word may read the passages of the last chunk of m words that is complete at its place, so nothing depends on later
// words. The text is shifted by m - 1 and cut, which makes it n independent cross-attentions over one chunk each. Add y
// to x outside, as with any sub-layer. T = n m words, n chunks, R retrieved words per chunk (all its passages, one
// after the other).
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/past_properties.cpp use it.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/stage.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/compare.h"

namespace heed::nn {

struct ChunkedCrossOptions {
  int64_t model, heads;  // D, H
  int64_t chunk;         // m, must divide the number of words
};

struct ChunkedCrossAttention : Module {
  static constexpr About about{
      .names = {"E20c", "chunked_cross_attention", "RETRO"},
      .formula =
          "word t with u m + m - 1 <= t < (u + 1) m + m - 1 attends to the passages of chunk u;  y_t = 0 for t < m - 1",
      .paper = {"Borgeaud et al., ICML 2022", 2022, 4},
      .idea =
          "A text is cut into chunks, and similar passages are retrieved for each of them. From the last word of a "
          "chunk on, the words may attend to the passages of that chunk, until the next chunk is complete. So the cost "
          "is linear in the length of the text.",
      .wrong =
          "The passages of a chunk were found with all words of the chunk. A word in the middle of it must not read "
          "them, since they tell what comes later.",
      .shapes = "x [B, T, D], passages [B, n, R, D] -> [B, T, D], weights [B, T, R]",
      .cost = "2 T D^2 + 2 n R D^2 + 2 T R D products: linear in T",
      .own = {"queries_may_be_permuted", "passages_follow_their_chunk", "chunks_by_the_loop"},
      .cases = "ChunkedCrossAttention",
      .more = "a layer for a model of your own, in C++; no option of heed train has it",
  };

  using Options = ChunkedCrossOptions;
  ChunkedCrossAttention(const Options& o, Generator& rng)
      : options(o), attention({.model = o.model, .heads = o.heads, .bias = false}, rng) {}
  // x [B, T, D], passages [B, n, R, D], words of the passages bool [B, n, R] -> y [B, T, D], weights [B, T, R]: of each
  // word over its passages, means over the heads, 0 for the words before m - 1
  Attended operator()(const Variable& x, const Variable& passages, const Tensor& words = {}) const {
    Call call(*this);
    int64_t B = x.size(0), T = x.size(1), m = options.chunk, n = T / m, R = passages.size(2), D = options.model;
    Variable asked = pad(x, {{.axis = 1, .before = 1 - m, .after = m - 1}});  // word m - 1 comes first
    Variable keys = reshape(passages, {B * n, R, D});
    MultiHeadOutput seen =
        attention(reshape(asked, {B * n, m, D}), keys, keys,
                  {.words = words.defined() ? words.reshape({B * n, R}) : Tensor(), .weights = true});
    auto back = [&](const Variable& rows, int64_t width) {
      return pad(reshape(rows, {B, T, width}), {{.axis = 1, .before = m - 1, .after = 1 - m}});
    };
    return {call.result("context", back(seen.output, D)), call.result("weights", back(mean(seen.weights, {1}), R))};
  }
  void visit(Visitor& v) { v.child("attention", attention); }
  Options options;
  MultiHeadAttention attention;
};

}  // namespace heed::nn
