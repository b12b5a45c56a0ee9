#include "tests/nn/attention/mixer_reference.h"

#include <doctest/doctest.h>

#include <cmath>

#include "nn/attention/registry.h"
#include "nn/cases/small_stages.h"
#include "tensor/profile.h"

namespace heed::nn_test {

Variable full_attention(const Variable& q, const Variable& k, const Variable& v, const Tensor& allowed) {
  Variable scores = matmul(q, transpose(k, -2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
  if (allowed.defined()) scores = masked_fill(scores, logical_not(allowed), -HUGE_VAL);
  return matmul(softmax(scores), v);
}

Tensor full_attention(const nn::FourProjections& p, const Variable& x, bool causal) {
  Tensor allowed = causal ? lower_triangle(x.size(1)) : Tensor();
  return p.output(full_attention(p.queries(x), p.keys(x), p.values(x), allowed)).value();
}

Tensor lower_triangle(int64_t T) { return greater(tril(Tensor::ones({T, T})), 0); }

void set(Variable& parameter, const Tensor& value) { parameter.set_value(value.to(parameter.dtype()).clone()); }

void cost_is_linear_in_words(const nn::CatalogueEntry& e) {
  auto m = small_mixer(
      nn::text_of(nn::Kind::mixer, nn::small_stage(nn::Kind::mixer, {.name = e.name}, {.most = 2, .longest = 48})));
  auto products = [&](int64_t T) {
    Profile profile;
    (*m)(small_sentences(T), {});
    double all = 0;
    for (const ProfileRow& row : profile.rows()) all += row.is_product ? row.work : 0;
    return all;
  };
  double one = products(16), two = products(32), three = products(48);
  CHECK(two > one);
  CHECK(three - two == doctest::Approx(two - one).epsilon(1e-12));
}

}  // namespace heed::nn_test
