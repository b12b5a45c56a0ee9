#include "nn/attention/normalisers/monotonic.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/segment_sums.h"
#include "nn/init.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

constexpr double kCertain = 1e4;  // sigmoid(kCertain) is 1 and sigmoid(-kCertain) is 0, to the last bit

}  // namespace

Tensor band(int64_t S, int64_t least, int64_t most) {
  Tensor place = Tensor::arange(S), away = sub(place.unsqueeze(0), place.unsqueeze(1));
  return logical_and(greater_equal(away, static_cast<double>(least)), less_equal(away, static_cast<double>(most)));
}

MonotonicNormaliser::MonotonicNormaliser(const Options& o, Generator& seeds)
    : settings(o.settings.as<Settings>()),
      offset(full_parameter({1}, settings.offset)),
      rng(settings.noise > 0 ? seeds.next_u32() : 0) {}

Variable MonotonicNormaliser::after(const Variable& before, const Variable& scores) const {
  int64_t S = scores.size(-1);
  Tensor closed = equal(scores.value(), -INFINITY);
  Variable z = masked_fill(scores, closed, 0) + offset;  // [.., 1, S]
  if (trains() && settings.noise > 0) z = z + Variable(Tensor::normal(z.shape(), rng, 0, settings.noise, z.dtype()));
  if (!trains() && settings.hard) {
    Tensor stops = greater(z.value(), 0);
    z = masked_fill(masked_fill(z, stops, kCertain), logical_not(stops), -kCertain);
  }
  Variable stop = masked_fill(sigmoid(z), closed, 0), pass = masked_fill(-softplus(z), closed, 0);
  // Row k, column s: log prod_{l=k}^{s-1} (1 - p_l).
  Variable terms = squeeze(pad(pass, {{.axis = -1, .before = 1, .after = -1}}), -2);
  Variable walk = exp(transpose(segment_sums(terms, -1), -2, -1));
  return stop * matmul(before, masked_fill(walk, band(S, -S, -1), 0));
}

Variable MonotonicNormaliser::alignment(const Variable& scores, StageContext& context) const {
  int64_t T = scores.size(-2), S = scores.size(-1);
  if (T == 0 || S == 0) return scores;
  Shape row = scores.shape();
  row[row.rank() - 2] = 1;
  Variable before;  // [.., 1, S]
  if (context.state && context.state->alignment.defined()) {
    before = unsqueeze(context.state->alignment, -2);
    if (before.size(-1) < S)
      before = pad(before, {{.axis = -1, .after = S - before.size(-1)}});  // keys that were added since
  } else {
    before = equal(Tensor::arange(S), 0).to(scores.dtype()).expand(row).contiguous();  // [1, 0, 0, ..]
  }
  std::vector<Variable> rows;
  for (int64_t t = 0; t < T; ++t) rows.push_back(before = after(before, slice(scores, -2, t, t + 1)));
  if (context.state) context.state->alignment = squeeze(before, -2);
  return T == 1 ? before : concat(rows, -2);
}

}  // namespace heed::nn
