// The list of the positions. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/contextual.h"
#include "nn/attention/positions/disentangled.h"
#include "nn/attention/positions/dynamic_bias.h"
#include "nn/attention/positions/dynamic_ntk.h"
#include "nn/attention/positions/fire.h"
#include "nn/attention/positions/forgetting.h"
#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/kerple.h"
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/longrope.h"
#include "nn/attention/positions/polar.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/rope_2d.h"
#include "nn/attention/positions/rope_mixed.h"
#include "nn/attention/positions/scaled_rope.h"
#include "nn/attention/positions/shaw.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/skew.h"
#include "nn/attention/positions/t5.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/positions/xpos.h"

namespace heed::nn {

std::vector<CatalogueEntry> position_entries() {
  return {
      described<SinusoidalPositions>(),
      described<LearnedPositions>(),
      described<ShawPositions>(),
      described<SkewPositions>(),
      described<XLPositions>(),
      described<T5Bias>(),
      described<AlibiBias>(),
      described<Rope>(),
      described<NoPosition>(),
      described<XPos>(),
      described<ScaledRope>(),
      described<KerpleBias>(),
      described<FireBias>(),
      described<DynamicBias>(),
      described<ContextualPosition>(),
      described<PolarPosition>(),
      described<Rope2D>(),
      described<LongRope>(),
      described<DynamicNtk>(),
      described<RopeMixed>(),
      described<DisentangledPositions>(),
      described<ForgettingPosition>(),
  };
}

}  // namespace heed::nn
