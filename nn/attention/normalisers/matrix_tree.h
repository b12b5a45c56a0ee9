// Structured attention by dependency trees ("Learning structured text representations"; the marginals: Koo et al.):
// every word of a sentence has one head, another word, and one word is the root. The weights of word t are the
// probabilities of its heads, over all trees:
//
//   p(tree) ~ product over words t of exp(e_(t, head of t))          head of the root: the word itself, exp(e_tt)
//   w_ts = p(s is the head of t)          w_tt = p(t is the root)
//
// Every word has a head or is the root, so rows sum to 1; the roots w_tt sum to 1 as well. There are exponentially many
// trees, but the matrix-tree theorem (Tutte, 1948) sums over them with one determinant. With A_ts = exp(e_ts) for s !=
// t, and c any one word:
//
//   M_ts = -A_ts,   M_tt = sum_s A_ts,   column c replaced by exp(e_tt)          N = M^-1,   sum over trees = det M
//   w_ts = A_ts ([t != c] N_tt - [s != c] N_st),      w_tt = exp(e_tt) N_ct
//
// It is for self-attention of whole sentences without a causal mask: there are as many queries as keys, and all are
// needed together. A masked word is neither a head nor the root. The largest score of a row is subtracted first, which
// changes no weight, since each tree uses every row once. If no tree is possible (or in f64 none can be resolved), all
// weights are 0.
//
// Liu and Lapata score the root apart, exp(w . h_t), and the root's share reads a learned vector. (Their pair scores
// are tanh(parent) W tanh(child), and their diagonal is 0.) A normaliser sees nothing but scores, so here the otherwise
// unused diagonal e_tt is the score of the root, and w_tt reads the word's own value. With e_tt = w . h_t the marginals
// are theirs.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct MatrixTreeNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B15b", "matrix_tree", "structured attention by trees", "non-projective dependency trees"},
      .formula = "w_ts = p(s is the head of t), w_tt = p(t is the root), over all trees of the words",
      .paper = {"Liu and Lapata, TACL 2018; Koo et al., EMNLP 2007", 2018, 2},
      .idea =
          "Each word attends to its head in a syntax tree, the word that it depends on, and the weights are the "
          "probabilities of these edges over all trees. The matrix tree theorem gives the sums over all trees by one "
          "matrix inverse. The model learns a kind of syntax that nobody has annotated.",
      .wrong =
          "Queries and keys must be the same words, and a causal mask makes no sense. The authors score the root by a "
          "vector of its own, while here it is the score of a word with itself, which a normaliser can see.",
      .shapes = "e [.., T, T] -> w [.., T, T]",
      .cost = "an inverse, T^3 products for each sentence and head",
      .own = {"weights_are_sums_over_trees", "one_word_is_the_root", "impossible_trees_have_no_weight",
              "sliced_rows_are_refused"},
      .exempt = {{"causal_under_causal_scope", "later queries change the weights of earlier ones"},
                 {"keys_may_be_permuted", "key t is the word of query t: both are permuted together, or neither"},
                 {"padded_after_is_alone", "a tree has all words of the row: self-attention refuses rows with padding"},
                 {"padded_before_is_alone",
                  "a tree has all words of the row: self-attention refuses rows with padding"},
                 {"padding_is_never_read", "a tree has all words of the row: self-attention refuses rows with padding"},
                 {"queries_may_be_permuted", "key t is the word of query t: both are permuted together, or neither"},
                 {"step_by_step_is_parallel", "a query alone is no sentence"}},
      .cases = "matrix_tree",
  };

  using Options = NormaliserOptions;
  MatrixTreeNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override;  // ShapeError unless T = S
  bool row_wise() const override { return false; }
};

}  // namespace heed::nn
