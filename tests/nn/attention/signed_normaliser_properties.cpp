// What the normaliser with signs holds: cog.
#include <cmath>

#include "tests/nn/attention/normalised.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

// The absolute values of the weights sum to 1, whatever their signs, as in an example worked out by hand.
PROPERTY(sizes_sum_to_one) {
  // Golden: e = (2, -1, 0, masked): exp of the sizes is 7.389056, 2.718282, 1.
  Tensor w = normalised("cog", row({2, -1, 0, -INFINITY}));
  CHECK(max_abs_difference(w, row({.665241, -.244728, 0, 0})) < 1e-6);
  Tensor e = random({3, 4, 6}, 1, DType::f64), all = normalised("cog", e);
  for (double total : sum(abs(all), {-1}).to_vector()) CHECK(total == doctest::Approx(1).epsilon(1e-12));
  for (size_t i = 0; i < e.to_vector().size(); ++i) CHECK(e.to_vector()[i] * all.to_vector()[i] > 0);
  CHECK(max_abs_difference(normalised("cog", neg(e)), neg(all)) < 1e-15);  // an odd function
}

// If no score is negative, it is the softmax in value and gradient: the signs are all that was added.
PROPERTY(positive_scores_are_a_softmax) {
  Tensor e = abs(random({3, 4, 6}, 1, DType::f64)), dw = random({3, 4, 6}, 2, DType::f64);
  CHECK(max_abs_difference(normalised("cog", e), normalised("softmax", e)) < 1e-15);
  CHECK(max_abs_difference(score_gradient(*normaliser_of("cog"), e, dw),
                           score_gradient(*normaliser_of("softmax"), e, dw)) < 1e-15);
}

}  // namespace
}  // namespace heed::nn_test
