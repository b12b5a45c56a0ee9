// Scopes that depend on the places only. i is the place of the query, j that of the key.
//
//   global   every key                                   Luong, Pham and Manning, EMNLP 2015, section 3.1
//   causal   j <= i                                      the decoder of Vaswani et al., NeurIPS 2017
//   window   |i - j| <= D                                Child et al. 2019; Beltagy, Peters and Cohan 2020
//   dilated  |i - j| = 0, g, 2 g, .., D g                Beltagy, Peters and Cohan 2020
#pragma once

#include "nn/attention/scopes/masks.h"
#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct GlobalScope final : Scope {
  GlobalScope(const ScopeOptions&, Generator&) {}
  Restriction operator()(const Variable&, const Variable&, StageContext&) const override { return {}; }
  bool only_limits_order() const override { return true; }
};

struct CausalScope final : Scope {
  CausalScope(const ScopeOptions&, Generator&) {}
  Restriction operator()(const Variable&, const Variable&, StageContext&) const override { return {.right = 0}; }
  bool causal() const override { return true; }
  bool only_limits_order() const override { return true; }
};

struct WindowScope final : Scope {
  WindowScope(const ScopeOptions& o, Generator&) : width(o.settings.whole("window")) {}
  Restriction operator()(const Variable&, const Variable&, StageContext&) const override {
    return {.left = width, .right = width};
  }
  std::optional<int64_t> reach() const override { return width; }
  int64_t width;  // D
};

struct DilatedScope final : Scope {
  DilatedScope(const ScopeOptions& o, Generator&) : width(o.settings.whole("window")), gap(o.settings.whole("gap")) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return {.left = width * gap, .right = width * gap, .allowed = dilated_mask(context.places, width, gap)};
  }
  std::optional<int64_t> reach() const override { return width * gap; }
  int64_t width, gap;  // D, g
};

}  // namespace heed::nn
