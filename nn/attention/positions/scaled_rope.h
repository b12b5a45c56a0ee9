// Rotary positions for texts that are longer than those of training: s times as long. theta_i = base^(-2i/K) are the
// angles of RoPE (rope.h), i < K/2; rope_ntk is a base of base s^(K/(K-2)).
//
//   rope_yarn    (1 - g_i) theta_i / s + g_i theta_i,   g_i = clamp((L theta_i / (2 pi) - 1) / (32 - 1), 0, 1)
//
// Linear interpolation puts s places where one was: every angle was seen in training, but neighbours are harder to tell
// apart. The NTK-aware base leaves the fastest pair as it was and interpolates the slowest by s. YaRN interpolates a
// pair that makes below one rotation in the trained length L, leaves one above 32, and mixes in between; and it
// sharpens the softmax, whose rows have become longer: q . k times (1 + 0.1 ln s)^2. s = 1 is RoPE in all three.
//
// xPos: a pair contributes z_i^((t - s)/C), C = 512 in the paper. Later keys would grow by the same factor, so it is
// made for causal attention. C to infinity is RoPE. Counted from the first word, the factors would leave the range of
// f32 at place 70 C. Here places are counted in blocks of 49 C words (counts_in_blocks.h), so causal attention has the
// right products at any number of words. A query can attend to later words up to 63 C words after it. (In f64: blocks
// of 396 C words, and 509 C words after it.)
#pragma once

#include "nn/attention/positions/counts_in_blocks.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct ScaledRope final : RotaryPosition {
  struct Settings {
    double factor = 4;
    double base = 10000;
    double trained = 2048;
    void fields(OptionFields& f) {
      f("factor", factor, "s, how many times as long as in training texts may be", {1, 1e6});
      f("base", base, "as of rope", {1.001, 1e12});
      f("trained", trained, "L, length of the texts of training (yarn)", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"F9b", "rope_linear", "position interpolation", "rope_ntk: another base", "rope_yarn: pair by pair"},
      .formula = "rope with theta_i / s; ntk: theta_i s^(-2i/(K - 2)); yarn: between the two, by rotations in L words",
      .paper = {"Chen et al., 2023; bloc97, 2023; Peng et al. (YaRN), ICLR 2024", 2023, 3},
      .idea =
          "These methods let a model that was trained on short texts read longer ones, by smaller angles. Linear "
          "interpolation divides all angles by the same number, and the NTK-aware method changes their base, which "
          "slows down slow pairs more than fast ones. YaRN decides for each pair, by the number of its full rotations "
          "within the length of training.",
      .wrong =
          "A model needs some more training with the new angles. The temperature of YaRN belongs to queries and keys, "
          "not to their angles.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "3 K operations per query and key; no parameters",
      .own = {"scale_one_is_rope", "interpolated_places_are_old_places", "golden_scaled_angles",
              "cache_is_the_parallel_pass"},
      .variants = {"rope_ntk", "rope_yarn"},
  };

  ScaledRope(const Options& options, Generator& unused);
  Settings settings;

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

// The angles of a scheme by its name, for a head of width K: [K/2].
std::vector<double> scaled_thetas(const std::string& name, int64_t width, const ScaledRope::Settings& settings);

struct XPos final : RotaryPosition, CountsInBlocks {
  struct Settings {
    double base = 10000;
    double decay = 512;
    void fields(OptionFields& f) {
      f("base", base, "as of rope", {1.001, 1e12});
      f("decay", decay, "C, words after which pair i has lost the factor z_i", {1, 1e15});
    }
  };
  static constexpr About about{
      .names = {"F9", "xpos", "extrapolatable positions", "LeX"},
      .formula = "rope, and pair i of q_t times z_i^(t/C), of k_s times z_i^(-s/C),  z_i = (2i/K + 0.4) / 1.4",
      .paper = {"Sun et al., ACL 2023", 2023, 3},
      .idea =
          "Queries and keys are rotated as in rotary positions, and each pair of entries is also scaled. The factors "
          "of query and key multiply to a number that falls with their distance. So distant words count less, which "
          "helps with texts longer than those of training.",
      .wrong =
          "The factors of queries and keys are inverse to each other. Without a causal mask, the factor of a later key "
          "grows with its distance.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "4 K operations per query and key; no parameters",
      .own = {"scale_one_is_rope", "products_decay_with_the_distance", "cache_is_the_parallel_pass"},
  };

  XPos(const Options& options, Generator& unused);
  Settings settings;
  const std::string& scheme() const override { return options.name; }
  int64_t block_words(DType dtype) const override;
  int64_t words_ahead(DType dtype) const override;
  Variable recounted(const Variable& x, const PlaceRows& places, const Recount& count) const override;

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
