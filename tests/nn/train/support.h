// What the tests of runs share: a small model, and pairs that it can learn.
#pragma once

#include "nn/models/bahdanau.h"
#include "nn/text/vocabulary.h"
#include "nn/train/fit.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

namespace heed::nn_test {

inline const nn::Bahdanau::Options kTiny = small_paper<nn::Bahdanau>(8, 8, 2, 3, 0.2);

// A few words, and the same in the opposite order.
inline std::vector<data::EncodedPair> pairs(size_t n) {
  std::vector<data::EncodedPair> out;
  Generator rng(5);
  for (size_t i = 0; i < n; ++i) {
    data::EncodedPair p;
    for (int64_t k = 1 + rng.below(4); k > 0; --k) p.source.push_back(4 + rng.below(4));
    p.target.assign(p.source.rbegin(), p.source.rend());
    p.source.push_back(text::Vocabulary::stop);
    out.push_back(p);
  }
  return out;
}

}  // namespace heed::nn_test
