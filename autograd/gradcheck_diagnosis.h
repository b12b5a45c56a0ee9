// Explains a wrong gradient. A ratio that is the same in every wrong element shows which mistake was made:
//
// clang-format off
//   analytic / numeric    0   a term is missing           -1    the sign is wrong
//                         2   a term is counted twice     1/N   a mean, not a sum (N: a size)
// clang-format on
//
// Or the elements are right, but transposed. A constant ratio over several elements is no coincidence, but a single
// element proves little; so the diagnosis says how many of the elements it is based on.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

enum class Fault { none, sign, missing, twice, mean, transpose, kink, other };
const char* name_of(Fault fault);  // "sign", ...

struct Diagnosis {
  Fault fault = Fault::none;
  std::string words;
};

// A size by which a gradient may wrongly be divided, and what it is: {3, "axis 1 of input 0"}.
struct NamedSize {
  int64_t size;
  std::string what;
};

// The two gradients of one input, [G, shape of the input..] with G outputs (or 1). wrong[e]: element e fails the check.
// floors[e]: the error of element e is relative to at least this; smaller magnitudes are rounding errors.
struct Comparison {
  Tensor analytic = {}, numeric = {};
  std::vector<bool> wrong = {};
  std::vector<double> floors = {};
  double tolerance = 0;
  std::vector<NamedSize> sizes = {};
};
Diagnosis diagnose(const Comparison& c);

// For a gradient that the engine refused because its shape differs from that of its value.
Diagnosis diagnose_shapes(const Shape& got, const Shape& wanted);

}  // namespace heed
