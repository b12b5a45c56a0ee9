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
       .exempt = {{"padding_is_never_read", "it takes no mask: every cell of its memory exists"},
                  {"masked_keys_are_absent", "it takes no mask: every cell of its memory exists"},
                  {"empty_row_reads_zero", "it takes no mask: every cell of its memory exists"}},
       .cases = "NTMHead",
       .reached = {.more = "a part for a controller of your own, nn::NTMHead; no option of heed train has it"}},
      {.id = "E26d",
       .also = {"differentiable neural computer", "DNC"},
       .name = "dnc",
       .kind = Kind::structure,
       .family = "structures",
       .formula =
           "u <- (u + w - u w) prod_r (1 - f_r v_r);  a[o_j] = (1 - u[o_j]) prod_{i<j} u[o_i];  L_ij <- (1 - w_i "
           "- w_j) L_ij + w_i p_j;  v = m_1 L^T v + m_2 content + m_3 L v",
       .paper = "Graves et al., Nature 2016",
       .year = 2016,
       .tier = 4,
       .shapes = "h [B, C], state -> memory [B, N, W], link [B, N, N], read [B, R, N]",
       .cost = "(R + 1) N^2 for links and allocation, 2 (R + 1) N W for contents, per step",
       .own = {"usage_and_links_are_bounded", "allocation_takes_the_emptiest", "links_replay_the_order_of_writing",
               "freed_cells_are_used_again"},
       .exempt = {{"padding_is_never_read", "it takes no mask: every cell of its memory exists"},
                  {"rows_sum_to_one", "a head may read less than everything: the rows of the links sum to at most 1"},
                  {"masked_keys_are_absent", "it takes no mask: every cell of its memory exists"},
                  {"empty_row_reads_zero", "it takes no mask: every cell of its memory exists"}},
       .cases = "DNCMemory",
       .reached = {.more = "a part for a controller of your own, nn::DNCMemory; no option of heed train has it"}},
  };
}

}  // namespace heed::nn
