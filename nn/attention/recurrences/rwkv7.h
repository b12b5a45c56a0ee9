// RWKV-7, "Goose" ("RWKV-7 Goose with expressive dynamic state evolution", section 4): RWKV with a delta rule whose
// strength, place and value differ.
//
//   x_n = x_t + m_n (x_(t-1) - x_t)                                  for r, w, k, v, a, g, in this order
//   w = exp(-e^(-1/2) sigmoid(w0 + tanh(x_w W1) W2))  in (0.545, 1)  a = sigmoid(a0 + x_a A1 A2), the rate
//   v <- v + (v' - v) sigmoid(v0 + x_v V1 V2)                        v': the v of the first layer, in later layers
//   kappa = k xi / max(|k xi|, 1e-12) of each head                   k <- k (1 + (a - 1) alpha)
//   S_t = S_(t-1) diag(w) - (S_(t-1) kappa^T) (a kappa) + v^T k      S [V, K], as the paper writes it
//   y   = (GroupNorm(r S^T) + (r k rho) v) (sigmoid(x_g G1) G2) W_o  eps 64e-5: 1e-5 times the authors' head width
//
// The removal reads the state before it decays; what decayed_sums.h has after the decay is the same with kappa / w.
// Other programs take 1e-5 K for eps. With n' = n / (D - 1) - 1/2 for feature n, xi, alpha and rho begin at 0.71 - 0.1
// n', 1.02 and -0.04; the narrow matrices W1, A1, V1, G1 begin at 0, W2, A2, V2, G2 orthogonal times 0.1, and w0, a0,
// v0 spread over the features; W_r and W_v within 0.5 / sqrt(D), W_k within 0.05 / sqrt(D), W_o at 0: as the authors'
// layer has them (their script for whole networks draws those four anew, orthogonal, with the same 0). v' reaches the
// mixer through MixerInput::passed; outside a stack there is none, and v stays. The first RWKV-7 layer of a stack
// leaves it, whatever its number. K = D / H.
#pragma once

#include <optional>

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/rwkv_parts.h"
#include "nn/layers.h"

namespace heed::nn {

struct Rwkv7Mixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t decay_rank = 32, rate_rank = 32, value_rank = 32, gate_rank = 32;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("decay_rank", decay_rank, "width between the two matrices of the decay", {1, 16384});
      f("rate_rank", rate_rank, "width between the two matrices of the rate a", {1, 16384});
      f("value_rank", value_rank, "width between the two matrices of the share of the first layer's value", {1, 16384});
      f("gate_rank", gate_rank, "width between the two matrices of the gate", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"J8", "rwkv7", "RWKV-7", "Goose"},
      .formula =
          "S_t = S_(t-1) diag(w) - (S_(t-1) kappa^T)(a kappa) + v^T k,  y = (GroupNorm(r S^T) + (r k rho) v) g W_o",
      .paper = {"Peng et al., 2025", 2025, 4},
      .idea =
          "Every word lets the memory decay, removes what is stored under one key and writes its value under another. "
          "The rate of removal is learned for each feature, so a head can erase a part of a key only. Values of later "
          "layers are mixed with those of the first, which the stack passes on.",
      .wrong =
          "The removal acts on the memory before it decays. The bonus of the own word is added after the norm of the "
          "heads, and v' is the value of the first layer and not of the layer before.",
      .cost =
          "4 T D^2 + 2 T D (sum of the ranks) + 5 T D (C + K) products, T D C exponentials; 4 D^2 + 2 D (sum of the "
          "ranks) + 14 D parameters; decoding keeps D K + D numbers",
      .own = {"three_forms_agree", "removal_has_three_forms", "rwkv7_contains_the_delta_rule",
              "rwkv7_state_stays_bounded", "first_values_are_mixed", "rwkv_begins_spread", kLinearCost},
  };

  Rwkv7Mixer(const MixerOptions& options, Generator& rng);
  bool passes() const override { return true; }
  // From the words mixed with the ones before, x_n [B, T, D], and v [B, T, D].
  DecayedSums words_of(const std::vector<Variable>& mixed, const Variable& v) const;
  std::vector<Variable> mixed(const Variable& x, const Variable& before) const;
  void visit(Visitor& v) override;
  Settings settings;
  Variable mix;                          // m of r, w, k, v, a, g [6, D]
  Linear receptance, key, value;         // of r, k, v
  Linear decay1, decay2;                 // W1, W2 with the bias w0
  Linear rate1, rate2;                   // A1, A2 with the bias a0
  std::optional<Linear> value1, value2;  // V1, V2 with the bias v0; not in the first layer of a stack
  Linear gate1, gate2;                   // G1, G2
  Variable removal, key_rate, bonus;     // xi, alpha, rho [D]
  RwkvNorm norm;
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
  Variable pass_on(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state,
                   Variable* left) const override;
};

}  // namespace heed::nn
