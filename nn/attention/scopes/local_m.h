// local-m, "monotonic" (Luong, Pham and Manning, EMNLP 2015, section 3.2): target word t attends to the source words
// [t - D, t + D].
//
// This assumes that source and target have the same word order. After the end of the source the window stays at the
// last word, so that every word of a longer target still has source words to attend to.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct LocalMScope final : Scope {
  LocalMScope(const ScopeOptions& o, Generator&) : width(o.settings.whole("window")) {}
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  int64_t width;  // D
};

}  // namespace heed::nn
