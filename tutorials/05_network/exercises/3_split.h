// Exercise 05.3: three sets without a leak.
//
// N examples are numbered 0 .. N - 1. The training set is to learn from, the validation set to choose with, the test
// set to measure the result with. The examples of a group belong together (the sentences of one document, the
// photographs of one person) and must stay in one set: a model that has seen half of a document knows too much about
// the other half.
//
//   split(group, valid, test, rng): group[i] is the group of example i. Of all GROUPS, the share `test` goes to the
//   test set and the share `valid` to the validation set (rounded to the nearest whole number), chosen at random; the
//   rest is the training set. All examples of a group go to the set of their group.
//
// rng.shuffle(items) shuffles a vector. The examples are sorted, as they often are: without shuffling, the test set
// would contain nothing but the first groups.
// Such leaks are common: S. Kapoor and A. Narayanan, "Leakage and the reproducibility crisis", Patterns 2023.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/random.h"

namespace mine {

struct Split {
  std::vector<int64_t> train, valid, test;  // numbers of examples
};

Split split(const std::vector<int64_t>& group, double valid, double test, heed::Generator& rng);

}  // namespace mine
