// local-m, "monotonic" (Luong, Pham and Manning, EMNLP 2015, section 3.2): target word t attends to the source words
// [t - D, t + D].
//
// It presumes that translation goes word by word. Past the end of the source the window stays at the last word, so that
// a target longer than its source never attends to nothing.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct LocalMScope final : Scope {
  LocalMScope(const ScopeOptions& o, Generator&) : width(o.settings.whole("window")) {}
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  int64_t width;  // D
};

}  // namespace heed::nn
