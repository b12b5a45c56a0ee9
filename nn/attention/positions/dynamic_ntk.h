// Dynamic NTK scaling (emozilla and bloc97, 2023; "dynamic" in transformers): rotary positions (rope.h) whose base
// grows with the text. T is the number of words so far, s the factor, L the length of the texts of training, K the
// width of a head.
//
//   base' = base (s T/L - (s - 1))^(K/(K-2))  if T > L, else base          theta_i = base'^(-2i/K)
//
// With f = s T/L - (s - 1) the slowest pair is slowed down by f exactly, and the fastest not at all. rope_ntk
// (scaled_rope.h) has a fixed f instead. Queries and keys of a call have the base of the same T: the number of words of
// their own sentence, padding not counted.
//
// Keys in a cache keep the base of the call that put them there, as in transformers. So beyond L words the result
// depends on how the text came in: a prompt in one call is another function than the same words one by one, and a
// prefix of a text has other numbers than in the text. Up to L words nothing of this shows.
#pragma once

#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/rope.h"

namespace heed::nn {

struct DynamicNtk final : HeadPosition, ReadsPlaces {
  struct Settings {
    double factor = 4;
    double base = 10000;
    double trained = 2048;
    void fields(OptionFields& f) {
      f("factor", factor, "s, how much the slowest pair is slowed down for each further L words", {1, 1e6});
      f("base", base, "as of rope", {1.001, 1e12});
      f("trained", trained, "L, length of the texts of training", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"L8", "dynamic_ntk", "dynamic NTK-aware scaling"},
      .formula = "rope with base (s T/L - (s - 1))^(K/(K - 2)) once the text has T > L words",
      .paper = {"emozilla, 2023; bloc97, 2023; as in transformers", 2023, 4},
      .idea =
          "The base of the angles grows with a text that is longer than those of training. Until then, positions are "
          "rotated as they were in training. So nothing changes for short texts, and no length has to be fixed in "
          "advance.",
      .wrong =
          "Keys in a cache were rotated with the smaller bases of a shorter text. So the same words read in one call "
          "and one by one give different numbers once the text is longer than those of training.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "3 K operations per query and key; no parameters",
      .own = {"up_to_the_trained_length_it_is_rope", "slowest_pair_is_slowed_by_the_factor",
              "cached_keys_keep_the_base_of_their_call"},
  };

  using Options = HeadPositionOptions;
  DynamicNtk(const Options& options, Generator& unused);
  Variable turn_query(const Variable& q, const Places& places) const override;
  Variable turn_key(const Variable& k, const Places& places) const override;
  bool turns() const override { return true; }
  double slowing(int64_t words) const;  // f, at least 1
  Options options;
  Settings settings;

 private:
  // x [B, T, H, K] at its places; words [B]: T of each sentence
  Variable turned(const Variable& x, int64_t first, const Tensor& at, const std::vector<int64_t>& words) const;
};

}  // namespace heed::nn
