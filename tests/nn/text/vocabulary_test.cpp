// Counting and its order, encoding and its inverse, the line format with every way to spoil it, and spelling.
#include "nn/text/vocabulary.h"

#include "tensor/random.h"
#include "tests/nn/text/support.h"

using namespace heed;
using namespace heed::text;
using text_test::message_of;

namespace {

using Words = std::vector<std::string>;

Vocabulary animals() {
  return Vocabulary({{"the", "cat", "sat"}, {"the", "dog", "sat"}, {"the", "cart"}, {"été", "</s>", "<pad>"}});
}

}  // namespace

TEST_CASE("vocabulary: frequent words first, equal ones by their bytes") {
  // the 3, sat 2, then cart cat dog été once each (é begins with 0xC3, behind every ASCII letter)
  Vocabulary v = animals();
  CHECK(v.to_lines() ==
        Words{"0 <pad>", "2 <unk>", "0 <s>", "0 </s>", "3 the", "2 sat", "1 cart", "1 cat", "1 dog", "1 été"});
  CHECK(v.size() == 10);
  CHECK(v.id("the") == 4);
  CHECK(v.token(9) == "été");
  CHECK(v.count(5) == 2);
  CHECK(v.contains("cat"));
  CHECK_FALSE(v.contains("kitten"));
  CHECK(v.id("kitten") == Vocabulary::unk);
}

TEST_CASE("vocabulary: no text can name a special") {
  Vocabulary v = animals();
  for (const char* special : {"<pad>", "<unk>", "<s>", "</s>"}) {
    CHECK(v.id(special) == Vocabulary::unk);
    CHECK_FALSE(v.contains(special));
  }
  CHECK(v.token(Vocabulary::pad) == "<pad>");
  CHECK(v.token(Vocabulary::unk) == "<unk>");
  CHECK(v.token(Vocabulary::start) == "<s>");
  CHECK(v.token(Vocabulary::stop) == "</s>");
}

TEST_CASE("vocabulary: rare words and those beyond the size are cut, and counted as unknown") {
  std::vector<Words> sentences = {{"a", "a", "a", "b", "b", "c", "c", "d"}};
  Vocabulary frequent(sentences, {.min_frequency = 2});
  CHECK(frequent.size() == 7);
  CHECK(frequent.count(Vocabulary::unk) == 1);
  Vocabulary small(sentences, {.max_size = 2});  // b goes before c at equal counts
  CHECK(small.to_lines() == Words{"0 <pad>", "3 <unk>", "0 <s>", "0 </s>", "3 a", "2 b"});
  CHECK(Vocabulary().size() == 4);
}

TEST_CASE("vocabulary: encode and decode") {
  Vocabulary v = animals();
  CHECK(v.encode({"the", "kitten", "sat"}) == std::vector<int64_t>{4, 1, 5});
  CHECK(v.encode({"the", "cat"}, {.append_stop = true}) == std::vector<int64_t>{4, 7, 3});
  CHECK(v.encode({}, {.append_stop = true}) == std::vector<int64_t>{3});
  CHECK(v.decode(std::vector<int64_t>{2, 4, 1, 0, 5, 3, 4, 4}) == Words{"the", "<unk>", "sat"});
  CHECK(v.decode(std::vector<int64_t>{}) == Words{});
}

TEST_CASE("vocabulary: lines come back as they went, a space as a token included") {
  Vocabulary v({{" ", "x y", "1", "\u00A0", "é", " "}});
  Vocabulary again = Vocabulary::from_lines(v.to_lines());
  CHECK(again.to_lines() == v.to_lines());
  CHECK(again.id(" ") == 4);
  CHECK(again.id("x y") == v.id("x y"));
}

