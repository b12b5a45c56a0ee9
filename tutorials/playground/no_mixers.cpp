// The page's translator is recurrent: its catalogue has no mixers, so a browser need not load them.
#include "nn/attention/registry.h"

namespace heed::nn {
std::vector<CatalogueEntry> mixer_entries() { return {}; }
}  // namespace heed::nn
