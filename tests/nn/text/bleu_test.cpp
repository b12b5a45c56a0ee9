// BLEU and chrF with n-grams counted by hand. The figures of sacreBLEU itself are in bleu_golden_test.cpp.
#include "nn/text/bleu.h"

#include <cmath>

#include "nn/text/chrf.h"
#include "tests/nn/text/support.h"

using namespace heed;
using namespace heed::text;
using doctest::Approx;

namespace {

const BleuOptions plain{.tokens = BleuTokens::none};

}  // namespace

TEST_CASE("bleu: clipped counts and one smoothed order") {
  // hypothesis: the cat the cat on the mat (7)        reference: the cat sat on the mat (6)
  // words:   the 3 -> clipped to 2, cat 2 -> 1, on 1, mat 1                                          5 of 7
  // pairs:   the-cat 2 -> 1, on-the 1, the-mat 1; cat-the and cat-on are not in the reference        3 of 6
  // triples: on-the-mat                                                                              1 of 5
  // fours:   none of 4, counts as half a match                                                       1/2 of 4
  BleuScore score = bleu({"the cat the cat on the mat"}, {"the cat sat on the mat"}, plain);
  CHECK(score.matches == std::array<int64_t, 4>{5, 3, 1, 0});
  CHECK(score.totals == std::array<int64_t, 4>{7, 6, 5, 4});
  CHECK(score.precisions[0] == Approx(500.0 / 7));
  CHECK(score.precisions[3] == Approx(12.5));
  CHECK(score.brevity_penalty == 1.0);
  CHECK(score.bleu == Approx(100 * std::pow(5.0 / 7 * 3 / 6 * 1 / 5 * 1 / 8, 0.25)));  // (1/112)^(1/4): 30.74
}

TEST_CASE("bleu: each further order without a match counts half of the one before") {
  // a x b y against a b c d: 2 of 4 words; then 1/2 of 3 pairs, 1/4 of 2 triples, 1/8 of 1 four
  BleuScore score = bleu({"a x b y"}, {"a b c d"}, plain);
  CHECK(score.bleu == Approx(100 * std::pow(1.0 / 2 * 1 / 6 * 1 / 8 * 1 / 8, 0.25)));
}

TEST_CASE("bleu: a translation that is too short pays") {
  BleuScore score = bleu({"a b c d"}, {"a b c d e"}, plain);
  CHECK(score.brevity_penalty == Approx(std::exp(-0.25)));  // exp(1 - 5/4)
  CHECK(score.bleu == Approx(100 * std::exp(-0.25)));
  CHECK(bleu({"a b c d e"}, {"a b c d"}, plain).brevity_penalty == 1.0);
}

TEST_CASE("bleu: counts are added over the corpus before they are divided") {
  // 4 of 4 words and 0 of 4: 4/8; pairs 3/6, triples 2/4, fours 1/2. Each precision is a half.
  BleuScore score = bleu({"a b c d", "w x y z"}, {"a b c d", "k l m n"}, plain);
  for (double p : score.precisions) CHECK(p == Approx(50.0));
  CHECK(score.bleu == Approx(50.0));
}

TEST_CASE("bleu: identical texts have 100, empty and foreign ones 0") {
  CHECK(bleu({"Où est le chat ?"}, {"Où est le chat ?"}).bleu == Approx(100.0));
  CHECK(bleu({"Où est le chat ?"}, {"Où est le chat ?"}).bleu <= 100.0);
  CHECK(bleu({""}, {"a b c d"}).bleu == 0.0);
  CHECK(bleu({""}, {"a b c d"}).brevity_penalty == 0.0);
  CHECK(bleu({""}, {""}).bleu == 0.0);
  CHECK(bleu({"w x y z"}, {"a b c d"}).bleu == 0.0);
  CHECK(bleu({"w x y z"}, {"a b c d"}).precisions[0] == 0.0);
}

TEST_CASE("bleu: a corpus of fewer than four tokens a line has no four-grams and no score") {
  BleuScore score = bleu({"a b c"}, {"a b c"}, plain);
  CHECK(score.precisions == std::array<double, 4>{100.0, 100.0, 100.0, 0.0});
  CHECK(score.bleu == 0.0);
  // an empty line beside a whole one costs brevity only: exp(1 - 6/4)
  CHECK(bleu({"", "a b c d"}, {"e f", "a b c d"}, plain).bleu == Approx(100 * std::exp(-0.5)));
}

