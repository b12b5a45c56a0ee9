// Sinusoidal positions (section 3.5 of the paper): each pair of channels is the sine and cosine of an angle that grows
// with the position, like a clock hand; each pair has its own speed.
//
//   interleaved   as in the paper
//   halves        the same columns, all sines before all cosines: P[p, i] and P[p, ceil(D / 2) + i]
//
// The two layouts differ only by a permutation of the channels, so neither is better; sinusoidal_permutation converts
// between them. For an odd D the last sine has no cosine. P(p + k) is P(p) rotated by angles that depend on k alone;
// therefore P(p) . P(p + k) does not depend on p. The paper multiplies the embeddings by sqrt(D) before it adds P; here
// this is up to the caller.
#pragma once

#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/stage.h"

namespace heed::nn {

enum class SinusoidalLayout { interleaved, halves };

struct SinusoidalOptions {
  int64_t width;  // D
  SinusoidalLayout layout = SinusoidalLayout::interleaved;
};

// Rows first, .., first + count - 1 of P: [count, D], computed in double precision.
Tensor sinusoidal_positions(int64_t count, const SinusoidalOptions& options, int64_t first = 0,
                            DType dtype = DType::f32);
// halves[:, c] = interleaved[:, permutation[c]]: [D] i64
Tensor sinusoidal_permutation(int64_t width);

struct SinusoidalPositions final : EmbeddingPosition {
  static constexpr About about{
      .names = {"F1", "sinusoidal", "sine and cosine"},
      .formula = "P[p, 2i] = sin(p / 10000^(2i / D)),  P[p, 2i + 1] = cos(p / 10000^(2i / D))",
      .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
      .idea =
          "Each position gets a vector of sines and cosines of different wavelengths, which is added to the word "
          "vector. The vector of a shifted position is a rotation of the original one. There is no table, so every "
          "position has a vector, however long the sentence is.",
      .wrong =
          "In the paper sines and cosines alternate; in its first program all sines come before all cosines. Weights "
          "trained with one layout do not fit the other.",
      .shapes = "x [B, T, D] -> [B, T, D]",
      .cost = "T D sines once, B T D sums; no parameters",
      .own = {"golden_rows", "products_depend_on_the_distance", "a_shift_is_a_rotation", "layouts_are_a_permutation"},
      .exempt = {{"padded_after_is_alone", "it is added to each word by itself, before attention"},
                 {"padded_before_is_alone", "it is added to each word by itself, before attention"},
                 {"padding_is_never_read", "it is added to each word by itself, before attention"}},
      .cases = "SinusoidalPositions",
      .default_for = {Role::embedding},
  };

  using Options = SinusoidalOptions;
  static std::unique_ptr<EmbeddingPosition> made(const EmbeddingPositionOptions& o, Generator& rng) {
    return std::make_unique<SinusoidalPositions>(SinusoidalOptions{.width = o.width}, rng);
  }
  SinusoidalPositions(const Options& options, Generator& unused);
  Variable operator()(const Variable& x, int64_t first = 0) const override;  // x + P[first .. first + T - 1]
  Variable operator()(const Variable& x, const Tensor& places) const override;
  Options options;
};

}  // namespace heed::nn
