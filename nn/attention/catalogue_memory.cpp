// The catalogue's structures that have a memory of their own: E9, E10 and those of E26 that read or write one.
#include "nn/attention/catalogue.h"
#include "nn/pooling/memory_pooling.h"

namespace heed::nn {

std::vector<CatalogueEntry> memory_entries() {
  return {
      {.id = "E9",
       .also = {"MemN2N", "end-to-end memory network"},
       .name = "memory_network",
       .kind = Kind::structure,
       .family = "structures",
       .formula = "p = softmax_i(u . m_i),  o = sum_i p_i c_i,  u <- u + o;  K hops, m and c from the same sentences",
       .paper = "Sukhbaatar et al., NIPS 2015",
       .year = 2015,
       .tier = 2,
       .shapes = "story [B, M, L], question [B, L'] -> logits [B, V], weights [B, K, M]; as a pooling [B, S, D] -> "
                 "[B, D]",
       .cost = "2 K M D products per question; (K + 1) V D parameters (adjacent), or 4 V D + D^2 (layer-wise)",
       .own = {"keys_may_be_permuted", "queries_may_be_permuted", "mask_is_minus_infinity",
               "hop_without_values_is_idle", "adjacent_hops_share_matrices", "layer_wise_hops_share_matrices",
               "order_of_sentences_is_their_age", "padding_of_stories_is_absent", "hops_follow_a_chain"},
       .cases = "MemoryNetwork",
       .settings = {{"hops", 3, "K, number of reads", 1, 64}},
       .pooling = pooler_as<MemoryNetworkPooling>,
       .reached = {.more =
                       "the hops over the encoder's words, with a learned question; stories of sentences, as in the "
                       "paper, are read by nn::MemoryNetwork"}},
      {.id = "E10",
       .also = {"NTM", "neural Turing machine"},
       .name = "ntm_head",
       .kind = Kind::structure,
       .family = "structures",
       .formula =
           "w^g = g softmax_i(b cos(k, M_i)) + (1 - g) w;  w~_i = sum_r s_r w^g_{i-r};  w_i = w~_i^y / sum w~^y;  "
           "M_i <- M_i (1 - w_i e) + w_i a",
       .paper = "Graves, Wayne and Danihelka, 2014",
       .year = 2014,
       .tier = 2,
       .shapes = "h [B, C], M [B, N, W], w [B, N] -> w [B, N], read [B, W]",
       .cost = "2 N W products and 2 R + 1 shifted copies of N weights per step; C (W + 2 R + 4) parameters, and 2 C W "
               "for a head that writes",
       .own = {"idle_head_stays", "a_shift_rotates_the_weights", "sharpening_by_hand", "erase_and_add_overwrite",
               "content_is_the_cosine"},
       .exempt = {{"masked_keys_are_absent", "it takes no mask: every cell of its memory exists"},
                  {"empty_row_reads_zero", "it takes no mask: every cell of its memory exists"}},
       .cases = "NTMHead",
       .reached = {.more = "a part for a controller of your own, nn::NTMHead; no option of heed train has it"}},
  };
}

}  // namespace heed::nn
