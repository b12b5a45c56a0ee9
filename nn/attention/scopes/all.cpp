// The list of the scopes. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/scopes/adaptive_span.h"
#include "nn/attention/scopes/axial.h"
#include "nn/attention/scopes/bigbird.h"
#include "nn/attention/scopes/block_local.h"
#include "nn/attention/scopes/local_m.h"
#include "nn/attention/scopes/local_p.h"
#include "nn/attention/scopes/longformer.h"
#include "nn/attention/scopes/masks_by_place.h"
#include "nn/attention/scopes/prefix.h"
#include "nn/attention/scopes/quest.h"
#include "nn/attention/scopes/segments.h"
#include "nn/attention/scopes/sparse_fixed.h"
#include "nn/attention/scopes/sparse_strided.h"

namespace heed::nn {

std::vector<CatalogueEntry> scope_entries() {
  return {
      described<GlobalScope>(),      described<LocalMScope>(),
      described<LocalPScope>(),      described<WindowScope>(),
      described<DilatedScope>(),     described<SparseStridedScope>(),
      described<SparseFixedScope>(), described<LongformerScope>(),
      described<BigBirdScope>(),     described<BlockLocalScope>(),
      described<AxialScope>(),       described<CausalScope>(),
      described<PrefixScope>(),      described(kAboutPadding, Kind::scope, padding_picture),
      described<SegmentScope>(),     described<AdaptiveSpanScope>(),
      described<QuestScope>(),
  };
}

}  // namespace heed::nn
