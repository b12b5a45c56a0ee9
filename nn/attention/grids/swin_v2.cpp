#include "nn/attention/grids/swin_v2.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

SwinV2::SwinV2(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      settings(options.settings.as<Settings>()),
      in_proj({.in = o.query, .out = 3 * head_width(options) * o.heads, .bias = false}, rng),
      out_proj({.in = o.query, .out = o.query}, rng),
      q_bias(zeros_parameter({o.query})),
      v_bias(zeros_parameter({o.query})),
      tau(full_parameter({o.heads, 1, 1}, std::log(10.0))),
      hidden({.in = 2, .out = settings.hidden}, rng),
      bias({.in = settings.hidden, .out = o.heads, .bias = false}, rng),
      norm({.shape = {o.query}}, rng) {
  norm.weight.set_value(Tensor::zeros({o.query}, norm.weight.dtype()));
}

void SwinV2::visit(Visitor& v) {
  v.child("in_proj", in_proj), v.child("out_proj", out_proj);
  v.parameter("q_bias", q_bias), v.parameter("v_bias", v_bias), v.parameter("tau", tau);
  v.child("hidden", hidden), v.child("bias", bias);
  if (settings.norm) v.child("norm", norm);
}

GridHeads::Read SwinV2::read(const Variable& x) const {
  Variable no_bias(Tensor::zeros(q_bias.shape(), q_bias.dtype()));
  std::vector<Variable> qkv = chunk(linear(places_of(x), in_proj.weight, concat({q_bias, no_bias, v_bias}, 0)), 3, -1);
  auto heads = [&](const Variable& y) { return split_heads(y, options.heads); };
  auto unit = [](const Variable& y) { return y / clamp(heed::norm(y, 2, {-1}, true), 1e-12, HUGE_VAL); };
  Variable factor = exp(clamp(tau, -HUGE_VAL, std::log(100.0)));
  return {unit(heads(qkv[0])) * factor, unit(heads(qkv[1])), heads(qkv[2])};
}

Variable SwinV2::differences(int64_t M) const {
  auto spaced = [&](int64_t steps) {
    const double u = 8.0 * static_cast<double>(steps) / static_cast<double>(std::max<int64_t>(M - 1, 1));
    return std::copysign(std::log2(1 + std::abs(u)) / 3, u);
  };
  std::vector<double> d;
  for (int64_t down = 1 - M; down < M; ++down)
    for (int64_t right = 1 - M; right < M; ++right) d.push_back(spaced(down)), d.push_back(spaced(right));
  return Variable(Tensor::from(d, {(2 * M - 1) * (2 * M - 1), 2}).to(tau.dtype()));
}

Variable SwinV2::table(int64_t M) const { return 16 * sigmoid(bias(relu(hidden(differences(M))))); }

Variable SwinV2::picture(const Variable& x) const {
  const PictureWindows of = cut(x.size(1), x.size(2));
  const GridHeads::Read r = read(x);
  Variable pairs = table_bias(table(of.size), differences_in(of.rows, of.columns, of.size));
  Variable y = out_proj(join_heads(read_regions(r.q, r.k, r.v, regions_of(of.rows, of.columns), pairs)));
  return rows_of(settings.norm ? norm(y) : y, x.size(1), x.size(2));
}

}  // namespace heed::nn
