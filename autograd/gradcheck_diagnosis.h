// What kind of mistake makes this wrong gradient? A ratio that is the same in every wrong element is a fingerprint:
//
//   analytic / numeric    0      a term is missing            -1     the sign
//                         2      counted twice                1/N    a mean where a sum was meant (N: a size at hand)
//
// or the elements are right but stand at their transposed places. Constant ratios over several elements are not
// coincidence; one element alone proves little, so the sentence says how many of how many it speaks for.
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

// A number at hand that a gradient may wrongly be divided by, and what it is: {3, "axis 1 of input 0"}.
struct NamedSize {
  int64_t size;
  std::string what;
};

// One input: analytic and numeric gradient, [G, shape of the input..] with G outputs (or 1). `wrong[e]`: element e
// fails. `floor`: magnitudes below it are rounding.
struct Comparison {
  Tensor analytic, numeric;
  std::vector<bool> wrong;
  double floor = 0;
  std::vector<NamedSize> sizes = {};
};
Diagnosis diagnose(const Comparison& c);

// A gradient that the engine refused because it has not the shape of its value.
Diagnosis diagnose_shapes(const Shape& got, const Shape& wanted);

}  // namespace heed
