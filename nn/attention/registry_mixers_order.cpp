// Mixers that are attention with an order of words that needs no places: F11 and F13.
#include "nn/attention/mixers/contextual_position.h"
#include "nn/attention/mixers/shifted.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {
namespace {

const char* const kMixers = "mixers";

CatalogueEntry contextual() {
  return {.id = "F11e",
          .also = {"CoPE", "contextual position encoding"},
          .name = "contextual",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula =
              "e_ts = q_t . k_s / sqrt(K) + q_t . e[p_ts],  p_ts = min(sum_(r >= s) sigmoid(q_t . k_r / sqrt(K)), P)",
          .paper = "Golovneva, Wang, Weston and Sukhbaatar, 2024 (arXiv 2405.18719)",
          .year = 2024,
          .tier = 4,
          .shapes = "x [B, T, D] -> [B, T, D]",
          .cost = "beside multi-head attention T (P + 1) K + 2 T^2 products per head; (P + 1) K more parameters",
          .own = {"open_gates_count_words", "positions_are_interpolated"},
          .settings = {{"positions", 16, "P, the largest position; what is farther away has this one", 1, 65536}},
          .mixer = made_as<Mixer, ContextualPosition>};
}

CatalogueEntry shifted() {
  return {.id = "F13",
          .also = {"token shift", "convolved: a filter for each entry, conditional positions"},
          .name = "shifted",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula =
              "z_t = [first half of x_(t-1); second half of x_t],  y = multi-head attention of z;  convolved: z = x + "
              "filters * x",
          .paper = "after Peng et al. (RWKV), EMNLP Findings 2023; Chu et al. (conditional positions), ICLR 2023",
          .year = 2023,
          .tier = 3,
          .shapes = "x [B, T, D] -> [B, T, D]",
          .cost = "as multi-head attention, and N T D products; N D more parameters if convolved",
          .own = {"a_shift_by_one_is_causal", "zero_filters_are_attention", "filters_by_hand"},
          .settings = {{"width", 3, "N, words that a filter of `convolved` covers; odd", 1, 255}},
          .variants = {"convolved"},
          .mixer = made_as<Mixer, ShiftedAttention>};
}

}  // namespace

std::vector<CatalogueEntry> order_mixer_entries() { return {contextual(), shifted()}; }

}  // namespace heed::nn
