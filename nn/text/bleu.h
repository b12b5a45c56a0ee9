// BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine translation", ACL 2002): the share of the
// n-grams (sequences of one to four words) of the translations that also occur in the references, over a whole corpus.
//
// clang-format off
//   p_n  = 100 * sum over sentences of min(count in hypothesis, count in reference)
//              / n-grams of the hypotheses
//   BP   = min(1, exp(1 - reference length / hypothesis length))     penalises short translations
//   BLEU = BP * (p_1 p_2 p_3 p_4)^(1/4)
// clang-format on
//
// The conventions are those of sacreBLEU 2 (Post, "A call for clarity in reporting BLEU scores", WMT 2018). The
// tokenisation `13a` is that of the script mteval-v13a. With the smoothing `exp`, the k-th order without a match
// counts as 1 / 2^k matches.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

enum class BleuTokens {
  none,  // split at white space only: the text is already tokenised
  v13a   // split off punctuation and symbols, but not . and , between digits; resolve &quot; &amp; &lt; &gt;
};

struct BleuOptions {
  BleuTokens tokens = BleuTokens::v13a;
  bool lowercase = false;
};

struct BleuScore {
  double bleu = 0.0;                                    // 0 to 100
  std::array<double, 4> precisions{};                   // p_1 .. p_4, 0 to 100
  double brevity_penalty = 0.0;                         // 0 to 1
  int64_t hypothesis_length = 0, reference_length = 0;  // in tokens
  std::array<int64_t, 4> matches{}, totals{};           // numerators and denominators of p_n
};

// Compares line i of hypotheses with line i of references. InputError if their numbers differ or there are none.
BleuScore bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
               BleuOptions options = {});

// The tokens of mteval-v13a, joined by single spaces.
std::string tokenize_13a(std::string_view line);

// Accepts "none" and "13a"; anything else is an InputError.
BleuTokens bleu_tokens_from_name(std::string_view name);

}  // namespace heed::text
