#include "tutorials/course/properties.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>

#include "nn/io/file.h"
#include "tutorials/course/source_root.h"

namespace heed::course {

namespace {

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// TEST_CASE("rope: values are never turned" * holds("values_are_not_turned")): what the test says after its subject. A
// test that shows two properties says something about both, so it explains neither.
void add_titles(const std::string& source, std::map<std::string, std::string>& told) {
  constexpr std::string_view mark = "* holds(\"";
  for (size_t at = source.find(mark); at != std::string::npos; at = source.find(mark, at + 1)) {
    const size_t name = at + mark.size(), begin = source.rfind("TEST_CASE(", at), end = source.find(')', at);
    if (begin == std::string::npos || source.substr(begin, at - begin).find(mark) != std::string::npos ||
        source.compare(end, 2, "))") != 0)
      continue;
    std::string title;
    for (size_t open = source.find('"', begin); open < at; open = source.find('"', open + 1)) {
      const size_t close = source.find('"', open + 1);
      title += source.substr(open + 1, close - open - 1);
      open = close;
    }
    const size_t subject = title.find(": ");
    if (title.find('\\') == std::string::npos)
      told[source.substr(name, source.find('"', name) - name)] =
          ": " + title.substr(subject == std::string::npos ? 0 : subject + 2) + ".";
  }
}

// The comment above PROPERTY(name), if it is a sentence.
void add_comments(const std::string& source, std::map<std::string, std::string>& told) {
  std::istringstream lines(source);
  std::string comment;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// ")) {
      comment += (comment.empty() ? "" : " ") + line.substr(3);
      continue;
    }
    if (line.starts_with("PROPERTY(")) {
      if (const size_t heading = comment.rfind("--- "); heading != std::string::npos) comment.erase(0, heading + 4);
      const bool is_sentence =
          !comment.empty() && std::isupper(static_cast<unsigned char>(comment[0])) && comment.ends_with('.');
      if (is_sentence) told[line.substr(9, line.find(')') - 9)] = ". " + comment;
    }
    comment.clear();
  }
}

// What the tests of heed's sources say about a property, by its name; empty where there are no sources.
const std::map<std::string, std::string>& explained() {
  static const std::map<std::string, std::string> told = [] {
    std::map<std::string, std::string> all;
    const std::filesystem::path tests = source_root() + "/tests/nn";
    if (!std::filesystem::is_directory(tests)) return all;
    for (const auto& file : std::filesystem::recursive_directory_iterator(tests)) {
      if (file.path().extension() != ".cpp") continue;
      const std::string source = io::read_file(file.path().string());
      add_titles(source, all);
      add_comments(source, all);
    }
    return all;
  }();
  return told;
}

// Names as their papers write them.
std::string with_names(const std::string& text) {
  static const std::map<std::string, std::string> names{{"rwkv", "RWKV"},
                                                        {"rwkv5", "RWKV-5"},
                                                        {"rwkv7", "RWKV-7"},
                                                        {"mlstm", "mLSTM"},
                                                        {"slstm", "sLSTM"},
                                                        {"lstm", "LSTM"},
                                                        {"copynet", "CopyNet"},
                                                        {"alibi", "ALiBi"},
                                                        {"rope", "RoPE"},
                                                        {"mamba2", "Mamba-2"},
                                                        {"gla", "GLA"},
                                                        {"kda", "KDA"},
                                                        {"hgrn", "HGRN"},
                                                        {"aft", "AFT"},
                                                        {"luna", "Luna"},
                                                        {"sab", "SAB"},
                                                        {"sagan", "SAGAN"},
                                                        {"shaw", "that of Shaw et al."},
                                                        {"fourier", "Fourier"},
                                                        {"jacobian", "Jacobian"},
                                                        {"gaussian", "Gaussian"},
                                                        {"relus", "ReLUs"},
                                                        {"t5", "T5"},
                                                        {"2d", "2-d"}};
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) {
    const auto known = names.find(word);
    all += (all.empty() ? "" : " ") + (known == names.end() ? word : known->second);
  }
  return all;
}

