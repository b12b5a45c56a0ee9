// The list of the normalisers. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/normalisers/cog.h"
#include "nn/attention/normalisers/controls.h"
#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/normalisers/exponential.h"
#include "nn/attention/normalisers/fusedmax.h"
#include "nn/attention/normalisers/hard.h"
#include "nn/attention/normalisers/learned_sinks.h"
#include "nn/attention/normalisers/linear_chain.h"
#include "nn/attention/normalisers/matrix_tree.h"
#include "nn/attention/normalisers/mocha.h"
#include "nn/attention/normalisers/monotonic.h"
#include "nn/attention/normalisers/relu.h"
#include "nn/attention/normalisers/scalable_softmax.h"
#include "nn/attention/normalisers/sigmoid.h"
#include "nn/attention/normalisers/sink.h"
#include "nn/attention/normalisers/sinkhorn.h"
#include "nn/attention/normalisers/slots.h"
#include "nn/attention/normalisers/soft_cap.h"
#include "nn/attention/normalisers/softmax.h"
#include "nn/attention/normalisers/softpick.h"
#include "nn/attention/normalisers/sparsemax.h"
#include "nn/attention/normalisers/stick_breaking.h"
#include "nn/attention/normalisers/top_k.h"

namespace heed::nn {

std::vector<CatalogueEntry> normaliser_entries() {
  return {
      described<SoftmaxNormaliser>(),       described<SparsemaxNormaliser>(),
      described<EntmaxNormaliser>(),        described<FusedmaxNormaliser>(),
      described<SigmoidNormaliser>(),       described<TopKNormaliser>(),
      described<SinkNormaliser>(),          described<GumbelNormaliser>(),
      described<ArgmaxNormaliser>(),        described<SinkhornNormaliser>(),
      described<SlotNormaliser>(),          described<ReluNormaliser>(),
      described<StickBreakingNormaliser>(), described<SoftCapNormaliser>(),
      described<LinearChainNormaliser>(),   described<MatrixTreeNormaliser>(),
      described<ExponentialNormaliser>(),   described<CogNormaliser>(),
      described<SoftpickNormaliser>(),      described<ScalableSoftmaxNormaliser>(),
      described<LearnedSinksNormaliser>(),  described<MonotonicNormaliser>(),
      described<MochaNormaliser>(),         described<EvenNormaliser>(),
      described<ShuffledNormaliser>(),
  };
}

}  // namespace heed::nn
