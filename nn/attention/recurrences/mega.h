// Mega ("Mega: moving average equipped gated attention", sections 3.2 and 3.3; the layer is that of the authors'
// moving_average_gated_attention.py): one head of attention whose queries and keys have read a moving average first.
//
//   n = norm(x),  v = silu(n W_v + b)                                 v is from n, not from m
//   h_t = (1 - p d) h_(t-1) + p beta n_t,  p = sigmoid(alpha), d = sigmoid(delta)       N averages of each feature
//   m = silu(sum_N gamma h / sqrt(N) + omega n)
//   [u; z; r; h] = m W + b,  z = silu(z), r = silu(r),  q = g_1 z + s_1, k = g_2 z + s_2
//   c = softmax(q k^T / sqrt(Z) + bias of (key - query)) v
//   y = x + sigmoid(u) (silu(h + (r c) W_h + b) - x)
//
// The bias has a number for each distance up to `max_source`. The output contains x itself: in a layer of this library,
// whose own residual connection adds x once more, that is the authors' layer around another skip. An encoder reads
// averages from both sides, each with parameters of its own; the one from the right leaves out the word itself.
//
// Weights begin N(0, 0.02), biases 0; alpha, delta N(0, 0.2), beta N(+-1, 0.02) by turns, gamma, omega N(0, 1). V = D
// times `inner`, Z width of queries and keys.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/norm.h"

namespace heed::nn {

// N exponential moving averages of each feature, and their weighted sum.
struct MovingAverages : Module {
  struct Options {
    int64_t features, averages;
  };
  MovingAverages(const Options& options, Generator& rng);
  // All h, [B, T, D, N]. n [B, T, D], 0 at padding; words bool [B, T] or undefined; before [B, 1, D, N] or undefined.
  Variable states(const Variable& n, const Tensor& words, int64_t chunk, const Variable& before) const;
  Variable written(const Variable& n) const;  // p beta n [B, T, D, N]
  Variable summed(const Variable& h) const;   // sum_N gamma h / sqrt(N), [B, T, D]
  void visit(Visitor& v) {
    v.parameter("alpha", alpha), v.parameter("delta", delta), v.parameter("beta", beta), v.parameter("gamma", gamma);
    v.parameter("omega", omega);
  }
  Options options;
  Variable alpha, delta, beta, gamma;  // [D, N]
  Variable omega;                      // [D]; undefined in the averages from the right
};

struct MegaMixer final : Mixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t state = 16;
    int64_t width = 64;
    int64_t inner = 2;
    int64_t max_source = 1024;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that one level of the scan joins", {1, 1048576});
      f("state", state, "N, moving averages of each feature", {1, 4096});
      f("width", width, "Z, width of queries and keys", {1, 4096});
      f("inner", inner, "V, width of values, in widths of the model", {1, 16});
      f("max_source", max_source, "words of the longest sentence: distances that have a bias", {1, 65536});
    }
  };
  static constexpr About about{
      .names = {"J19", "mega", "MEGA", "moving average gated attention"},
      .formula =
          "m = silu(EMA(n) + w n),  c = softmax(q k^T / sqrt(Z) + b) silu(n W_v),  y = x + sigmoid(u) (silu(h + (r c) "
          "W_h) - x)",
      .paper = {"Ma et al., ICLR 2023", 2023, 4},
      .idea =
          "Several exponential moving averages with learned rates run over each feature, so a word knows its "
          "neighbourhood before attention looks at it. After that one gated head of attention is as good as many. The "
          "averages bring a preference for near words that attention does not have.",
      .wrong = "The values come from the normalised words and not from the averages. Queries, keys and gates do.",
      .cost =
          "T^2 (Z + V) + T D (2 D + Z + 3 V) products and T D N (log2 C + 2) for the averages; D (2 D + Z + 3 V) + D "
          "(4 N + 1) + 2 L parameters and some vectors; decoding keeps D N + T (Z + V) numbers",
      .own = {"scans_agree", "average_is_the_convolution", "a_closed_gate_is_the_identity", "biases_are_of_distances"},
  };

  MegaMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;  // the averages, and keys and values of all words
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  struct Averaged {
    Variable output, last;  // [B, T, D]; the averages after the last word, [B, 1, D, N]
  };
  // n [B, T, D], 0 at padding; before [B, 1, D, N] or undefined.
  Averaged averaged(const Variable& n, const Tensor& words, const Variable& before) const;
  void visit(Visitor& v) override {
    v.child("norm", norm), v.child("average", average);
    if (from_right) v.child("from_right", *from_right);
    v.child("value", value), v.child("mix", mixing), v.parameter("gain", gain), v.parameter("shift", shift);
    v.parameter("bias", bias), v.child("output", output);
  }
  MixerOptions options;
  Settings settings;
  LayerNorm norm;
  MovingAverages average;
  std::unique_ptr<MovingAverages> from_right;  // of an encoder
  Linear value, mixing;                        // W_v [V, D];  [u; z; r; h], 2 D + Z + V rows
  Variable gain, shift;                        // g, s [2, Z]: row 0 of the queries, row 1 of the keys
  Variable bias;                               // [2 max_source - 1], from the most distant key before to that after
  Linear output;                               // W_h [D, V]

 private:
  // The words of x, which follow those of the state; words covers all of them.
  Mixed attended(const Variable& x, const Tensor& words, std::vector<Variable>& state) const;
};

}  // namespace heed::nn
