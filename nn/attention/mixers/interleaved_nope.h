// Interleaved layers without positions, as in Llama 4: most layers rotate queries and keys and read words near by, and
// every m-th layer knows no positions and reads everything.
//
//   layer l, l + 1 a multiple of m:   e_ts = a_t q_t . k_s / sqrt(K),  a_t = 1 + .1 ln(1 + floor((t + 1) / F)),  s <= t
//   other layers:                     e_ts = norm(RoPE q_t) . norm(RoPE k_s) / sqrt(K),  s <= t, in one chunk of C
//   norm(x) = x / sqrt(mean x^2 + eps), eps 1e-5, without weights;   y = [softmax(e_h) v_h]_h W_o
//
// Chunks are not a window: word C sees itself alone. a_t grows with the place, because a softmax over more words is
// flatter; its F words are the length of training. Pairs of RoPE are neighbours, base 500,000. In an encoder (not in
// the model) all words are read, of the chunk or of the row. Outside a stack, layer is 0. B batch, T words, D width, H
// heads, K = D / H, m, C, F the settings every, chunk, floor.
#pragma once

#include "nn/attention/mixers/rows_mixer.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

struct InterleavedNopeMixer final : RowsMixer {
  struct Settings {
    int64_t every = 4;
    int64_t chunk = 8192;
    int64_t floor = 8192;
    double growth = 0.1;
    void fields(OptionFields& f) {
      f("every", every, "m: each m-th layer has no positions and reads all words", {1, 1024});
      f("chunk", chunk, "C, words of a chunk, beyond which the other layers do not read", {1, 1e9});
      f("floor", floor, "F, words after which queries begin to grow", {1, 1e9});
      f("growth", growth, "factor of the logarithm in the growth of queries", {0, 100});
    }
  };
  static constexpr About about{
      .names = {"L6", "interleaved_nope", "iRoPE", "Llama 4 attention"},
      .formula = "each 4th layer: no position, q (1 + .1 ln(1 + floor((t + 1) / 8192)));  others: rms(RoPE), in chunks",
      .paper = {"Meta AI (Llama 4), 2025", 2025, 4},
      .idea =
          "Rotary layers read only words of the same chunk, so they never meet a distance that training did not "
          "have. Every fourth layer has no positions and reads all words, which works at any length. Its queries "
          "grow with the place, so that attention over many words stays as sharp.",
      .wrong =
          "The norm of queries and keys has no weights and is in the rotary layers only. Without weights it may come "
          "before or after the rotation, which keeps lengths. A chunk is not a sliding window: its first word sees "
          "no word before it.",
      .cost = "4 T D^2 + T S D products; 4 D^2 parameters; a cache of 2 D numbers a word",
      .own = {"early_queries_do_not_grow", "chunks_are_not_windows", "one_chunk_is_causal_attention"},
  };

  InterleavedNopeMixer(const MixerOptions& options, Generator& rng);
  bool has_positions() const { return (options.layer + 1) % settings.every != 0; }
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value, output;

 protected:
  int64_t row_width() const override { return 2 * options.query; }
  Variable rows_of(const Variable& x, const Places& places) const override;  // [k turned, v]
  Variable queries_of(const Variable& x, const Places& places) const override;
  HeadMemory keys_of(const Variable& rows) const override;
  Variable output_of(const Variable& contexts) const override;
  bool reads(int64_t query, int64_t key) const override;

 private:
  Variable placed(const Variable& x,
                  const Places& places) const;  // [B, n, D], turned and normed in layers with positions
};

}  // namespace heed::nn
