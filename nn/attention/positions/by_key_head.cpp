#include "nn/attention/positions/by_key_head.h"

#include <vector>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

// Row b for each of the G heads of sentence b, b G + g.
Tensor each_row(int64_t B, int64_t G) {
  Tensor rows = Tensor::empty({B * G}, DType::i64);
  for (int64_t i = 0; i < B * G; ++i) rows.data<int64_t>()[i] = i / G;
  return rows;
}

Places of_heads(const Places& places) {
  Places of_each = places;
  const int64_t B = places.key_at.size(0), G = places.key_at.size(1);
  of_each.key_at = places.key_at.contiguous().reshape({B * G, places.key_at.size(2)});
  for (Tensor* x : {&of_each.query_at, &of_each.lengths})
    if (x->defined()) *x = index_select(*x, 0, each_row(B, G));
  return of_each;
}

}  // namespace

bool differ_by_head(const Places& places) { return places.key_at.defined() && places.key_at.rank() == 3; }

Variable by_key_head(const Variable& x, const Places& places, int64_t H, const OfPlaces& f) {
  if (!differ_by_head(places)) return f(x, places);
  const int64_t B = places.key_at.size(0), G = places.key_at.size(1), R = H / G;
  Variable all = f(index_select(x, 0, each_row(B, G)), of_heads(places));
  if (!all.defined()) return all;
  const int64_t T = all.size(2), N = all.size(3);
  all = reshape(expand(all, {B * G, H, T, N}), {B, G * G, R, T, N});
  std::vector<int64_t> own;  // of what head g was asked, the heads that read it
  for (int64_t g = 0; g < G; ++g) own.push_back(g * G + g);
  return reshape(index_select(all, 1, Tensor::from(own, {G})), {B, H, T, N});
}

Tensor mask_by_key_head(const Places& places, int64_t H, const MaskOfPlaces& f) {
  if (!differ_by_head(places)) return f(places);
  const int64_t B = places.key_at.size(0), G = places.key_at.size(1);
  const Tensor mask = f(of_heads(places));
  if (!mask.defined() || mask.rank() == 2) return mask;
  const int64_t T = mask.size(1), S = mask.size(2);
  return mask.reshape({B, G, 1, T, S}).expand({B, G, H / G, T, S}).contiguous().reshape({B, H, T, S});
}

}  // namespace heed::nn
