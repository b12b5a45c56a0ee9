#include <fmt/format.h>

#include "nn/attention/scopes/fixed.h"
#include "nn/attention/scopes/local_p.h"

namespace heed::nn {

std::unique_ptr<Scope> make_scope(const ScopeOptions& o, Generator& rng) {
  for (const char* fixed : {"global", "causal", "window", "dilated", "local_m"})
    if (o.name == fixed) return std::make_unique<FixedScope>(o, rng);
  if (o.name == "local_p") return std::make_unique<LocalPScope>(o, rng);
  throw ValueError(fmt::format(
      "attention: no scope of this name; got `{}`; there are global, causal, window, dilated, local_m, local_p",
      o.name));
}

}  // namespace heed::nn
