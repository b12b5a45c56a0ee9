// The normalisers that are compared, and the knobs of the lesson.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/normalisers/top_k.h"

namespace sparse {

namespace nn = heed::nn;

struct Knobs {
  int64_t steps = 1500, find_steps = 400, k = 8;
  double alpha = 1.5, noise = 0.5;
};
struct Kind {
  std::string name;
  nn::NormaliserOptions normaliser;
};
inline std::vector<Kind> kinds(const Knobs& k) {
  return {{"softmax", {}},
          {fmt::format("entmax {:g}", k.alpha), nn::chosen<nn::EntmaxNormaliser>({.alpha = k.alpha})},
          {"sparsemax", {.name = "sparsemax"}},
          {fmt::format("top-{}", k.k), nn::chosen<nn::TopKNormaliser>({.k = k.k})},
          {"sigmoid", {.name = "sigmoid"}},
          {"softmax-plus-one", {.name = "sink"}}};
}
inline std::string percent(double value) { return fmt::format("{:.1f} %", value); }

}  // namespace sparse
