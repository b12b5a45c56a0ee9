// The common part of positions that rotate queries and keys in place of adding to them: rope, its scalings, grids,
// polar coordinates. A scheme says how it turns the words from one place on; queries and keys are turned alike, but for
// what it does with `key`. The products of turned queries and keys then depend on the places of both words.
#pragma once

#include <string>

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

void require_even_widths(const HeadPositionOptions& options);  // ValueError for a head of odd width
void require_one_width(const HeadPositionOptions& options);    // ValueError for queries and keys of two widths

struct RotaryPosition : HeadPosition {
  using Options = HeadPositionOptions;
  // `name`: of the scheme, where the options give none.
  RotaryPosition(const Options& options, const std::string& name);
  Variable turn_query(const Variable& q, const Places& places) const final;
  Variable turn_key(const Variable& k, const Places& places) const final;
  bool turns() const final { return true; }
  Options options;

 protected:
  // x [B, T, H, K] of the places first, first + 1, .., or of the places `at` [B, T] i64.
  virtual Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const = 0;
  void require_pairs() const { require_even_widths(options); }
  // The places of T words from `first` on, or `at`: i64 [T] or [B, T], contiguous.
  static Tensor places_of(int64_t first, int64_t T, const Tensor& at);
};

}  // namespace heed::nn
