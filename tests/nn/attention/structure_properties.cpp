// Properties of positions, structures, poolings and decoders. Many of them have a test case of their own beside their
// module; the entry then names it, and the check runs it.
#include <doctest/doctest.h>

#include <set>

#include "nn/attention/structures/multi_head.h"
#include "nn/attention/structures/structured.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooling.h"
#include "tests/nn/attention/subject.h"
#include "tests/run_test_case.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;

// A function from words x [B, S, W] and a mask [B, S] to a vector a sentence, flat; the same at every call.
using Pooled = std::function<Variable(const Variable& x, const Tensor& words)>;
Pooled pooled_by(const CatalogueEntry& entry) {
  if (entry.id == "I8")
    return [](const Variable& x, const Tensor& words) {
      nn::StructuredEmbedding m = make<nn::StructuredEmbedding>({.input = kWidth, .hidden = 3, .rows = 1}, 1);
      nn::convert(m, x.dtype());
      return squeeze(m(x, words).context, 1);
    };
  if (entry.id == "I9")
    return [](const Variable& x, const Tensor& words) {
      nn::MultiHeadPooling m = make<nn::MultiHeadPooling>({.model = kWidth, .heads = 2}, 1);
      nn::convert(m, x.dtype());
      return squeeze(m(x, words).context, 1);
    };
  std::vector<std::string> modes{entry.name};
  if (entry.id == "I10") modes = {"mean", "max", "attention"};
  return [modes](const Variable& x, const Tensor& words) {
    nn::Pooling m = make<nn::Pooling>({.modes = modes, .width = kWidth}, 1);
    nn::convert(m, x.dtype());
    return m(x, words);
  };
}

void padding_is_absent(const CatalogueEntry& entry) {
  Tensor words = Tensor::from_bools({1, 1, 1, 0, 0, 0, 1, 0, 1, 1}, {2, 5});
  Variable x = leaf({2, 5, kWidth}, 1, DType::f64);
  Variable y = pooled_by(entry)(x, words);
  backward(weighted_sum(y));
  Tensor other = x.value().clone();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t s = 0; s < 5; ++s) {
      if (words.at({b, s}) != 0) continue;
      CHECK(all_zero(x.grad().select(0, b).select(0, s)));
      for (int64_t w = 0; w < kWidth; ++w) other.set({b, s, w}, 1e3);
    }
  CHECK_FALSE(all_zero(x.grad()));
  CHECK(bit_equal(pooled_by(entry)(other, words).value(), y.value()));
}

