// The Gaussian kernel: the score is minus the squared distance of query and key.
//
//   e_ts = -|q_t - k_s|^2 / (2 s^2) = (q_t . k_s - |k_s|^2 / 2 - |q_t|^2 / 2) / s^2          s > 0, learned
//
// A small bandwidth s reads the nearest key alone, a large one the mean of all values.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/scores/one_width.h"
#include "nn/attention/stage.h"
#include "nn/init.h"

namespace heed::nn {

struct GaussianScore final : Score {
  struct Settings {
    double bandwidth = 1;
    void fields(OptionFields& f) { f("bandwidth", bandwidth, "the initial s", {0.001, 1000}); }
  };
  static constexpr About about{
      .names = {"A11", "gaussian", "Nadaraya-Watson", "squared distance", "kernel regression"},
      .formula = "e = -|q - k|^2 / (2 s^2)",
      .paper = {"Nadaraya, 1964; Watson, 1964", 1964, 2},
      .idea =
          "The nearer a key is to the query, the larger its score. With a softmax this is the kernel regression of "
          "Nadaraya and Watson (1964): a mean of the values, in which near keys count more. If all keys have the same "
          "length, the weights are those of the dot product with another temperature.",
      .wrong =
          "Keys of different lengths get different scores even if they point in the same direction. The length of the "
          "query cancels in the softmax.",
      .shapes = "q [B, T, K], k [B, S, K] -> e [B, T, S]",
      .cost = "B T S K products; 1 parameter",
      .own = {"is_a_dot_less_half_the_square", "unit_keys_are_a_dot", "a_narrow_kernel_reads_the_nearest"},
  };

  using Options = ScoreOptions;
  GaussianScore(const Options& o, Generator&) {
    require_one_width("gaussian", o);
    log_bandwidth = full_parameter({}, std::log(o.settings.as<Settings>().bandwidth));
  }
  Variable scores(const Variable& q, const Variable& keys, StageContext&) const override {
    // Divided by s before it is squared, so that a large difference with a large s does not overflow: [.., T, S, D].
    // As |q|^2 - 2 q . k + |k|^2 the square would lose digits.
    Variable per_bandwidth = exp(-log_bandwidth);
    Variable apart = unsqueeze(q * per_bandwidth, -2) - unsqueeze(keys * per_bandwidth, -3);
    return sum(square(apart), {-1}) * -0.5;
  }
  bool keeps_rotations() const override { return true; }
  void visit(Visitor& v) override { v.parameter("log_bandwidth", log_bandwidth); }
  Variable log_bandwidth;  // ln s, []
};

}  // namespace heed::nn
