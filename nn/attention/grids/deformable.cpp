#include "nn/attention/grids/deformable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

void set_zero(Variable& p) { p.set_value(Tensor::zeros(p.shape(), p.dtype())); }

}  // namespace

Variable bilinear(const Variable& v, int64_t R, int64_t C, const Variable& y, const Variable& x) {
  const auto last_row = static_cast<double>(R - 1), last_column = static_cast<double>(C - 1);
  const Tensor above = clamp(floor(y.value()), -2, last_row + 2), left = clamp(floor(x.value()), -2, last_column + 2);
  const Shape wide{y.size(0), y.size(1), y.size(2), v.size(3)};
  const Variable down = y - Variable(above), right = x - Variable(left);  // slopes of 1, at whole places too
  Variable read;
  for (int corner = 0; corner < 4; ++corner) {
    const Tensor row = add(above, corner / 2), column = add(left, corner % 2);
    const Tensor near_row = clamp(row, 0, last_row), near_column = clamp(column, 0, last_column);
    const Tensor inside = logical_and(equal(row, near_row), equal(column, near_column));
    const Tensor index = add(mul(near_row, static_cast<double>(C)), near_column).to(DType::i64);
    Variable share = (corner / 2 ? down : 1 - down) * (corner % 2 ? right : 1 - right);
    share = masked_fill(share, logical_not(inside), 0);
    Variable part = gather(v, 2, index.unsqueeze(-1).expand(wide).contiguous()) * unsqueeze(share, -1);
    read = read.defined() ? read + part : part;
  }
  return read;
}

Tensor centres_of(int64_t R, int64_t C, DType dtype) {
  std::vector<double> centres;
  for (int64_t t = 0; t < R * C; ++t) {
    centres.push_back((static_cast<double>(t % C) + 0.5) / static_cast<double>(C));
    centres.push_back((static_cast<double>(t / C) + 0.5) / static_cast<double>(R));
  }
  return Tensor::from(centres, {R * C, 2}).to(dtype);
}

DeformableAttention::DeformableAttention(const Options& o, Generator& rng)
    : options(o),
      offsets({.in = o.width, .out = o.heads * o.levels * o.points * 2}, rng),
      weights({.in = o.width, .out = o.heads * o.levels * o.points}, rng),
      value_proj({.in = o.width, .out = o.width}, rng),
      out_proj({.in = o.width, .out = o.width}, rng) {
  for (Variable* p : {&offsets.weight, &weights.weight, &weights.bias, &value_proj.bias, &out_proj.bias}) set_zero(*p);
  for (Linear* layer : {&value_proj, &out_proj})
    layer->weight.set_value(init::xavier_uniform(layer->weight.shape(), rng, 1, layer->weight.dtype()));
  std::vector<double> rays;
  for (int64_t h = 0; h < o.heads; ++h) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(h) / static_cast<double>(o.heads);
    const double most = std::max(std::abs(std::cos(angle)), std::abs(std::sin(angle)));
    for (int64_t n = 0; n < o.levels * o.points; ++n)
      for (double along : {std::cos(angle), std::sin(angle)})
        rays.push_back(along / most * static_cast<double>(n % o.points + 1));
  }
  offsets.bias.set_value(Tensor::from(rays, offsets.bias.shape()).to(offsets.bias.dtype()));
}

Variable DeformableAttention::operator()(const Variable& query, const Variable& references,
                                         const std::vector<Variable>& levels, const std::vector<Tensor>& words) const {
  Call call(*this);
  const int64_t B = query.size(0), T = query.size(1), H = options.heads, L = options.levels, P = options.points;
  if (std::ssize(levels) != L)
    throw ShapeError(
        fmt::format("DeformableAttention: it was made for {} levels of pictures; got {}", L, levels.size()));
  Variable moves = permute(reshape(offsets(query), {B, T, H, L, P, 2}), {5, 3, 0, 2, 1, 4});  // [2, L, B, H, T, P]
  Variable w = softmax(permute(reshape(weights(query), {B, T, H, L * P}), {0, 2, 1, 3}));     // [B, H, T, L P]
  Variable context;
  for (int64_t l = 0; l < L; ++l) {
    const Variable& level = levels[static_cast<size_t>(l)];
    const int64_t R = level.size(1), C = level.size(2), K = options.width / H;
    Variable v = value_proj(places_of(level));
    if (!words.empty()) v = words_only(v, words[static_cast<size_t>(l)]);
    auto at = [&](int64_t axis, int64_t size) {  // x: axis 0 and the columns; [B, H, T P], in places
      Variable reference = select(references, -1, axis) * static_cast<double>(size) - 0.5;
      reference = reshape(reference, {references.rank() == 3 ? B : 1, 1, T, 1});
      return reshape(reference + select(select(moves, 0, axis), 0, l), {B, H, T * P});
    };
    Variable read = bilinear(split_heads(v, H), R, C, at(1, R), at(0, C));
    Variable part = reshape(read, {B, H, T, P, K}) * unsqueeze(slice(w, 3, l * P, (l + 1) * P), -1);
    part = sum(part, {3});
    context = context.defined() ? context + part : part;
  }
  return call.result("output", out_proj(join_heads(context)));
}

Deformable::Deformable(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      attention({.width = head_width(options) * options.heads,
                 .heads = options.heads,
                 .points = options.settings.as<Settings>().points},
                rng) {}

Variable Deformable::picture(const Variable& x) const {
  const int64_t R = x.size(1), C = x.size(2);
  return rows_of(attention(places_of(x), Variable(centres_of(R, C, x.dtype())), {x}), R, C);
}

}  // namespace heed::nn