void one_word_is_itself(const CatalogueEntry& entry) {
  Variable x = leaf({2, 5, kWidth}, 1, DType::f64);
  Tensor third = Tensor::from_bools({0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, {2, 5});
  CHECK(max_abs_difference(pooled_by(entry)(x, third).value(), x.value().select(1, 2)) < 1e-15);
}

void no_words_read_zero(const CatalogueEntry& entry) {
  Variable x = leaf({2, 5, kWidth}, 1, DType::f64);
  Variable y = pooled_by(entry)(x, Tensor::from_bools({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {2, 5}));
  backward(weighted_sum(y));
  CHECK(all_zero(y.value().select(0, 0)));
  CHECK(all_finite(x.grad()));
  CHECK(all_zero(x.grad().select(0, 0)));
}

// A property that has a test case of its own, which is run here: once, whatever the number of entries that hold it.
Property held_by(const std::string& property, const std::string& test_case) {
  return {property, [=](const CatalogueEntry&) {
            static std::set<std::string> done;
            if (!done.insert(test_case).second) return;
            CHECK_MESSAGE(run_test_case(test_case), "there is no test case \"" << test_case << "\"");
          }};
}

}  // namespace

std::vector<Property> structure_properties() {
  const std::string step =
      "learned positions: rows are added from the first, and only rows that were seen get a gradient";
  return {
      {"padding_is_absent", padding_is_absent},
      {"one_word_is_itself", one_word_is_itself},
      {"no_words_read_zero", no_words_read_zero},
      held_by("golden_rows", "sinusoidal: the numbers of D = 4, and sine and cosine in turn"),
      held_by("products_depend_on_the_distance",
              "sinusoidal: P(p) . P(p + k) depends on k alone, and the length of P(p) on nothing"),
      held_by("a_shift_is_a_rotation", "sinusoidal: P(p + k) is P(p) turned, by angles that do not depend on p"),
      held_by("layouts_are_a_permutation",
              "sinusoidal: halves are the same columns in another order, for even and odd widths"),
      held_by("distances_are_clipped_with_their_sign", "Shaw: the formula, the sign of the distance and its clipping"),
      held_by("no_distance_is_no_order",
              "Shaw: with the distance 0 there is no order; with more there is, and it does not depend on the place"),
      held_by("shift_is_the_loop",
              "xl: the formula, and the shifted products are a loop over queries, keys and entries"),
      held_by("nothing_learned_is_no_position",
              "xl: without u, v and W_R it is no position; with them places count, but only by their distances"),
      held_by("long_memory_is_full_attention",
              "segments: a memory as long as all the past is full causal attention, with every position"),
      held_by("gradient_stays_in_the_segment",
              "segments: gradient stays in the segment, and the keys of the past are made by the weights of now"),
      held_by("segments_train_a_model", "segments: a small language model learns from a long text, segment by segment"),
      held_by("cache_is_the_parallel_pass",
              "cache: in words and in pieces it is the parallel pass, with every position and grouping"),
      held_by("skew_is_the_gather", "skew: products by distance, skewed, are those with the vector of each pair"),
      held_by("one_table_for_all_heads_is_shaw", "skew: with one table for all heads it is Shaw's keys"),
      held_by("scale_one_is_rope", "scaled rope: with a scale of 1, or without decay, it is rope"),
      held_by("products_decay_with_the_distance",
              "xpos: a pair of entries gives z^((t - s) / C) times what it gives in rope"),
      held_by("interpolated_places_are_old_places",
              "scaled rope: place s p is turned as rope turns place p, or only the slow pairs are"),
      held_by("golden_scaled_angles", "scaled rope: the angles of each scheme, pair by pair"),
      held_by("kernel_values", "kerple: the logarithm and the power, and ALiBi as its power of 1"),
      held_by("network_of_a_share", "fire: a network of the share that the distance has of the text"),
      held_by("open_gates_count_words",
              "contextual: with gates of 1 the position is the distance plus 1, and P for all that are farther away"),
      held_by("positions_are_interpolated", "contextual: between two positions their vectors are mixed"),
      held_by(
          "counts_as_the_formula",
          "contextual: the weights are those of loops over queries and keys, in each head, under masks and padding"),
      held_by("a_network_of_the_distance", "dynamic_bias: a network of the distance and its direction, at any place"),
      held_by("lengths_and_directions_are_apart",
              "polar: the cosine of the distance times two lengths, whatever the place"),
      held_by("second_layer_reads_the_first",
              "shared keys: the second of two layers is attention with the keys and values of the first"),
      held_by("shared_cache_is_the_whole",
              "shared keys: word by word it is the whole, and the cache is smaller by the layers that share"),
      held_by("rows_and_columns_apart_alone_count",
              "rope_2d: products depend on the rows and the columns between two cells, and not on where they are"),
      held_by("order_of_words_counts", "pool: the position encoding of memory networks, its numbers and its order"),
      held_by("golden_buckets", "T5: the buckets, in both directions and in one"),
      held_by("buckets_that_occur_learn",
              "T5: the bias is the table's row of the distance, learns only in buckets that occur, and is not scaled"),
      held_by("golden_slopes", "ALiBi: the slopes, for powers of two and between them"),
      held_by("bias_is_the_distance", "ALiBi: the bias is minus the slope times the distance, whatever the place"),
      held_by("turning_keeps_length_and_distance",
              "rope: no length changes, place 0 is the identity, products depend on the distance alone"),
      held_by("golden_angles", "rope: the angles, pair by pair; what stands in row p is what a call from p gives"),
      held_by("halves_are_permuted_pairs",
              "rope: halves are interleaved pairs after a fixed permutation; either is wrong with the other's weights"),
      held_by("values_are_not_turned", "rope: values are never turned"),
      held_by("twin_turns_the_same",
              "rope: the fused operation is the composed one, gradients too, and turns back what it turned"),
      held_by("a_bag_without_a_mask",
              "no position: an encoder without a mask sees a bag of words, a decoder with a mask does not"),
      held_by("groups_are_tied_heads",
              "groups: multi-head attention with tied projections, head h in group h / (H / G)"),
      held_by("any_block_is_dense",
              "tiled attention: what its twin gives, for every size of block, 1 and all and those that leave a rest"),
      held_by("any_mask_is_dense",
              "tiled attention: masks and biases of every shape that broadcasts, widths around a vector"),
      held_by("tiled_empty_row_reads_zero",
              "tiled attention: a query that may look at nothing reads 0 and hands down nothing, in any block"),
      held_by("log_sum_exp_of_a_row",
              "tiled attention: the log-sum-exp of each row, and scores of 1e4 are as exact as those of 1"),
      held_by("dropout_is_drawn_again",
              "tiled attention: dropout draws what dropout of the weights draws, in any block and for any threads"),
      held_by("threads_and_padding_change_no_bit",
              "tiled attention: the same bits for any number of threads, in any company, behind any padding"),
      held_by("memory_is_that_of_blocks",
              "tiled attention: at T = 4096 it holds megabytes, where the weights alone would be 268"),
      held_by("evaluators_agree",
              "evaluators: dense, tiled and chunked give the same output and gradients, dropout too"),
      held_by("chosen_unless_somebody_looks",
              "evaluators: the fused one runs unless somebody looks, or the scores are no products under a softmax"),
      held_by("chunks_change_no_bit", "evaluators: chunks of any size give the bits of dense, weights too"),
      held_by("cache_holds_what_joined_holds",
              "head cache: word by word, in whatever pieces, it holds what joined holds"),
      held_by("cache_moves_with_its_rows",
              "head cache: rows that a search keeps move with their past, and fewer or more of them"),
      held_by("three_forms_are_one",
              "linear: quadratic, chunkwise and word by word give the same output and gradients"),
      held_by("features_do_not_cancel", "linear: the features are exp(x) below 0, and never 0 in f32"),
      held_by("multiply_adds_grow_with_the_words",
              "linear: multiply-adds grow with the number of words, those of dense with its square"),
      held_by("state_is_the_parallel_pass",
              "linear: a stack decodes in pieces, after left padding, from a state of constant size"),
      held_by("implied_weights_are_shown", "linear: Observe sees the weights that the formula implies"),
      held_by("packed_rows_are_rows_alone", "linear: sentences in a packed row read what each reads alone"),
      held_by("golden_lambda_init", "differential: lambda_init by the layer, and lambda by its vectors"),
      held_by("rows_sum_to_one_minus_lambda",
              "differential: the map is the difference of two, and its rows sum to 1 - lambda"),
      held_by("without_lambda_is_the_first_half",
              "differential: without lambda it is ordinary attention of the first halves"),
      held_by("equal_maps_leave_a_share", "differential: two equal maps leave 1 - lambda of one"),
      held_by("each_head_has_its_norm",
              "differential: the norm is that of each head by itself, with one weight for all"),
      held_by("evaluator_parameters_are_the_models",
              "differential: its parameters are saved, cloned, counted and trained, its layers decode from a cache"),
      held_by("the_difference_is_shown",
              "differential: Observe sees the difference map, once, under causal scopes, groups and padding"),
      held_by("length_of_queries_and_keys_does_not_count",
              "query-key norm: longer queries and keys change nothing, and scores stay within the root of the width"),
      held_by(
          "dropped_rows_sum_to_one_on_average",
          "attention dropout: rows that read do not sum to 1, their mean does; without training nothing is dropped"),
      held_by("shown_weights_are_whole",
              "multi-head: dropout falls on the weights that read, not on those that are shown"),
      held_by("norm_first_and_last_are_their_lines",
              "the order of norms: first and last are their lines, and rms is no layer norm"),
      held_by("embedding_is_scaled",
              "the embedding is scaled by sqrt(D), and where it is not, the words are drawn small"),
      held_by("tied_matrices_are_one",
              "tied matrices are one: in the file under each name, one gradient, one after a step and in a clone"),
      held_by("golden_peak", "Noam: the peak of the paper, at the end of the warm-up"),
      held_by("golden_smoothed_loss", "label smoothing: the loss of three classes by hand, and where it is least"),
      held_by("golden_biased_variance", "layer norm: the variance divides by the width, and eps stands under the root"),
      held_by("only_rows_that_were_seen_learn", step),
      held_by("beyond_the_table_is_an_error", "bad input: positions"),
      held_by("words_permuted_permute_the_output",
              "multi-head: without positions self-attention turns permuted words into permuted outputs"),
      held_by("own_position_means_nothing",
              "multi-head: cross-attention looks at the source, its own position means nothing to it"),
      held_by("one_head_is_scaled_dot",
              "multi-head: one head is attention with the score scaled_dot, and the output projection stays"),
      held_by("heads_add_up", "multi-head: the formula, head by head, and the sum over heads of head W_o,h"),
      held_by("heads_may_be_reordered",
              "multi-head: heads in another order, with their columns of W_o, give the same output"),
      held_by("size_does_not_depend_on_heads",
              "multi-head: the number of parameters does not depend on the number of heads"),
      held_by("heads_must_divide_the_width", "bad input: multi-head attention"),
      held_by("one_part_is_plain_attention", "key-value: in one part it is plain attention to what came before"),
      held_by("a_tape_of_one_is_an_lstm", "LSTMN: with a tape of one entry it is an LSTM"),
      held_by("reads_only_what_came_before", "LSTMN: padding changes no bit, and no step reads what comes behind it"),
      held_by("fusion_without_the_source",
              "fusion: without the source's share, deep fusion is the LSTMN that knows only itself"),
      held_by("values_have_no_say",
              "key-value: values do not influence weights, keys are not read, and predict is neither"),
      held_by("looks_only_at_its_past",
              "key-value: looks at the window before itself, never at itself or later; the first word sees nothing"),
      held_by("a_document_is_its_two_levels", "hierarchical: the document is what its two levels make of it"),
      held_by("empty_sentences_change_no_bit",
              "hierarchical: sentences without words change no bit, wherever they stand, and longer padding neither"),
      held_by("words_behind_an_end_get_no_gradient",
              "hierarchical: words behind an end get no gradient, those before it do"),
      held_by("one_row_is_attention_pooling", "structured: one row is attention pooling"),
      held_by("penalty_is_0_for_distinct_one_hots",
              "structured: the penalty is 0 for distinct one-hots, and for nothing else"),
      held_by("words_that_are_not_there", "structured: A = softmax(W_2 tanh(W_1 H^T)), M = A H, padding never read"),
      held_by("means_of_three_words", "pool: what each name means, on three words"),
      held_by("at_least_the_mean",
              "pool: one word is itself by every name; the maximum is at least the mean; no words give 0"),
      held_by("zero_query_is_the_mean",
              "attention pooling: with the question 0 it is the mean; a sentence without words gives 0"),
      held_by("a_set_has_no_order",
              "pooling by multi-head attention: a set has no order, padding is not in it, each seed has its row"),
      held_by("parts_stand_side_by_side", "Pooling: by name, several side by side, and attention among them"),
      held_by("zero_fed_columns_are_no_feeding",
              "input feeding with the fed columns at zero is the model without feeding"),
      held_by("golden_coverage_loss", "coverage loss: by hand, its mean over the steps that count, and its gradient"),
      held_by(
          "coverage_lies_between_0_and_1",
          "coverage loss: 0 at the first step, in [0, 1] at all, 1 where a distribution repeats, 0 where none does"),
      held_by("outputs_are_the_attention",
              "pointer: the distribution over the positions is the attention, for sources of any length"),
      held_by("a_pointer_network_reverses", "a pointer network learns to reverse"),
      held_by("gate_of_1_and_of_0", "pointer-generator: a gate of 1 is the vocabulary, a gate of 0 is the attention"),
      held_by("mixture_sums_to_1",
              "pointer-generator: the mixture by hand, whose probabilities sum to 1 before any normalising"),
      held_by("golden_step", "pointer-generator: one step computed by hand"),
      held_by("copies_unknown_words",
              "a pointer-generator learns to copy unknown words, which a softmax over the vocabulary cannot write"),
      held_by("steps_are_the_parallel_pass",
              "outputs that copy: a teacher-forced pass is stepping by hand, to the bit, in both orders"),
      held_by("values_are_mixed", "value residual: later layers read l_1 v_1 + l_2 v, with (0, 1) the plain layers"),
      held_by("scores_add_up", "score residual: the second layer adds the scores of the first"),
      held_by("steps_pass_on_the_same", "residuals of values and scores: step by step is all at once"),
      held_by("a_gate_of_a_half_halves", "gate: zero weights halve the heads, a large bias changes nothing"),
      held_by("a_pruned_head_has_no_columns", "pruned heads: as if their columns of W_o were 0, by each of three ways"),
      held_by("importance_is_a_difference", "pruned heads: the gradient of xi is what the loss changes by"),
      held_by("a_scale_is_in_its_columns", "head scale: as if the columns of W_o were scaled, and 1 at first"),
      held_by("golden_alignment", "monotonic: two rows by hand, and what is missing to 1 has run off the end"),
      held_by("alignment_sums_over_all_walks", "monotonic: the alignment is the sum over all walks"),
      held_by("certain_stops_are_the_hard_walk",
              "monotonic: certain stops are the hard walk, and so is evaluation with hard"),
      held_by("walks_never_go_back", "monotonic: no walk goes back, and a masked key is passed"),
      held_by("the_walk_is_kept_for_the_next_query",
              "monotonic: the walk is kept for the next query, not the weights, and follows its row in a search"),
      held_by("chunks_of_one_are_monotonic", "MoChA: chunks of one are monotonic attention"),
      held_by("chunks_are_their_formula", "MoChA: chunks by the formula, and after a certain stop a softmax of w keys"),
      held_by("one_sum_for_words_and_copies",
              "CopyNet: words and copies share one sum, which adds up what the source has twice"),
      held_by("copynet_by_hand", "CopyNet: one step computed by hand"),
      held_by("copynet_copies_unknown_words", "CopyNet learns to copy unknown words"),
      held_by("golden_penalties", "penalties of attention: identity, even and one-sided weights by hand"),
      held_by("penalties_ignore_padding", "penalties of attention: padding on either side changes nothing"),
      held_by("penalties_have_gradients", "penalties of attention: the gradients, at zeros too"),
      held_by("penalties_are_collected", "penalties of attention: an encoder-decoder adds those with a weight"),
      held_by("golden_two_candidates", "minimum risk: two candidates by hand, and the gradient alpha Q (risk - loss)"),
      held_by("it_is_the_expected_risk",
              "minimum risk: over all sentences with alpha 1 it is the expectation of the risk"),
      held_by("ends_are_teacher_forcing_and_greedy",
              "scheduled sampling: with true words only it is teacher forcing, with none it is greedy search")};
}

}  // namespace heed::nn_test
