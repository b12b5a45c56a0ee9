// The list of the structures: forms of attention that are built from the stages. Each is described in its own file.
// Those that also make one vector of a sentence are in the list of the poolings (nn/pooling/all.cpp), and those that no
// lesson uses in nn/catalogue/zoo.cpp.
#include "nn/attention/describe.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/attention/structures/roles_of_heads.h"
#include "nn/attention/structures/sagan.h"

namespace heed::nn {

std::vector<CatalogueEntry> structure_entries() {
  return {
      described(kAboutSelfAttention, Kind::structure),
      described(LSTMN::about, Kind::structure),
      described<KeyValueMemory>(),
      described(kAboutCrossAttention, Kind::structure),
      described(kAboutMultiHead, Kind::structure),
      described(kAboutCausalSelfAttention, Kind::structure),
      described(NTMHead::about, Kind::structure),
      described(SaganAttention::about, Kind::structure),
  };
}

}  // namespace heed::nn
