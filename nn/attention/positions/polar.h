// Polar coordinates, PoPE ("Decoupling the what and the where with polar coordinate positional embeddings"): each entry
// of a query and of a key is the length of an arrow in a plane of its own. delta_hc, learned for each head, is the
// direction that a head prefers. c < K; H heads, K width of a head, t and s places.
//
// As in the authors' code, delta counts within [-2 pi, 0], and scores are divided by sqrt(K), K the width of a head and
// not the 2 K entries of a turned vector (ScaledDotScore::widened). delta begins at 0, or uniform in that range.
#pragma once

#include "nn/attention/positions/rotary_position.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct PolarPosition final : RotaryPosition {
  struct Settings {
    double base = 10000;
    int64_t uniform = 0;
    void fields(OptionFields& f) {
      f("base", base, "as of rope", {1.001, 1e12});
      f("uniform", uniform, "1: the directions delta begin uniform in [-2 pi, 0] and not at 0", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"F11d", "polar", "PoPE", "polar coordinate positional embedding"},
      .formula =
          "e_ts = sum_c softplus(q_tc) softplus(k_sc) cos((s - t) theta_c + delta_c) / sqrt(K),  theta_c = base^(-c/K)",
      .paper = {"Gopalakrishnan et al., 2025 (arXiv 2509.10534)", 2025, 4},
      .idea =
          "Each entry of a query or a key becomes the length of an arrow, and the position of the word becomes its "
          "direction. The score is the sum of the products of lengths, times the cosine of the angle between the "
          "arrows. So what a word means and where it is enter the score separately.",
      .wrong =
          "Only the distance may decide the angle. If a pair of entries could begin at an angle of its own, as in "
          "rope, the meaning of a word would act like a shift of its position. Turned vectors have 2 K entries, but "
          "the root is that of K.",
      .shapes = "x [B, T, H, K] -> [B, T, H, 2K]",
      .cost = "6 K operations per query and key, and products twice as wide; H K parameters",
      .own = {"lengths_and_directions_are_apart", "directions_stay_within_a_turn", "root_is_that_of_the_head",
              "cache_is_the_parallel_pass"},
  };

  PolarPosition(const Options& options, Generator& rng);
  Settings settings;
  bool needs_product() const override { return true; }
  bool widens() const override { return true; }
  void visit(Visitor& v) override { v.parameter("delta", delta); }
  Variable delta;  // [H, K], clamped to [-2 pi, 0] where it is used

 private:
  // x [B, T, H, K] -> [B, T, H, 2K]. The heads of keys may be fewer: delta turns the queries, the other way round.
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
