// Feature maps: what takes the place of the exponential of a softmax, so that the sum over keys can be taken before the
// query is known (Katharopoulos et al., "Transformers are RNNs", ICML 2020, eq. 4).
//
//   exp(scale q . k)  ~  phi(q) . phi(k)                    phi: [K] -> [F]
//
// Features may be far outside the range of f32, so a map gives their logarithm where it can. Features that may be 0 or
// negative are given as a part and the logarithm of its size, which is one number for all features of a vector:
//
//   phi(x)_i = part_i e^log_i                               positive features: part is 1
//
// The logarithm is a constant for the gradient: all of the gradient flows through part. K width of a query or a key, F
// number of features, n vectors.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct Features {
  Variable log = {};   // [.., n, F], or [.., n, 1] beside a part
  Variable part = {};  // [.., n, F]; undefined: 1
};

struct FeatureMap {
  virtual ~FeatureMap() = default;
  // x [.., n, K]: queries or keys as the score prepared them, whose product times `scale` would be the score. `places`
  // is i64, broadcastable to [.., n, 1], for maps that read places.
  virtual Features of(const Variable& x, double scale, const Tensor& places) const = 0;
  // Of queries, where they have a map of their own; `of` is then that of keys.
  virtual Features of_query(const Variable& x, double scale, const Tensor& places) const {
    return of(x, scale, places);
  }
  virtual bool positive() const { return true; }       // are no products negative, and none of them 0?
  virtual bool reads_places() const { return false; }  // are the features those of a vector at a place?
};

// `part` with its largest absolute value divided out of each row, as features.
Features in_rows(const Variable& part);

// Directions for random features, w [m, K] in f64: independent standard normal entries. If `orthogonal`, the rows of
// each block of K are made orthogonal to each other and keep the lengths of independent ones, so that each row alone is
// still normal (Choromanski et al., ICLR 2021, section 2.4). The same seed gives the same w.
Tensor random_directions(int64_t m, int64_t K, bool orthogonal, uint64_t seed);
uint64_t layer_seed(int64_t seed, int64_t layer);  // another seed for each layer

// The directions of one evaluator: drawn once for the width of a head. A score may prepare vectors of another width;
// they are then drawn for that one at each call.
struct RandomDirections {
  RandomDirections(const Tensor& given) : w(given) {}
  RandomDirections(int64_t m, int64_t K, bool orthogonally, uint64_t from)
      : w(random_directions(m, K, orthogonally, from)), orthogonal(orthogonally), seed(from) {}
  Tensor of_width(int64_t K) const { return w.size(1) == K ? w : random_directions(w.size(0), K, orthogonal, seed); }
  Tensor w;  // [m, K]
  bool orthogonal = true;
  uint64_t seed = 0;
};

}  // namespace heed::nn
