// The registry of mixers: what takes the place of self-attention in a layer of a transformer (mixers/mixer.h).
#include "nn/attention/growth.h"
#include "nn/attention/mixers/average.h"
#include "nn/attention/mixers/latent.h"
#include "nn/attention/registry.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {
namespace {

const char* const kMixers = "mixers";

CatalogueEntry average() {
  return {.id = "E17",
          .also = {"average attention network", "AAN"},
          .name = "average",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "m_t = (1/t) sum_(s <= t) x_s,  g = FFN(m),  [i; f] = sigmoid(W [x; g] + b),  y = i x + f g",
          .paper = "Zhang, Xiong and Su, ACL 2018",
          .year = 2018,
          .tier = 2,
          .shapes = "x [B, T, D] -> [B, T, D]",
          .cost = "2 T D F + 4 T D^2 products; 2 D F + 4 D^2 parameters and biases; decoding keeps D + 1 numbers",
          .own = {"uniform_weights_are_the_mean", "a_step_keeps_one_vector", kLinearCost},
          .settings = {{"inner", 2, "width inside the feed-forward network, in widths of the model", 1, 16}},
          .mixer = made_as<Mixer, AverageMixer>};
}

}  // namespace

std::vector<CatalogueEntry> mixer_entries() {
  std::vector<CatalogueEntry> all{
      average(),
      latent_mixer_entry(),
  };
  for (auto part : {recurrent_mixer_entries, own_heads_entries, feature_mixer_entries, sparse_mixer_entries,
                    fixed_mixer_entries, latent_mixer_entries, order_mixer_entries})
    for (CatalogueEntry& entry : part()) all.push_back(std::move(entry));
  return all;
}

}  // namespace heed::nn
