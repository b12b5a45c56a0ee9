// The roles of multi-head attention (multi_head.h) that have names of their own.
#pragma once

#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutSelfAttention{
    .names = {"E1", "self_attention", "intra-attention of one layer"},
    .formula = "q = x W_q, k = x W_k, v = x W_v;  y = softmax(q k^T / sqrt(D)) v W_o",
    .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
    .idea =
        "Each word of a sentence sends a query to all words of the same sentence. What it receives is a mixture of "
        "their values. All words do this at once, so nothing has to be read in order.",
    .wrong =
        "Queries, keys and values come from the same words by three different matrices. With one matrix for all three, "
        "the largest score of a word is usually the one with itself.",
    .shapes = "x [B, T, D] -> [B, T, D]",
    .cost = "4 T D^2 + 2 T^2 D products per sentence; 4 D^2 parameters",
    .own = {"keys_may_be_permuted", "words_permuted_permute_the_output", "queries_may_be_permuted",
            "causal_under_causal_scope", "step_by_step_is_parallel", "mask_is_minus_infinity"},
    .cases = "MultiHeadAttention",
    .architecture = "transformer",
};

inline constexpr About kAboutCrossAttention{
    .names = {"E4", "cross_attention", "encoder-decoder attention"},
    .formula = "q = x W_q, k = y W_k, v = y W_v;  x from the decoder, y from the encoder",
    .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
    .idea =
        "Queries come from the decoder, keys and values from the encoder outputs. So each target word receives a "
        "mixture of source words. It is the attention of the recurrent translators, with several heads.",
    .wrong = "Its mask is the padding mask of the source, and nothing in it is causal.",
    .shapes = "x [B, T, D], y [B, S, K] -> [B, T, D], weights [B, H, T, S]",
    .cost = "2 (T + S) D^2 + 2 T S D products; 4 D^2 parameters",
    .own = {"keys_may_be_permuted", "own_position_means_nothing", "queries_may_be_permuted",
            "causal_under_causal_scope", "step_by_step_is_parallel", "mask_is_minus_infinity"},
    .cases = "MultiHeadAttention",
    .architecture = "transformer",
};

inline constexpr About kAboutMultiHead{
    .names = {"E5", "multi_head", "multi-head"},
    .formula = "y = sum_h softmax(q_h k_h^T / sqrt(D / H)) v_h W_o,h",
    .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
    .idea =
        "Several small attentions run side by side, each on projections of its own. Each can look for something else, "
        "and one softmax never has to serve two purposes. Together they cost about as much as one large attention.",
    .wrong =
        "If the number of heads does not divide the width, this must be an error. A width per head that is silently "
        "rounded down loses features.",
    .shapes = "x [B, T, D], y [B, S, K], z [B, S, V] -> [B, T, D], weights [B, H, T, S]",
    .cost = "2 (T + S) D^2 + 2 T S D products; 4 D^2 parameters for any H",
    .own = {"keys_may_be_permuted", "one_head_is_scaled_dot", "heads_add_up", "heads_may_be_reordered",
            "size_does_not_depend_on_heads", "heads_must_divide_the_width", "queries_may_be_permuted",
            "causal_under_causal_scope", "step_by_step_is_parallel", "mask_is_minus_infinity"},
    .cases = "MultiHeadAttention",
    .architecture = "transformer",
};

inline constexpr About kAboutCausalSelfAttention{
    .names = {"E6", "causal_self_attention", "masked self-attention"},
    .formula = "E5 with q, k and v from the same words, and query i attends to keys j <= i",
    .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
    .idea =
        "This is self-attention in which a word attends only to itself and to earlier words. A decoder-only language "
        "model is a stack of such layers, each with a feed-forward network. With a cache each new word costs one row "
        "of scores.",
    .wrong =
        "Without the mask a model reaches a very low loss in training and writes nonsense, because in training it has "
        "read the answers.",
    .shapes = "x [B, T, D] -> [B, T, D], weights [B, H, T, T]",
    .cost = "4 T D^2 + 2 T^2 D products; 4 D^2 parameters",
    .own = {"causal_under_causal_scope", "step_by_step_is_parallel", "mask_is_minus_infinity"},
    .cases = "MultiHeadAttention",
    .architecture = "transformer",
};

inline constexpr About kAboutMultiQuery{
    .names = {"G6", "multi_query", "MQA"},
    .family = "efficient attention",
    .formula = "E5 with one k and one v for all heads",
    .paper = {"Shazeer, 2019", 2019, 1},
    .idea =
        "All heads share one set of keys and values. The cache becomes smaller by a factor of the number of heads, and "
        "decoding becomes faster, since reading the cache takes most of its time. The quality falls a little.",
    .wrong = "The heads still have queries of their own. Only keys and values are shared.",
    .shapes = "x [B, T, D] -> [B, T, D], cache [B, 1, S, D/H]",
    .cost = "2 T S D products; 2 D^2 + 2 D^2/H parameters; a cache 1/H as large",
    .own = {"queries_may_be_permuted", "causal_under_causal_scope", "step_by_step_is_parallel",
            "mask_is_minus_infinity", "keys_may_be_permuted", "groups_are_tied_heads", "cache_is_the_parallel_pass"},
    .cases = "MultiHeadAttention",
    .architecture = "transformer",
    .option = "kv_heads",
    .text = "1",
};

inline constexpr About kAboutGroupedQuery{
    .names = {"G7", "grouped_query", "GQA"},
    .family = "efficient attention",
    .formula = "E5 where head h uses k and v of group h / (H / G)",
    .paper = {"Ainslie et al., EMNLP 2023", 2023, 1},
    .idea =
        "Heads are divided into groups, and the heads of a group share keys and values. One group is multi-query "
        "attention, and as many groups as heads is ordinary multi-head attention. A few groups save most of the memory "
        "at a small loss of quality.",
    .wrong =
        "Head h belongs to group floor(h / (H / G)). A program that uses h modulo G gives many heads the wrong keys.",
    .shapes = "x [B, T, D] -> [B, T, D], cache [B, G, S, D/H]",
    .cost = "2 T S D products; 2 D^2 + 2 D^2 G/H parameters; a cache G/H as large",
    .own = {"queries_may_be_permuted", "causal_under_causal_scope", "step_by_step_is_parallel",
            "mask_is_minus_infinity", "keys_may_be_permuted", "groups_are_tied_heads", "cache_is_the_parallel_pass"},
    .cases = "MultiHeadAttention",
    .architecture = "transformer",
    .option = "kv_heads",
    .text = "G",
};

}  // namespace heed::nn
