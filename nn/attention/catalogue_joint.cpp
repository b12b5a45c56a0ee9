// The catalogue's structures in which two sequences read each other: E11 and its relatives.
#include "nn/attention/structure_parts.h"

namespace heed::nn {

std::vector<CatalogueEntry> joint_entries() {
  const std::string two = "a reader of two sequences, in C++: models that translate have one source";
  const std::map<std::string, std::string> by_words = {
      {"empty_row_reads_zero", "it takes a padding mask for each sequence, the same for all rows"}};
  return {
      {.id = "E11",
       .also = {"bidirectional attention flow"},
       .name = "bidaf",
       .kind = Kind::structure,
       .family = "structures",
       .formula =
           "e_ts = w . [h_t; u_s; h_t * u_s];  a = softmax_s(e), u~ = a u;  b = softmax_t(max_s e), h~ = b h;  g "
           "= [h; u~; h * u~; h * h~]",
       .paper = "Seo et al., ICLR 2017",
       .year = 2017,
       .tier = 2,
       .shapes = "h [B, T, D], u [B, S, D] -> g [B, T, 4 D], a [B, T, S], b [B, T]",
       .cost = "2 T S D products; 3 D parameters",
       .own = {"keys_may_be_permuted", "queries_may_be_permuted", "flow_in_both_directions_by_hand",
               "padding_of_both_sides_is_absent"},
       .exempt = by_words,
       .cases = "BiDAF",
       .reached = {.more = two}},
      {.id = "E11b",
       .also = {"dynamic coattention"},
       .name = "coattention",
       .kind = Kind::structure,
       .family = "structures",
       .formula = "L = d tanh(q W^T + b)^T;  C^Q = softmax_t(L)^T d;  C^D = softmax_s(L) [Q; C^Q]",
       .paper = "Xiong, Zhong and Socher, ICLR 2017",
       .year = 2017,
       .tier = 2,
       .shapes = "d [B, T, D], q [B, S, D] -> C^D [B, T, 2 D]",
       .cost = "4 T S D products; D^2 + 3 D parameters",
       .own = {"keys_may_be_permuted", "question_reads_the_document_first", "sentinel_takes_weight",
               "padding_of_both_sides_is_absent"},
       .exempt = by_words,
       .cases = "Coattention",
       .reached = {.more = two}},
      {.id = "E11c",
       .also = {"AoA"},
       .name = "attention_over_attention",
       .kind = Kind::structure,
       .family = "structures",
       .formula = "alpha = softmax_t(d q^T), beta = softmax_s(d q^T);  p = alpha mean_t(beta)",
       .paper = "Cui et al., ACL 2017",
       .year = 2017,
       .tier = 2,
       .shapes = "d [B, T, D], q [B, S, D] -> p [B, T]",
       .cost = "T S D products; no parameters",
       .own = {"keys_may_be_permuted", "pointers_by_hand", "padding_of_both_sides_is_absent"},
       .exempt = by_words,
       .cases = "attention_over_attention",
       .reached = {.more = two}},
      {.id = "E11d",
       .also = {"decomposable attention"},
       .name = "decomposable",
       .kind = Kind::structure,
       .family = "structures",
       .formula =
           "e = F(a) F(b)^T;  v_t = G([a_t; softmax_s(e) b]),  v'_s = G([b_s; softmax_t(e)^T a]);  H([sum v; sum v'])",
       .paper = "Parikh et al., EMNLP 2016",
       .year = 2016,
       .tier = 2,
       .shapes = "a [B, T, D], b [B, S, D] -> logits [B, K], weights [B, T, S]",
       .cost = "3 T S D products, and T + S words through F and G; no term has both T S and a matrix",
       .own = {"keys_may_be_permuted", "queries_may_be_permuted", "order_of_words_has_no_effect",
               "comparisons_are_added_up", "padding_of_both_sides_is_absent"},
       .exempt = by_words,
       .cases = "DecomposableAttention",
       .reached = {.more = two}},
  };
}

}  // namespace heed::nn
