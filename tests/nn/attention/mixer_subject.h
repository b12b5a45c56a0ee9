// A small mixer for the tests of properties: width 4, f64, in evaluation mode.
#pragma once

#include <memory>
#include <string>

#include "nn/attention/mixers/mixer.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {

// From a text such as average:inner=2. The same parameters at every call.
std::unique_ptr<nn::Mixer> small_mixer(const std::string& text, bool causal = false, int64_t heads = 2);
Variable small_sentences(int64_t T);  // [2, T, 4], random, a leaf

}  // namespace heed::nn_test
