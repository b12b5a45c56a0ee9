// Properties of the later evaluators and of latent attention. Each has a test case beside its code, which is run here.
#include <doctest/doctest.h>

#include <set>

#include "tests/nn/attention/subject.h"
#include "tests/run_test_case.h"

namespace heed::nn_test {
namespace {

Property held_by(const std::string& property, const std::string& test_case) {
  return {property, [=](const nn::CatalogueEntry&) {
            static std::set<std::string> done;
            if (!done.insert(test_case).second) return;
            CHECK_MESSAGE(run_test_case(test_case), "there is no test case \"" << test_case << "\"");
          }};
}

}  // namespace

std::vector<Property> efficient_properties() {
  return {
      held_by("kernel_forms_are_one",
              "kernel: quadratic, chunkwise and word by word give the same output and gradients, with every map"),
      held_by("features_are_unbiased",
              "performer: the mean over draws is the exponential, with orthogonal and with independent directions"),
      held_by("error_falls_with_the_features",
              "performer: twice the features halve the squared error, and orthogonal directions err less"),
      held_by("scales_are_of_rows_and_keys",
              "performer: the scale of a query cancels and that of a key counts, far outside the range of f32"),
      held_by("sines_and_cosines_are_unbiased",
              "random features: the mean over draws is the exponential of the cosine, whatever the lengths"),
      held_by("weights_fall_with_the_cosine",
              "cosformer: the weights fall with the cosine of the distance, and are never negative"),
      held_by("features_are_rolled_products",
              "dpfp: the features are products of an entry of [x; -x] with the one j places before it"),
      held_by("kernel_cost_is_linear",
              "kernel: from 512 to 8192 words the multiply-adds grow in proportion, with every map"),
      held_by("merged_parts_are_the_whole",
              "parts: merged they are the whole, and its log-sum-exp, wherever they are cut"),
      held_by("merge_is_associative",
              "parts: the merge is associative and commutative, and scores of 1e4 are merged as exactly as those of 1"),
      held_by("split_is_dense",
              "split: any number of parts gives the output and the gradients of dense, causal and across"),
      held_by("pages_hold_what_the_cache_holds",
              "paged: in whatever pieces and blocks, and as rows move, it holds what the head cache holds"),
      held_by("shared_blocks_are_copied_on_write",
              "paged: rows share the blocks of their past, the one that appends copies its last block, dropped ones "
              "are free"),
      held_by("pages_are_the_parallel_pass",
              "paged: decoding in place and with weights shown is the parallel pass, with every kind of position"),
      held_by("cache_bytes_are_their_formula",
              "memories: bytes of grouped, latent, ring and paged caches, by formula and as allocated"),
      held_by("sinks_are_a_mask",
              "streaming: with places of the text it is dense attention under a mask of the first and the last words"),
      held_by("sinks_have_bounded_distances",
              "streaming: places are counted in the memory, as if the words that are kept were the whole text"),
      held_by("heavy_words_are_a_mask",
              "heavy hitters: dense attention under a mask of the last words and of those with the largest weights so "
              "far"),
      held_by("room_for_all_forgets_nothing",
              "memories that forget: room for all words is the growing cache, and pieces are words one by one"),
      held_by("a_landmark_each_is_full_attention",
              "nystrom: with a landmark for each word it is full attention, weights too"),
      held_by("pinv_converges_from_its_start",
              "nystrom: the iteration finds the pseudo-inverse from its start, and not from the transposed matrix"),
      held_by("landmarks_do_not_see_padding",
              "nystrom: landmarks do not see padding, wherever it is, and a sentence without words reads 0"),
      held_by("landmark_cost_is_linear", "nystrom: from 512 to 8192 words the multiply-adds grow in proportion"),
      held_by("absorbed_is_expanded", "latent: absorbed decoding is expanded decoding is the parallel pass"),
      held_by("identity_is_multi_head_attention",
              "latent: with r = D, the identity and no rotary key it is multi-head attention"),
      held_by("latent_cache_holds_narrow_rows",
              "latent: the cache holds r + R numbers a word, whatever the number of heads"),
      held_by("order_enters_by_the_shared_key", "latent: order enters by the rotary key alone, and only as a distance"),
  };
}

}  // namespace heed::nn_test
