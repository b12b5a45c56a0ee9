// The list of the outputs, penalties and training rules of decoders. Each is described in its own file.
#include "nn/attention/coverage.h"
#include "nn/attention/describe.h"
#include "nn/attention/regularisers.h"
#include "nn/catalogue/lists.h"
#include "nn/models/luong.h"
#include "nn/output_heads/copynet.h"
#include "nn/output_heads/pointer.h"
#include "nn/output_heads/pointer_generator.h"
#include "nn/train/minimum_risk.h"
#include "nn/train/scheduled_sampling.h"

namespace heed::nn {

std::vector<CatalogueEntry> decoder_entries() {
  return {
      described(kAboutCoverageLoss, Kind::regulariser),
      described(kAboutPointer, Kind::output),
      described(kAboutCopynet, Kind::output),
      described(kAboutPointerGenerator, Kind::output),
      described(Luong::about, Kind::block_option),
      described(kAboutAttentionPenalties, Kind::regulariser),
      described(kAboutScheduledSampling, Kind::training_rule),
      described(kAboutMinimumRisk, Kind::training_rule),
  };
}

}  // namespace heed::nn
