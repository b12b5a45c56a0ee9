// Rotary positions for texts that are longer than those of training: s times as long. theta_i = base^(-2i/K) are the
// angles of RoPE (rope.h), i < K/2; rope_ntk is a base of base s^(K/(K-2)).
//
//   rope_yarn    (1 - g_i) theta_i / s + g_i theta_i,   g_i = clamp((L theta_i / (2 pi) - 1) / (32 - 1), 0, 1)
//   rope_llama3  the same with (slow, fast) in the place of (1, 32), and without a sharper softmax: Llama 3.1, 2024
//
// Linear interpolation puts s places where one was: every angle was seen in training, but neighbours are harder to tell
// apart. The NTK-aware base leaves the fastest pair as it was and interpolates the slowest by s. YaRN interpolates a
// pair that makes below one rotation in the trained length L, leaves one above 32, and mixes in between; and it
// sharpens the softmax, whose rows have become longer: q . k times (1 + 0.1 ln s)^2. s = 1 is RoPE in all three.
//
// The base of rope_ntk is fixed; one that grows with the text is dynamic_ntk (L8). YaRN's factor of queries and keys,
// 1 + 0.1 ln s, is not that of longrope (L7), sqrt(1 + ln s / ln L).
#pragma once

#include "nn/attention/positions/rope.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct ScaledRope final : RotaryPosition {
  struct Settings {
    double factor = 4;
    double base = 10000;
    double trained = 2048;
    double slow = 1;
    double fast = 4;
    void fields(OptionFields& f) {
      f("factor", factor, "s, how many times as long as in training texts may be", {1, 1e6});
      f("base", base, "as of rope", {1.001, 1e12});
      f("trained", trained, "L, length of the texts of training (yarn, llama3)", {1, 1e9});
      f("slow", slow, "rotations within L below which a pair is slowed down by s (llama3)", {0, 1e6});
      f("fast", fast, "rotations within L above which it is left as it was (llama3)", {0, 1e6});
    }
  };
  static constexpr About about{
      .names = {"F9b", "rope_linear", "position interpolation", "rope_ntk: another base", "rope_yarn: pair by pair",
                "rope_llama3"},
      .formula = "rope with theta_i / s; ntk: theta_i s^(-2i/(K - 2)); yarn: between the two, by rotations in L words",
      .paper = {"Chen et al., 2023; bloc97, 2023; Peng et al. (YaRN), ICLR 2024", 2023, 3},
      .idea =
          "These methods let a model that was trained on short texts read longer ones, by smaller angles. Linear "
          "interpolation divides all angles by the same number, and the NTK-aware method changes their base, which "
          "slows down slow pairs more than fast ones. YaRN decides for each pair, by the number of its full rotations "
          "within the length of training.",
      .wrong =
          "A model needs some more training with the new angles. The temperature of YaRN belongs to queries and keys, "
          "not to their angles. The base of rope_ntk is fixed; dynamic_ntk has one that grows with the text.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "3 K operations per query and key; no parameters",
      .own = {"scale_one_is_rope", "interpolated_places_are_old_places", "golden_scaled_angles",
              "cache_is_the_parallel_pass"},
      .variants = {"rope_ntk", "rope_yarn", "rope_llama3"},
  };

  ScaledRope(const Options& options, Generator& unused);
  Settings settings;

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

// The angles of a scheme by its name, for a head of width K: [K/2].
std::vector<double> scaled_thetas(const std::string& name, int64_t width, const ScaledRope::Settings& settings);

}  // namespace heed::nn
