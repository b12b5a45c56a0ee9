// Exhibits about linear attention (Katharopoulos et al., ICML 2020): a missing reciprocal, and features that cancel.
#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/linear.h"
#include "nn/attention/scopes/masks.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

Variable features(const Variable& x) { return exp(nn::linear_log_features(x)); }  // elu(x) + 1

// All values are 1, so every mean of them is 1.
Shown missing_reciprocal() {
  const int64_t length = 6;
  const Variable q = features(random({length, 4}, 1)), k = features(random({length, 4}, 2));
  const Variable values(Tensor::ones({length, 1}, DType::f64));
  const Tensor order = nn::causal_mask({.queries = length, .keys = length});
  const Variable products = matmul(q, transpose(k, 0, 1)) * Variable(order.to(DType::f64));  // causal, [T, S]
  const Variable normaliser = sum(products, {1}, true);
  Shown s{.what = "context of each word, if every value is 1 [1, T]", .rows = {"context"}};
  s.columns = numbered("word", length);
  s.wrong = rows_of({matmul(products, values) * normaliser}),
  s.right = rows_of({matmul(products, values) / normaliser});
  s.verdict =
      fmt::format("The mean of ones is {:g} for every word; without the reciprocal it grows from {:.1f} to {:.0f}.",
                  s.right.value(0, 5), s.wrong.value(0, 0), s.wrong.value(0, 5));
  return s;
}

// Three keys that differ by 1 each; the weights are the same wherever they lie below 0, since exp(x) shifts out.
Shown elu_plus_one() {
  Shown s{.what = "weights of three keys with the features x, x - 1 and x - 2, in 32-bit floats [4, S]"};
  s.columns = numbered("key", 3);
  std::vector<Variable> wrong, right;
  for (float x : {-4.0f, -15.0f, -16.0f, -30.0f}) {
    const Variable k(Tensor::from(std::vector<float>{x, x - 1, x - 2}, {3}));
    const Variable written = elu(k) + 1.0, exact = features(k);
    wrong.push_back(written / sum(written)), right.push_back(exact / sum(exact));
    s.rows.push_back(fmt::format("x = {:g}", x));
  }
  s.wrong = rows_of(wrong), s.right = rows_of(right);
  s.verdict = fmt::format(
      "At -4 both agree to {:.0e}; at -16 key 1 has the weight {:.3f} in place of {:.3f}; at -30 all "
      "features are 0 and their quotient is not a number.",
      std::abs(s.wrong.value(0, 0) - s.right.value(0, 0)), s.wrong.value(2, 0), s.right.value(2, 0));
  return s;
}

}  // namespace

std::vector<Exhibit> linear_exhibits() {
  return {
      {.name = "missing_reciprocal",
       .title = "Multiplied by the normaliser, not divided",
       .setting = "Causal linear attention over six words whose values are all 1.",
       .wrong_code = "D_inv = q . cumsum(k); context = D_inv * (q . cumsum(k v));",
       .right_code = "context = (q . cumsum(k v)) / (q . cumsum(k));",
       .suspects = {"the mask lets the future in", "the features may be negative",
                    "the normaliser is used upside down"},
       .culprit = 2,
       .hidden =
           "The variable is called D_inv, the output has the right shape, and a layer normalisation after it hides "
           "the size.",
       .happened =
           "lucidrains/performer-pytorch issue 40 (causal form, mended in 0.11.2); issue 13 is the same slip in "
           "the form without a mask.",
       .lesson = "",
       .show = missing_reciprocal},
      {.name = "elu_plus_one",
       .title = "elu(x) + 1, evaluated as it is written",
       .setting = "Linear attention with the feature elu(x) + 1 = exp(x) for x < 0, for three keys that differ by 1.",
       .wrong_code = "phi = elu(x) + 1;  // exp(x) - 1 + 1",
       .right_code = "phi = x < 0 ? exp(x) : x + 1;",
       .suspects = {"subtracting 1 and adding it again loses the digits", "the keys are not normalised",
                    "the sum over keys overflows"},
       .culprit = 0,
       .hidden = "The formula is that of the paper. Between -1 and 0 it is exact; the digits go one by one as x falls.",
       .happened =
           "fla-org/flash-linear-attention issue 1261 reports it for 16-bit floats, pull request 1265 mends it. The "
           "formula is equation 7 of Katharopoulos et al. (2020).",
       .lesson = "",
       .show = elu_plus_one},
  };
}

}  // namespace heed::museum
