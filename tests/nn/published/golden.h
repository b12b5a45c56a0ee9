// Compares a published model with the answers of its own library: every hidden state, attention and head. Models with
// their answers are in tests/golden/published and, if it exists, in ../shared/golden/models.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/published/model.h"

namespace heed::published_test {

// The largest |a - b| / max(1, max |b|) over the tensors of all cases, without the rows of padded queries.
struct Difference {
  double largest = 0;
  std::string where = {};
  int64_t tensors = 0;
};
// `weights`: the folder of the model; `inputs`: an inputs.json; `answers`: the folder of the CASE.f64.safetensors.
Difference compared(const std::string& weights, const std::string& inputs, const std::string& answers, DType dtype);

std::string given_models();  // ../shared/golden/models; "" where it is not there
nn::published::Inputs inputs_of(const io::Json& golden_case);

}  // namespace heed::published_test
