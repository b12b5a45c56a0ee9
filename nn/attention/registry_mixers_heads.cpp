// The mixers that are multi-head attention with a change of its own (mixers/own_heads.h).
#include "nn/attention/mixers/compressive.h"
#include "nn/attention/mixers/forgetting.h"
#include "nn/attention/mixers/multi_token.h"
#include "nn/attention/mixers/persistent.h"
#include "nn/attention/mixers/selective.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {
namespace {

const char *const kMixers = "mixers", *const kSame = "x [B, T, D] -> [B, T, D]";

CatalogueEntry forgetting() {
  return {.id = "E25",
          .also = {"forgetting transformer", "FoX", "data-dependent ALiBi"},
          .name = "forgetting",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "w = softmax(q_t . k_s / sqrt(K) + sum_(s < l <= t) log f_l),  f = sigmoid(x W_f + b_f)",
          .paper = "Lin et al., ICLR 2025",
          .year = 2025,
          .tier = 4,
          .shapes = kSame,
          .cost = "as multi-head attention, and T D H products; D H + H more parameters",
          .own = {"no_forgetting_is_attention", "constant_forgetting_is_alibi"},
          .mixer = made_as<Mixer, ForgettingMixer>};
}

CatalogueEntry selective() {
  return {.id = "E25b",
          .also = {"selective attention"},
          .name = "selective",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "w = softmax(e_ts - F_ts),  F_ts = sum_(r < t) S_rs,  S_ts = relu(e_ts of head 0) for 0 < s < t",
          .paper = "Leviathan, Kalman and Matias, ICLR 2025",
          .year = 2025,
          .tier = 4,
          .shapes = kSame,
          .cost = "as multi-head attention, and T^2 sums; no more parameters",
          .own = {"masks_add_up", "nothing_selected_is_attention"},
          .mixer = made_as<Mixer, SelectiveMixer>};
}

CatalogueEntry multi_token() {
  return {.id = "E25c",
          .also = {"MTA", "convolution over scores"},
          .name = "multi_token",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "w = softmax(sum_(a, b) kernel_h[a, b] e_(t - a, s - b + c_k / 2)),  e = 0 where masked",
          .paper = "Golovneva, Wang, Weston and Sukhbaatar, 2025 (arXiv 2504.00927)",
          .year = 2025,
          .tier = 4,
          .shapes = kSame,
          .cost = "as multi-head attention, and c_q c_k T^2 H products; c_q c_k H more parameters",
          .own = {"identity_kernel_is_attention", "kernels_move_scores", "kernels_read_no_later_word"},
          .settings = {{"queries", 3, "c_q, queries that the kernel covers", 1, 64},
                       {"keys", 5, "c_k, keys that the kernel covers", 1, 64}},
          .mixer = made_as<Mixer, MultiTokenMixer>};
}

CatalogueEntry persistent(const char* id, const char* name, const char* also, const char* formula, const char* paper,
                          int year, const char* cost) {
  return {.id = id,
          .also = {also},
          .name = name,
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = formula,
          .paper = paper,
          .year = year,
          .tier = 4,
          .shapes = kSame,
          .cost = cost,
          .own = {"no_memory_is_attention", "no_words_read_the_memory"},
          .settings = {{"memories", 16, "N, learned vectors beside the words; 0: none", 0, 65536}},
          .mixer = made_as<Mixer, PersistentMixer>};
}

CatalogueEntry compressive() {
  return {.id = "E19c",
          .also = {"compressive transformer"},
          .name = "compressive",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "w = softmax of q . k over the last W words and the means of groups of c older words",
          .paper = "after Rae et al., ICLR 2020",
          .year = 2020,
          .tier = 4,
          .shapes = kSame,
          .cost = "as multi-head attention; a decoder would keep W + T / c keys; no more parameters",
          .own = {"rate_one_is_attention", "old_words_are_read_as_means"},
          .settings = {{"window", 16, "W, words that are read one by one", 1, 65536},
                       {"rate", 4, "c, older words that are read as one mean", 1, 4096}},
          .mixer = made_as<Mixer, CompressiveMixer>};
}

}  // namespace

std::vector<CatalogueEntry> own_heads_entries() {
  return {
      forgetting(),
      selective(),
      multi_token(),
      compressive(),
      persistent("E19", "persistent", "all-attention",
                 "w = softmax of q . k over the words and N learned keys of each head, which have learned values",
                 "Sukhbaatar et al., 2019", 2019, "as multi-head attention with N more keys; 2 N D more parameters"),
      persistent("E19b", "memory_tokens", "memory transformer",
                 "w = softmax of q . k over the words and N learned inputs, projected like words",
                 "after Burtsev et al., 2020", 2020, "as multi-head attention with N more keys; N D more parameters")};
}

}  // namespace heed::nn