// "no rate is linear attention": with no rate, it is linear attention.
std::string special_case(const std::string& text) {
  for (const char* verb : {" is ", " are "}) {
    const size_t at = text.find(verb);
    if (at == std::string::npos) continue;
    std::string subject = text.substr(0, at);
    for (const char* of_one : {"stride", "width", "gap", "rate"})
      if (subject == of_one + std::string(" one")) subject = "a " + std::string(of_one) + " of one";
    std::string rest = text.substr(at + std::string_view(verb).size());
    static constexpr std::array of_kind{"no ",      "one ",        "all ",       "zero ",    "constant ", "an open ",
                                        "open ",    "a closed ",   "closed ",    "equal ",   "identity ", "enough ",
                                        "unmixed ", "uniform ",    "a wide ",    "wide ",    "full ",     "long ",
                                        "any ",     "a stride of", "a width of", "a gap of", "a rate of", "nothing "};
    if (std::ranges::none_of(of_kind, [&](const char* begin) { return subject.starts_with(begin); }) &&
        subject != "identity" && !subject.starts_with("without "))
      return "";
    static constexpr std::array things{
        "attention", "the ",    "a ",      "an ",        "plain ", "ordinary ", "linear ", "full ",   "dense", "causal",
        "global",    "local ",  "shared ", "retention",  "mamba2", "gla",       "rwkv5",   "rope",    "hgrn",  "aft",
        "sparsemax", "softmax", "multi ",  "scaled dot", "gated ", "additive",  "window",  "uniform", "shaw"};
    if (std::ranges::none_of(things, [&](const char* begin) { return rest.starts_with(begin); }) ||
        subject == "one word" || rest == "read")
      return "";
    if (rest == "attention") rest = "plain attention";
    if (rest == "scaled dot") rest = "scaled dot-product attention";
    const std::string article = subject == "identity" ? "the "
                                : (subject.starts_with("zero ") || subject.starts_with("wide ")) && verb[1] == 'i'
                                    ? "a "
                                    : "";
    return (subject.starts_with("without ") ? "" : "with " + article) + subject + ", it is " + rest;
  }
  return "";
}

// A name of a property, in words, as a sentence.
std::string in_a_sentence(const std::string& text) {
  static const std::map<std::string, std::string> by_hand{
      {"exactly k weights", "each query has exactly k weights"},
      {"never empty", "no query is left without a key"},
      {"nothing outside the window", "nothing outside the window is read"},
      {"even over the allowed", "the weights are even over the allowed keys"},
      {"itself and nothing later", "a word reads itself and nothing later"},
      {"a span of each head", "each head has a span of its own"},
      {"one vector for all places", "there is one vector for all places"},
      {"no prefix is causal all prefix is global", "with no prefix it is causal, and with nothing else it is global"},
      {"gap one is window", "with a gap of one, it is a window"},
      {"linear in the query", "it is linear in the query"},
      {"chosen unless somebody looks", "a key is chosen unless it reads another one"},
  };
  if (const auto found = by_hand.find(text); found != by_hand.end()) return found->second;
  struct Ending {
    const char *words, *sentence;
  };
  for (const Ending& one : {Ending{" by hand", "it agrees with what was worked out by hand: "},
                            Ending{" by the loop", "it agrees with a plain loop: "},
                            Ending{" by its lines", "it agrees with its formula, line by line: "},
                            Ending{" values", "it agrees with known values: "}})
    if (text.ends_with(one.words))
      return one.sentence + text.substr(0, text.size() - std::string_view(one.words).size());
  if (const size_t at = text.find(" permuted permute the output"); at != std::string::npos)
    return "if the " + text.substr(0, at) + " change their order, the output changes in the same way";
  for (const char* form : {" is its plain formula", " is its formula", " are their formula"})
    if (text.ends_with(form))
      return text.substr(0, text.find(form)) + (form[1] == 'a' ? " give" : " gives") +
             " what the formula says, written out plainly";
  for (const char* form : {" is the parallel pass", " are the parallel pass"})
    if (text.ends_with(form))
      return "word after word, " + text.substr(0, text.find(form)) + (form[1] == 'a' ? " give" : " gives") +
             " what all words get at once";
  for (const char* first : {"is ", "looks ", "reads ", "copies unknown", "bounded ", "counts as "})
    if (text.starts_with(first)) return (*first == 'b' ? "it is " : "it ") + text;
  if (text.ends_with("change no bit")) return text + " of the result";
  if (std::string special = special_case(text); !special.empty()) return special;
  return text;
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
  std::string text = property;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (text.rfind("golden ", 0) == 0)
    return "It agrees with reference values that were computed independently: " + text.substr(7) + ".";
  text = capital(with_names(in_a_sentence(text)));
  const auto more = explained().find(property);
  return text + (more == explained().end() ? "." : more->second);
}

}  // namespace heed::course
