// LongRoPE ("LongRoPE: extending LLM context window beyond 2 million tokens"): rotary positions (rope.h) for texts s
// times as long as those of training, with a divisor l_i of its own for each pair of entries.
//
//   places p >= n:  angle p theta_i / l_i, and cosine and sine times m = sqrt(1 + ln s / ln L)
//   places p < n:   as in rope                                                              theta_i = base^(-2i/K)
//
// The divisors are not learned by gradients. The authors find them by an evolutionary search over the perplexity of
// long texts, with l_0 <= l_1 <= .. They are a buffer, `rescale`, saved with the model; set it to what a search has
// found. At first it is one of the points at which their search begins, that of rope_ntk: l_i = s^(2i/(K - 2)), from 1
// to s. m is on queries and keys, so products get m^2. (YaRN's factor, 1 + 0.1 ln s, is another formula:
// scaled_rope.h.)
//
// The public models have a second table with other divisors for texts of at most L words, and in the authors' program
// those are 1, with the same m. A cache must not mix keys of both, and there is one table here, so the numbers of a
// text do not change when it grows.
#pragma once

#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/rope.h"

namespace heed::nn {

struct LongRope final : RotaryPosition, ReadsPlaces {
  struct Settings {
    double factor = 4;
    double base = 10000;
    double trained = 2048;
    int64_t kept = 0;
    void fields(OptionFields& f) {
      f("factor", factor, "s, how many times as long as in training texts may be", {1, 1e6});
      f("base", base, "as of rope", {1.001, 1e12});
      f("trained", trained, "L, length of the texts of training", {2, 1e9});
      f("kept", kept, "n, words at the begin of a text whose angles stay as they were", {0, 1e9});
    }
  };
  static constexpr About about{
      .names = {"L7", "longrope", "LongRoPE"},
      .formula = "rope with the angles p theta_i / l_i from place n on, and cos and sin times sqrt(1 + ln s / ln L)",
      .paper = {"Ding et al., ICML 2024", 2024, 4},
      .idea =
          "Each pair of entries has a divisor of its angle, which a search has found. A text that is longer than those "
          "of training needs smaller angles, but not the same for all pairs. The first words of a text, which many "
          "heads attend to, can keep their old angles.",
      .wrong =
          "The factor belongs to queries and to keys, so their products get its square. It is not the factor of YaRN, "
          "and a cache must not mix keys that were turned by two tables of divisors.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "4 K operations per query and key; no parameters, K/2 divisors",
      .own = {"divisors_of_one_are_rope", "divisors_of_s_are_interpolation", "first_words_keep_their_angles",
              "cache_is_the_parallel_pass"},
  };

  LongRope(const Options& options, Generator& unused);
  bool reads_places() const override { return settings.kept > 0; }  // without it, products depend on distances alone
  void visit(Visitor& v) override { v.buffer("rescale", rescale); }
  Settings settings;
  Tensor rescale;  // l [K/2]

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
