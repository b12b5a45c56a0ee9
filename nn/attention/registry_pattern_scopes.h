// Parts of the registry of scopes that two files share (registry_scopes.cpp, registry_pattern_scopes.cpp).
#pragma once

#include "nn/attention/registry.h"

namespace heed::nn {

// The rows of the scopes that are patterns of places (pattern.h), and of packed segments.
std::vector<CatalogueEntry> pattern_scope_entries();
// The attention mask of a scope, as numbers 0 and 1: [queries, keys].
Tensor picture_of(const ScopeOptions& options, const Places& places);

}  // namespace heed::nn
