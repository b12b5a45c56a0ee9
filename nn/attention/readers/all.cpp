// The list of the readers. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/readers/hard.h"

namespace heed::nn {

std::vector<CatalogueEntry> reader_entries() {
  return {
      described<HardAttention>(),
      described(kAboutHardGumbel, Kind::reader),
  };
}

}  // namespace heed::nn
