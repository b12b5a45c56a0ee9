#include "nn/attention/scopes/restriction.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

bool limited(const Restriction& r) { return r.left < kAnyDistance || r.right < kAnyDistance; }

// Each block's bit for each of its pairs: [T, S]
Tensor over_pairs(const Blocks& blocks, const Places& places) {
  Tensor keep = blocks.keep.contiguous();
  Tensor mask = Tensor::empty({places.queries, places.keys}, DType::boolean);
  bool* to = mask.data<bool>();
  for (int64_t t = 0; t < places.queries; ++t)
    for (int64_t s = 0; s < places.keys; ++s)
      *to++ = keep.data<bool>()[t / blocks.size * keep.size(1) + s / blocks.size];
  return mask;
}

Variable together(const Variable& a, const Variable& b, bool product) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  return product ? a * b : a + b;
}

}  // namespace

Tensor mask_of(const Restriction& r, const Places& places) {
  Tensor mask = r.allowed;
  if (limited(r))
    mask = both(mask, mask_of_distances("scope", places, [&](int64_t d) { return d >= -r.left && d <= r.right; }));
  if (r.blocks.keep.defined()) mask = both(mask, over_pairs(r.blocks, places));
  return mask;
}

Restriction all_of(const Restriction& a, const Restriction& b) {
  Restriction r;
  r.left = std::min(a.left, b.left), r.right = std::min(a.right, b.right);
  r.allowed = both(a.allowed, b.allowed);
  // Two lists of one block size are joined block by block; two sizes are refused.
  bool of_a = a.blocks.keep.defined(), of_b = b.blocks.keep.defined();
  if (of_a && of_b && a.blocks.size == b.blocks.size)
    r.blocks = {a.blocks.size, logical_and(a.blocks.keep, b.blocks.keep)};
  else if (of_a && of_b)
    throw ValueError(
        fmt::format("all_of: lists of blocks must have one block size; got {} and {}", a.blocks.size, b.blocks.size));
  else
    r.blocks = of_a ? a.blocks : b.blocks;
  r.bias = together(a.bias, b.bias, false), r.factor = together(a.factor, b.factor, true);
  r.renormalise = a.renormalise || b.renormalise;
  return r;
}

Restriction any_of(const Restriction& a, const Restriction& b, const Places& places) {
  for (const Restriction* r : {&a, &b})
    if (r->bias.defined() || r->factor.defined())
      throw ValueError("any_of: scopes joined by | must be masks; got one that scales weights; hint: join it by &");
  Tensor of_a = mask_of(a, places), of_b = mask_of(b, places);
  if (!of_a.defined() || !of_b.defined()) return {};
  Restriction r{.left = std::max(a.left, b.left), .right = std::max(a.right, b.right)};
  r.allowed = logical_or(of_a, of_b);
  return r;
}

}  // namespace heed::nn
