#include "nn/attention/structures/ntm_head.h"

#include "autograd/ops.h"
#include "nn/norm.h"
#include "nn/observe.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

int64_t outputs(const NTMHeadOptions& o) { return o.width * (o.writes ? 3 : 1) + 2 * o.reach + 4; }

}  // namespace

Variable ntm_content(const Variable& key, const Variable& strength, const Variable& memory) {
  constexpr double kTiny = 1e-6;  // an empty cell has no direction; the gradient there is at most 1e6
  Cosine cosine(unsqueeze(key, 1), memory);
  Variable products = sum(cosine.a * cosine.b, {-1});
  return softmax(squeeze(cosine.of(unsqueeze(strength * products, 1), kTiny), 1), -1);
}

Variable ntm_shifted(const Variable& weights, const Variable& shift) {
  int64_t R = shift.size(-1) / 2;
  Variable moved;
  for (int64_t r = -R; r <= R; ++r) {
    Variable part = slice(shift, -1, r + R, r + R + 1) * roll(weights, {r}, {-1});
    moved = moved.defined() ? moved + part : part;
  }
  return moved;
}

Variable ntm_sharpened(const Variable& weights, const Variable& power) {
  Tensor most = amax(weights.value(), {-1}, true), nowhere = equal(most, 0);
  Variable share = weights / Variable(masked_fill(most, nowhere, 1));  // so that no power becomes 0 / 0
  Variable raised = pow(share, power);
  return raised / masked_fill(sum(raised, {-1}, true), nowhere, 1);  // weights that are all 0 stay 0
}

Variable ntm_read(const Variable& weights, const Variable& memory) {
  return squeeze(matmul(unsqueeze(weights, 1), memory), 1);
}

Variable ntm_written(const Variable& weights, const Variable& memory, const Variable& erase, const Variable& add) {
  Variable w = unsqueeze(weights, -1);  // [B, N, 1]
  return memory * (1 - w * unsqueeze(erase, 1)) + w * unsqueeze(add, 1);
}

NTMHead::NTMHead(const Options& o, Generator& rng) : options(o), map({.in = o.controller, .out = outputs(o)}, rng) {}

NTMControl NTMHead::control(const Variable& h) const {
  Call call(*this);
  int64_t W = options.width;
  std::vector<int64_t> sizes{W, 1, 1, 2 * options.reach + 1, 1};
  if (options.writes) sizes.insert(sizes.end(), {W, W});
  std::vector<Variable> raw = split(map(h), sizes, -1);
  NTMControl c{raw[0], softplus(raw[1]), sigmoid(raw[2]), softmax(raw[3], -1), 1 + softplus(raw[4]), {}, {}};
  if (options.writes) c.erase = sigmoid(raw[5]), c.add = raw[6];
  return c;
}

Variable NTMHead::address(const NTMControl& c, const Variable& memory, const Variable& before) const {
  Call call(*this);
  Variable kept = c.gate * ntm_content(c.key, c.strength, memory) + (1 - c.gate) * before;
  Variable weights = ntm_sharpened(ntm_shifted(kept, c.shift), c.power);
  Observe::report(weights.value().unsqueeze(1));
  return call.result("weights", weights);
}

}  // namespace heed::nn
