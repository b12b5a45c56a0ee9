// Exercise 30.3: chrF, a score that counts characters.
//
//   m_n, h_n, r_n   n-grams of characters, n = 1 .. 6, added up over all sentences: those that match, those of the
//                   hypotheses, those of the references. White space is removed first.
//   m_n             sum over the different n-grams of min(count in the hypothesis, count in its reference)
//   P = mean of m_n / h_n        R = mean of m_n / r_n                over the n with h_n > 0 and r_n > 0
//   chrF = 100 (1 + beta^2) P R / (beta^2 P + R)                      0 if nothing matches
//
// With beta = 2 the recall R weighs twice as much as the precision P. BLEU gives a word with the right stem and a wrong
// ending nothing; chrF gives it most of its characters.
//
// Popovic, WMT 2015, section 2; the counts are added up over the corpus as in sacreBLEU. Here every sentence has at
// least six characters, and a character is a byte.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mine {

using Lines = std::vector<std::string>;
using Counts = std::map<std::string, double>;

// The n-grams of a line, and how often each occurs.
Counts ngrams(const std::string& line, std::size_t n);
// 0 to 100; line i of the hypotheses is compared with line i of the references.
double chrf(const Lines& hypotheses, const Lines& references, double beta);

}  // namespace mine