TEST_CASE("bleu: case counts unless it is told not to") {
  CHECK(bleu({"THE CAT SAT ÉTÉ"}, {"the cat sat été"}).bleu == 0.0);
  CHECK(bleu({"THE CAT SAT ÉTÉ"}, {"the cat sat été"}, {.lowercase = true}).bleu == Approx(100.0));
  CHECK(bleu({"Ο ΔΡΟΜΟΣ ΤΗΣ ΠΟΛΗΣ"}, {"ο δρομος της πολης"}, {.lowercase = true}).bleu == Approx(100.0));
}

TEST_CASE("bleu: white space of any kind separates, as Python's split") {
  CHECK(bleu({"a\u00A0b\u202Fc\u3000d"}, {" a b\tc d "}, plain).bleu == Approx(100.0));
}

TEST_CASE("13a: symbols off, stops and commas kept inside numbers, dashes split behind digits") {
  CHECK(tokenize_13a("Hello, world!") == "Hello , world !");
  CHECK(tokenize_13a("$3.50 or 3,500?") == "$ 3.50 or 3,500 ?");
  CHECK(tokenize_13a("v2. x.5 .5 5.") == "v2 . x . 5 . 5 5 .");
  CHECK(tokenize_13a("0.0 10,09 0-9") == "0.0 10,09 0 - 9");
  CHECK(tokenize_13a("1-2 a-b a-1") == "1 - 2 a-b a-1");
  CHECK(tokenize_13a("it's l’été (oui)/[non]") == "it's l’été ( oui ) / [ non ]");
  CHECK(tokenize_13a("&quot;a&quot; &amp; &lt;b&gt;") == "\" a \" & < b >");
  CHECK(tokenize_13a("<skipped>x a-\nb c\nd") == "x ab c d");
  CHECK(tokenize_13a("") == "");
  // Substitutions do not overlap. " a..b ": the first stop goes with the a (a . .b), the second with the b.
  CHECK(tokenize_13a("a..b") == "a . . b");
  // "1...2" -> second rule: first stop follows a digit, but ".." matches from there: "1. . 2" -> third: "1 .  . 2"
  CHECK(tokenize_13a("1...2") == "1 . . .2");
}

TEST_CASE("bleu: names of the tokenisations") {
  CHECK(bleu_tokens_from_name("none") == BleuTokens::none);
  CHECK(bleu_tokens_from_name("13a") == BleuTokens::v13a);
}

TEST_CASE("chrf: n-grams counted by hand") {
  // abc against abd: 2 of 3 letters, 1 of 2 pairs, 0 of 1 triple, on both sides: P = R = (2/3 + 1/2 + 0) / 3
  CHECK(chrf({"abc"}, {"abd"}) == Approx(100 * 7.0 / 18));
  // Seven letters, the last one wrong: 6/7, 5/6, 4/5, 3/4, 2/3, 1/2 for one to six letters, and no seventh order.
  double mean = (6.0 / 7 + 5.0 / 6 + 4.0 / 5 + 3.0 / 4 + 2.0 / 3 + 1.0 / 2) / 6;
  CHECK(chrf({"abcdefg"}, {"abcdefh"}) == Approx(100 * mean));
  // ab against abc: P = (1 + 1) / 2; R = (2/3 + 1/2) / 2 = 7/12; 5PR / (4P + R) = 35/55
  CHECK(chrf({"ab"}, {"abc"}) == Approx(100 * 35.0 / 55));
  // abcd against ab: P = (2/4 + 1/3) / 2 = 5/12; R = 1; 5PR / (4P + R) = 25/32
  CHECK(chrf({"abcd"}, {"ab"}) == Approx(100 * 25.0 / 32));
  // With xyz = xyz beside it: letters 5 of 7, pairs 3 of 5, and of triples only the one of xyz, because ab has none.
  double p = (5.0 / 7 + 3.0 / 5 + 1.0) / 3;
  CHECK(chrf({"abcd", "xyz"}, {"ab", "xyz"}) == Approx(100 * 5 * p / (4 * p + 1)));
}

TEST_CASE("chrf: spaces do not count, case and accents do") {
  CHECK(chrf({"l' été\u00A0!"}, {"l'été !"}) == Approx(100.0));
  CHECK(chrf({"ABC"}, {"abc"}) == 0.0);
  CHECK(chrf({"é"}, {"è"}) == 0.0);  // one character each; as bytes they would share the first
  CHECK(chrf({""}, {"abc"}) == 0.0);
  CHECK(chrf({""}, {""}) == 0.0);
  CHECK(chrf({"a"}, {"a"}) == Approx(100.0));
}
