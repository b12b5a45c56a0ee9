#include "nn/text/letter_pairs.h"

#include <doctest/doctest.h>

using heed::text::LetterPairs;
using heed::text::letters_in;

TEST_CASE("letter pairs: the probabilities of a short text, by hand") {
  const LetterPairs pairs("abab");  // n(a, b) = 2, n(b, a) = 1
  CHECK(pairs.p(U'a') == doctest::Approx(3.0 / 7));
  CHECK(pairs.p(U'b', U'a') == doctest::Approx((2 + 3.0 / 7) / 3));
  CHECK(pairs.p(U'a', U'z') == doctest::Approx(3.0 / 7));  // z was never there
  CHECK(pairs.loss("ab") == doctest::Approx(-std::log(3.0 / 7) - std::log((2 + 3.0 / 7) / 3)));
  CHECK(pairs.loss("") == 0);
}

TEST_CASE("letter pairs: after each letter the probabilities sum to 1, with one letter that is not in the text") {
  const std::string text = "the cat säß on the mät";
  const LetterPairs pairs(text);
  CHECK(letters_in(text) == 22);
  const std::u32string all = heed::text::code_points("the catsäßonm");  // its letters
  for (const char32_t a : all + U"z") {
    double sum = pairs.p(U'z', a);
    for (const char32_t b : all.substr(1)) sum += pairs.p(b, a);  // without the second t
    CHECK(sum == doctest::Approx(1));
  }
}

TEST_CASE("letter pairs: pairs that are there are more probable than the same letters in another order") {
  const LetterPairs pairs("the cat sat on the mat near the hat");
  CHECK(pairs.loss("the cat") < pairs.loss("tca the"));
}
