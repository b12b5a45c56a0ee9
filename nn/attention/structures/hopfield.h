// Retrieval in a modern Hopfield network ("Hopfield networks is all you need"): a state moves to the stored pattern
// that it resembles.
//
//   energy(x) = -1/b log sum_s exp(b x . p_s) + x . x / 2                       no step increases it
//
// With a large b, and patterns that differ enough, each pattern is almost a fixed point, and one step finds it from a
// corrupted copy. With a small b the fixed point is a mean of similar patterns, and with b = 0 of all of them. Ordinary
// attention takes one step, with b = 1 / sqrt(D). T states, S patterns.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

inline constexpr About kAboutHopfield{
    .names = {"E21", "hopfield", "modern Hopfield network"},
    .formula = "x <- sum_s softmax_s(b x . p_s) p_s, repeated until x stays where it is",
    .paper = {"Ramsauer et al., ICLR 2021", 2021, 4},
    .idea =
        "A stored pattern is found again from a part of it. One step of attention with the patterns as keys and values "
        "moves a state towards the pattern that it resembles most. Repeated steps decrease an energy and end in a "
        "pattern, or in the mean of patterns that are too similar.",
    .wrong =
        "Keys and values are the same patterns, without projections between them. With projections a second step has "
        "no meaning, since the result is no longer in the space of the keys.",
    .shapes = "x [B, T, D], p [B, S, D] -> x [B, T, D], weights [B, T, S]",
    .cost = "2 T S D products per step; no parameters",
    .own = {"keys_may_be_permuted", "queries_may_be_permuted", "mask_is_minus_infinity",
            "stored_patterns_are_fixed_points", "one_step_repairs_a_pattern", "energy_never_increases",
            "one_step_is_attention"},
    .cases = "hopfield_retrieve",
    .more =
        "the vector of --context every_step, and the decoder's first state: a learned state is what is retrieved from "
        "the words",
};

struct HopfieldOptions {
  double beta = 1;          // b
  int64_t steps = 1;        // at most
  double tolerance = 1e-6;  // stop when no entry of x changes by more
  Tensor allowed = {};      // bool, broadcastable to [B, T, S]
};

struct Retrieved {
  Variable state;    // x [B, T, D]; 0 where no pattern is allowed
  Variable weights;  // of the last step [B, T, S]
  int64_t steps;     // that were taken
};

// states [B, T, D], patterns [B, S, D]
inline Retrieved hopfield_retrieve(const Variable& states, const Variable& given, const HopfieldOptions& o = {}) {
  Variable patterns = without_unread(given, o.allowed);
  Retrieved seen{states, {}, 0};
  while (seen.steps < o.steps) {
    Attended next = attend(matmul(seen.state, transpose(patterns, 1, 2)) * o.beta, patterns, o.allowed);
    double moved = max_abs_difference(next.context.value(), seen.state.value());
    seen = {next.context, next.weights, seen.steps + 1};
    if (moved <= o.tolerance) break;
  }
  return seen;
}

// [B, T]
inline Variable hopfield_energy(const Variable& states, const Variable& patterns, double beta) {
  Variable e = matmul(states, transpose(patterns, 1, 2)) * beta;
  return sum(square(states), {-1}) * 0.5 - logsumexp(e, {-1}) / beta;
}

}  // namespace heed::nn
