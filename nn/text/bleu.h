// BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine translation", ACL 2002): how many runs of
// one to four words of the translation also stand in the reference, over a whole corpus.
//
//   p_n  = 100 * sum over sentences of min(count in hypothesis, count in reference) / n-grams of the hypotheses
//   BP   = min(1, exp(1 - reference length / hypothesis length)), so that leaving words out does not pay
//   BLEU = BP * (p_1 p_2 p_3 p_4)^(1/4)
//
// Conventions of sacreBLEU 2 (Post, "A call for clarity in reporting BLEU scores", WMT 2018): tokenisation `13a` is
// that of the script mteval-v13a; `exp` smoothing: the k-th order without a match counts as 1 / 2^k matches.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

enum class BleuTokens {
  none,  // white space only: the text is tokenised already
  v13a   // punctuation and symbols off, but not . and , between digits; &quot; &amp; &lt; &gt; resolved
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
  std::array<int64_t, 4> matches{}, totals{};           // what p_n divides
};

// Line i of hypotheses is compared with line i of references. InputError if their numbers differ or there are none.
BleuScore bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
               BleuOptions options = {});

// The tokens of mteval-v13a with one space between them.
std::string tokenize_13a(std::string_view line);

// "none" and "13a"; anything else is an InputError.
BleuTokens bleu_tokens_from_name(std::string_view name);

}  // namespace heed::text