TEST_CASE("vocabulary: spoilt lines are refused in one sentence") {
  const Words good = {"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "2 cat", "1 dog"};
  CHECK(Vocabulary::from_lines(good).size() == 6);
  auto with = [&](size_t line, const std::string& text) {
    Words lines = good;
    lines[line - 1] = text;
    return message_of<IoError>([&] { Vocabulary::from_lines(lines); });
  };
  CHECK(with(3, "0 cat") == "load vocabulary: line 3 must hold <s>; got \"cat\"");
  CHECK(with(6, "1 cat") == "load vocabulary: tokens must be distinct; got \"cat\" again in line 6");
  CHECK(with(6, "1 </s>") == "load vocabulary: tokens must be distinct; got \"</s>\" again in line 6");
  for (const char* bad : {"dog", "1", "1 ", "1dog", "-1 dog", "99999999999999999999 dog", "", " dog"})
    CHECK(with(6, bad) == "load vocabulary: each line must be a count, a space and a token in UTF-8; got \"" +
                              std::string(bad) + "\" in line 6");
  CHECK(with(5, "1 d\xFFg") ==
        "load vocabulary: each line must be a count, a space and a token in UTF-8; got \"1 d\\xFFg\" in line 5");
}

TEST_CASE("vocabulary: more specials stand before the words, no text can name them, and files bring them back") {
  Vocabulary v({{"cat", "[MASK]", "cat", "dog"}}, {.max_size = 1, .more_specials = masked_specials});
  CHECK(v.to_lines() ==
        Words{"0 <pad>", "2 <unk>", "0 <s>", "0 </s>", "special [CLS]", "special [SEP]", "special [MASK]", "2 cat"});
  CHECK(v.special("[CLS]") == 4);
  CHECK(v.special("[MASK]") == 6);
  CHECK(v.special("</s>") == Vocabulary::stop);
  CHECK(v.first_word() == 7);
  CHECK(v.id("cat") == 7);
  CHECK(v.id("[MASK]") == Vocabulary::unk);
  CHECK_FALSE(v.contains("[MASK]"));
  CHECK(v.decode(std::vector<int64_t>{4, 7, 6, 3, 7}) == Words{"[CLS]", "cat", "[MASK]"});
  CHECK(v.nearest("[MASK]", 3, 20) == Words{"cat"});
  CHECK(v.matching("[", 3) == Words{});
  Vocabulary again = Vocabulary::from_lines(v.to_lines());
  CHECK(again.to_lines() == v.to_lines());
  CHECK(again.special("[SEP]") == 5);
  CHECK(again.id("[SEP]") == Vocabulary::unk);
  CHECK(again.id("cat") == 7);

  // a file without them may hold such words: what it said before, it says still
  Vocabulary old = Vocabulary::from_lines({"0 <pad>", "0 <unk>", "0 <s>", "0 </s>", "3 [CLS]", "1 special"});
  CHECK(old.id("[CLS]") == 4);
  CHECK(old.id("special") == 5);
  CHECK(old.first_word() == Vocabulary::specials);
  auto spoilt = [](const Words& more) {
    Words lines = {"0 <pad>", "0 <unk>", "0 <s>", "0 </s>"};
    lines.insert(lines.end(), more.begin(), more.end());
    return message_of<IoError>([&] { Vocabulary::from_lines(lines); });
  };
  const std::string rule = "load vocabulary: each line must be a count, a space and a token in UTF-8; got ";
  CHECK(spoilt({"1 cat", "special [CLS]"}) == rule + "\"special [CLS]\" in line 6");
  CHECK(spoilt({"special [CLS]", "special [CLS]"}) == rule + "\"special [CLS]\" in line 6");
  CHECK(spoilt({"special "}) == rule + "\"special \" in line 5");
  CHECK(spoilt({"special [CLS]", "1 [CLS]"}) ==
        "load vocabulary: tokens must be distinct; got \"[CLS]\" again in line 6");
  for (const Words& names : {Words{"<pad>"}, Words{"[A]", "[A]"}, Words{" "}, Words{""}, Words{"a\nb"}})
    CHECK_THROWS_AS(Vocabulary(WordCounts(), {.more_specials = names}), ValueError);
}

TEST_CASE("vocabulary: nearest by spelling, frequent words first among equals") {
  Vocabulary v = animals();
  CHECK(v.nearest("cat", 1) == Words{"cat"});
  CHECK(v.nearest("act", 1) == Words{"cat"});           // one swap
  CHECK(v.nearest("caat", 2) == Words{"cart", "cat"});  // both at distance 1, equally frequent: bytes decide
  CHECK(v.nearest("zat", 1) == Words{"sat"});           // sat and cat at distance 1, sat is more frequent
  CHECK(v.nearest("ete", 2) == Words{"the", "été"});    // both at distance 2: letters are counted, not bytes
  CHECK(Vocabulary({{"cat"}}).nearest("kitten", 1) == Words{"cat"});  // 5 edits of 6 letters: the t is kept
  CHECK(v.nearest("kitten", 1, 3) == Words{});
  CHECK(v.nearest("", 3) == Words{});
  CHECK(v.nearest("cat", 0) == Words{});
  CHECK(v.nearest(std::string(1000000, 'c'), 3) == Words{});
  CHECK(v.nearest("cat", 100, 0) == Words{"cat"});
  CHECK(Vocabulary().nearest("pad", 3) == Words{});  // specials are never offered
}

TEST_CASE("vocabulary: prefixes and patterns") {
  Vocabulary v = animals();
  CHECK(v.matching("ca", 10) == Words{"cart", "cat"});
  CHECK(v.matching("", 3) == Words{"the", "sat", "cart"});
  CHECK(v.matching("*at", 10) == Words{"sat", "cat"});
  CHECK(v.matching("?at", 1) == Words{"sat"});
  CHECK(v.matching("?t?", 10) == Words{"été"});  // ? is a character, not a byte
  CHECK(v.matching("c*t*", 10) == Words{"cart", "cat"});
  CHECK(v.matching("*a*a*a*", 10) == Words{});
  CHECK(v.matching("???", 10) == Words{"the", "sat", "cat", "dog", "été"});
  CHECK(v.matching("<", 10) == Words{});
}

TEST_CASE("edit distance: known values") {
  CHECK(edit_distance(U"kitten", U"sitting") == 3);
  CHECK(edit_distance(U"kitten", U"cat") == 5);
  CHECK(edit_distance(U"", U"abc") == 3);
  CHECK(edit_distance(U"ab", U"ba") == 1);
  CHECK(edit_distance(U"ca", U"abc") == 3);  // 2 if a place might be edited twice (swap, then insert inside)
  CHECK(edit_distance(U"été", U"ete") == 2);
}

TEST_CASE("edit distance: symmetric, zero only for equals, at most the number of edits made") {
  Generator random(3);
  const std::u32string letters = U"abé";
  auto letter = [&] { return letters[static_cast<size_t>(random.below(3))]; };
  for (int round = 0; round < 1000; ++round) {
    std::u32string a;
    for (int64_t i = random.below(8); i > 0; --i) a += letter();
    std::u32string b = a;
    int64_t edits = random.below(4);
    for (int64_t e = 0; e < edits; ++e) {
      size_t at = static_cast<size_t>(random.below(static_cast<int64_t>(b.size()) + 1));
      int64_t kind = random.below(3);
      if (kind == 0)
        b.insert(b.begin() + static_cast<int64_t>(at), letter());
      else if (at < b.size() && kind == 1)
        b.erase(at, 1);
      else if (at < b.size())
        b[at] = letter();
    }
    int64_t distance = edit_distance(a, b);
    CHECK(distance == edit_distance(b, a));
    CHECK((distance == 0) == (a == b));
    CHECK(distance <= edits);
    CHECK(distance >= std::abs(static_cast<int64_t>(a.size()) - static_cast<int64_t>(b.size())));
    CHECK(edit_distance(a + U"x", b + U"x") == distance);
  }
}
