#include "tutorials/course/properties.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include "nn/io/file.h"
#include "tutorials/course/source_root.h"

namespace heed::course {

namespace {

// The sentence above a test that begins at `begin`, without the heading "--- J9 ---" before it; empty: there is none.
std::string comment_above(const std::string& source, size_t begin) {
  std::string comment;
  while (begin > 0) {
    const size_t line = begin < 2 ? 0 : source.rfind('\n', begin - 2) + 1;
    if (source.compare(line, 3, "// ") != 0 || source.compare(line, 6, "// ---") == 0) break;
    comment = source.substr(line + 3, begin - line - 4) + (comment.empty() ? "" : " ") + comment;
    begin = line;
  }
  const bool is_sentence =
      !comment.empty() && std::isupper(static_cast<unsigned char>(comment[0])) && comment.ends_with('.');
  return is_sentence ? comment : "";
}

// PROPERTY(name) { or TEST_CASE("title" * holds("name")) {: what stands above it.
void add_sentences(const std::string& source, std::map<std::string, std::string>& told) {
  for (const auto& [before, after] : {std::pair<std::string, char>{"\nPROPERTY(", ')'}, {"holds(\"", '"'}}) {
    for (size_t at = source.find(before); at != std::string::npos; at = source.find(before, at + 1)) {
      const size_t name = at + before.size(), begin = after == ')' ? at + 1 : source.rfind("TEST_CASE(", at);
      if (std::string said = comment_above(source, begin); !said.empty())
        told[source.substr(name, source.find(after, name) - name)] = said;
    }
  }
}

// What the tests of heed's sources say about a property, by its name; empty where there are no sources.
const std::map<std::string, std::string>& explained() {
  static const std::map<std::string, std::string> told = [] {
    std::map<std::string, std::string> all;
    for (const char* folder : {"/tests/nn", "/tests/autograd"}) {
      const std::filesystem::path tests = source_root() + folder;
      if (!std::filesystem::is_directory(tests)) continue;
      for (const auto& file : std::filesystem::recursive_directory_iterator(tests))
        if (file.path().extension() == ".cpp") add_sentences(io::read_file(file.path().string()), all);
    }
    return all;
  }();
  return told;
}

}  // namespace

std::string sentence_of(const std::string& property) {
  static const std::map<std::string, std::string> told{
      // of scores, normalisers, scopes and evaluators
      {"rows_sum_to_one", "No weight is negative, and the weights of a query sum to 1."},
      {"masked_keys_are_absent", "A masked key has no weight, gets no gradient, and does not change the result."},
      {"padding_is_never_read", "What is at a padded place, even NaN or infinity, does not change the result."},
      {"padded_after_is_alone", "A sentence with padding after it gets the result that it gets alone."},
      {"padded_before_is_alone", "A sentence with padding before it gets the result that it gets alone."},
      {"empty_row_reads_zero", "A query that may read no key gets zeros, and its gradients are finite."},
      {"keys_may_be_permuted", "If keys and values change their order together, the context stays the same."},
      {"queries_may_be_permuted", "If the queries change their order, the contexts change it in the same way."},
      {"weights_depend_on_keys", "The weights change if the keys change."},
      {"constant_values_are_read", "If all values are equal, the context is that value."},
      {"gradient", "The gradients agree with those of finite differences."},
      {"causal_under_causal_scope", "Under the causal mask no later word changes the result, nor gets a gradient."},
      {"step_by_step_is_parallel", "Computing one query at a time gives the same result as all at once."},
      {"mask_is_minus_infinity", "A masked score is minus infinity, and no large number such as -1e9."},
      {"rows_are_one_hot", "Each query reads a single key."},
      {"regions_are_masks", "The fast form, region by region, is attention under a mask."},
      {"only_blocks_with_a_key_are_computed",
       "Blocks without an allowed key are not computed, and the result is that of the dense form."},
      {"given_places_count_like_counted_ones",
       "Places that the caller gives have the same effect as places counted from the mask."},
      {"golden_mask", "The mask is one that was written by hand."},
      {"sliced_rows_are_refused", "It needs all queries at once, and refuses a part of them."},
      // of poolings
      {"padding_is_absent", "Padding changes neither the vector nor its gradient."},
      {"padding_of_both_sides_is_absent",
       "Padding of either sentence changes neither the vectors nor their gradients."},
      {"one_word_is_itself", "The vector of a sentence of one word is that word's."},
      {"no_words_read_zero", "A sentence without a word gets zeros."},
      {"means_of_three_words", "The vector of three words is the one computed by hand."},
      // of mixers
      {"padding_changes_no_output", "Two sentences of a batch do not change each other, however much one is padded."},
      {"later_words_are_not_read", "In a causal model no later word changes the result, nor gets a gradient."},
      {"word_by_word_is_the_whole",
       "Words one after another, with what is kept between them, get what all get at once."},
      {"no_words_stay_finite", "A sentence without a word has finite results and gradients."},
      {"cost_is_linear_in_words", "The number of multiply-adds grows in proportion to the number of words."},
      {"three_forms_agree", "The forms for all words at once, for pieces, and for one word after another agree."},
      {"removal_has_three_forms",
       "With removal, too, the forms for all words at once, for pieces, and word after word agree."},
      {"scans_agree", "The recurrence computed at once, in pieces, and word after word is the same."},
      {"kernel_forms_are_one", "The forms of the kernel, as weights and as a state, agree."},
      {"kernel_cost_is_linear", "The kernel's multiply-adds grow in proportion to the number of words."},
      {"cache_is_the_parallel_pass", "Words that are decoded with a cache get what all get at once."},
      {"blocks_count_words", "Blocks are counted by words, and padding belongs to none."},
      {"words_may_be_permuted", "If the words change their order, the outputs change it in the same way."},
      {"weights_are_those_of_aft", "Its weights are those of the attention-free transformer's formula."},
      {"rwkv_begins_spread", "The first decays are spread over the channels, as in the published program."},
      {"evaluators_agree", "Each of the ways to compute it gives the same result."},
  };
  if (auto found = told.find(property); found != told.end()) return found->second;
  if (auto found = explained().find(property); found != explained().end()) return found->second;
  std::string text = property;
  std::replace(text.begin(), text.end(), '_', ' ');
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

}  // namespace heed::course
