// What each tokenisation does to apostrophes, numbers, quotes and spaces, and that joining undoes it.
#include "nn/text/tokenizer.h"

#include "nn/text/unicode.h"
#include "tensor/random.h"
#include "tests/nn/text/support.h"

using namespace heed;
using namespace heed::text;

namespace {

const Tokenizer english{};
const Tokenizer french{.spacing = Spacing::spaced};

std::string joined(const std::vector<std::string>& tokens, const std::string& between) {
  std::string result;
  for (size_t i = 0; i < tokens.size(); ++i) result += (i ? between : "") + tokens[i];
  return result;
}
std::string tokens(const std::string& text, const Tokenizer& tokenizer = english) {
  return joined(tokenizer.split(text), "|");
}

const std::vector<std::string> english_sentences = {
    "the agreement was signed in august 1992.",
    "i didn't see it, but i've heard of it.",
    "don't you think we'd better go?",
    "it's five o'clock!",
    "my parents' house is bigger than tom's.",
    "she said: \"come in, it isn't locked.\"",
    "'yes', he answered, 'i'll come.'",
    "the well-known state-of-the-art method costs $3,500.50 (or more).",
    "the train leaves at 10:30 a.m. and arrives at 5 p.m., doesn't it?",
    "they won 50% of the votes; nobody lost.",
    "rock 'n' roll is doin' fine...",
    "mr. o'brien lives at no. 7, e.g. behind the church.",
    "write to me@heed.org or call #12!",
    "he was [almost] never late - or was he?!",
    "the r&b singer owns 1/3 of it.",
    "water is h₂o at 20° or so.",
    "what?! no way!!",
    "she paid €20 and £5.",
    "wait... \"who's there?\"",
    "the dogs' owners can't've known.",
};
const std::vector<std::string> french_sentences = {
    "l'accord sur la zone économique européenne a été signé en août 1992.",
    "j'aime lire, mais aujourd'hui je n'ai pas le temps.",
    "qu'est-ce que c'est ?",
    "« entrez », dit-elle, « la porte n'est pas fermée ! »",
    "jusqu'à dix heures, quelqu'un m'a attendu.",
    "lorsqu'il pleut, l'on reste chez soi : c'est mieux.",
    "y a-t-il une presqu'île près d'ici ?",
    "va-t'en ! donne-m'en deux.",
    "il a perdu 10 % de son poids ; c'est trop.",
    "ça coûte 20 € (ou plus).",
    "d'où viens-tu ? quoi ?!",
    "puisqu'elle l'a dit, d'accord...",
    "s'il te plaît, n'oublie pas l'\"heure\".",
    "et/ou, c'est laid.",
    "il m'a dit : \"j'arrive à 14:30.\"",
    "c'est à 3,5 km d'une ville.",
    "l'œuvre d'art t'attend à l'école.",
    "où est-il allé, l'été dernier ?",
    "les prud'hommes l'ont jugé.",
    "« qu'en dis-tu ? »",
};

}  // namespace

TEST_CASE("tokenizer: space splits on ASCII white space and changes nothing") {
  Tokenizer space{.kind = Tokenizer::Kind::space};
  CHECK(tokens("  A man ,\tl&apos;  Eau\r", space) == "A|man|,|l&apos;|Eau");
  CHECK(tokens("10\u00A0000 x", space) == "10\u00A0000|x");
  CHECK(tokens(" \t ", space) == "");
  CHECK(space.join({"A", "man", "."}) == "A man .");
  CHECK(space.join({}) == "");
}

TEST_CASE("tokenizer: apostrophes of English and French") {
  CHECK(tokens("I didn't; don't, it's o'clock") == "i|didn't|;|don't|,|it's|o'clock");
  CHECK(tokens("L’accord, j'aime, qu'il n'y a") == "l'|accord|,|j'|aime|,|qu'|il|n'|y|a");
  CHECK(tokens("Aujourd’hui quelqu'un jusqu'à lorsqu'il presqu'île") ==
        "aujourd'hui|quelqu'un|jusqu'|à|lorsqu'|il|presqu'île");
  CHECK(tokens("my parents' house") == "my|parents'|house");
  CHECK(tokens("'my parents' said 'no'") == "'|my|parents|'|said|'|no|'");
  CHECK(tokens("l' accord d' une") == "l'|accord|d'|une");  // tokenised before: nothing changes
  CHECK(tokens("d'\"accord\"") == "d'|\"|accord|\"");
  CHECK(is_elision("qu'"));
  CHECK_FALSE(is_elision("o'"));
  CHECK_FALSE(is_elision("'"));
  CHECK_FALSE(is_elision("l"));
}

TEST_CASE("tokenizer: one spelling for accents, spaces, quotes and invisible characters") {
  CHECK(tokens("E\u0301te\u0301") == tokens("été"));
  CHECK(tokens("Qui\u202F?\u00A0Moi\u2009!") == "qui|?|moi|!");
  CHECK(tokens("l´ami lʼami") == "l'|ami|l'|ami");
  CHECK(tokens("“oui” „non‟ ‘x’") == "\"|oui|\"|\"|non|\"|'|x|'");
  CHECK(tokens("sur \u200B\u200Bla sou\u00ADpe\uFEFF") == "sur|la|soupe");
  CHECK(tokens("Ο ΔΡΟΜΟΣ, ΜΑΣ.") == tokens("ο δρομος, μας."));
  CHECK(english.spelled("E\u0301T* L’?") == "ét* l'?");
  CHECK(Tokenizer{.kind = Tokenizer::Kind::space}.spelled("ÉT*") == "ÉT*");
  CHECK(tokens("İ I\u0307") == "i\u0307|i\u0307");
  CHECK(tokens("fin… 3\u20112") == "fin|...|3-2");
  CHECK(tokens("a\x1B[31mb\x01") == "a|[|31mb");
  CHECK(tokens("") == "");
  CHECK(tokens("\u200B\u00A0") == "");
}

TEST_CASE("tokenizer: numbers, initials, connectors and symbols") {
  CHECK(tokens("3.50, 3,500 and 10:30.") == "3.50|,|3,500|and|10:30|.");
  CHECK(tokens("at 5 p.m. in the U.S.A., i.e. here.") == "at|5|p.m.|in|the|u.s.a.|,|i.e.|here|.");
  CHECK(tokens("Mr. B. left.Then") == "mr|.|b|.|left.then");
  CHECK(tokens("well-known - x--y; -5") == "well-known|-|x|--|y|;|-|5");
  CHECK(tokens("me@heed.org R&B a & b 50% $5") == "me@heed.org|r&b|a|&|b|50|%|$|5");
  CHECK(tokens("?!... (x)") == "?|!|...|(|x|)");
  CHECK(tokens("👍🏽👩‍👩‍👧 你好!") == "👍🏽|👩‍👩‍👧|你好|!");
}

TEST_CASE("tokenizer: join writes as the language does") {
  std::vector<std::string> question = {"«", "qui", "?", "»", "l'", "ami", ":", "10", "%", "?", "!"};
  CHECK(french.join(question) == "« qui ? » l'ami : 10 % ?!");
  CHECK(english.join(question) == "«qui?» l'ami: 10%?!");
  CHECK(english.join({"he", "paid", "$", "5", "(", "cash", ")", ",", "or", "\"", "so", "\"", "."}) ==
        "he paid $5 (cash), or \"so\".");
  CHECK(english.join({"<unk>", "l'", "<unk>", ".", ""}) == "<unk> l'<unk>.");
  CHECK(english.join({"so", "...", ".", "."}) == "so... . .");  // run together they would be one token
  CHECK(english.join({"2", "p.m", "."}) == "2 p.m .");          // p.m. would be one token
  CHECK(english.join({}) == "");
}

TEST_CASE("tokenizer: join gives back forty well-typed sentences") {
  for (const std::string& sentence : english_sentences) CHECK(english.join(english.split(sentence)) == sentence);
  for (const std::string& sentence : french_sentences) CHECK(french.join(french.split(sentence)) == sentence);
}

TEST_CASE("tokenizer: splitting what was joined gives the same tokens, in both spacings") {
  for (const auto* list : {&english_sentences, &french_sentences})
    for (const std::string& sentence : *list)
      for (const Tokenizer& tokenizer : {english, french}) {
        std::vector<std::string> once = tokenizer.split(sentence);
        CHECK(tokenizer.split(tokenizer.join(once)) == once);
        CHECK(tokenizer.split(joined(once, " ")) == once);
      }
}

TEST_CASE("tokenizer: l' within single quotes is joined to its word") {
  for (const char* text : {"\"'l'ami'\"", "(‘s‘il)", "'d'or' et 'l'eau'", "' l' 'ami", "'qu'rqu'rg"})
    for (const Tokenizer& tokenizer : {english, french}) {
      CAPTURE(text);
      const std::vector<std::string> once = tokenizer.split(text);
      CHECK(tokenizer.split(tokenizer.join(once)) == once);
    }
}

TEST_CASE("tokenizer: random text of awkward characters: tokens hold no space, and joining undoes splitting") {
  const std::u32string alphabet =
      U"aLΣİqu19 .,'’\"-–:;?!%$€()[«»/&@_#\u00A0\u0301\u200D\u200B\u00AD👍🏽🇫你\n\x01";
  Generator random(7);
  for (int round = 0; round < 4000; ++round) {
    std::u32string text;
    for (int64_t i = random.below(30); i > 0; --i)
      text += alphabet[static_cast<size_t>(random.below(static_cast<int64_t>(alphabet.size())))];
    const std::vector<std::string> tokens = english.split(to_utf8(text));
    for (const std::string& token : tokens) {
      CHECK_FALSE(token.empty());
      for (char32_t c : code_points(token)) CHECK_FALSE(is_space(c));
    }
    for (const Tokenizer& tokenizer : {english, french}) {
      const std::string line = tokenizer.join(tokens);
      CAPTURE(line);
      CHECK(joined(tokenizer.split(line), " ") == joined(tokens, " "));
    }
  }
}

TEST_CASE("tokenizer: names") {
  for (const char* name : {"space", "words", "words-spaced"}) CHECK(Tokenizer::from_name(name).name() == name);
}

TEST_CASE("tokenizer: spacing is learned from a corpus") {
  CHECK(observed_spacing({"Qui ?", "Moi\u202F!", "Voilà: lui"}) == Spacing::spaced);
  CHECK(observed_spacing({"Who?", "Me!", "? !"}) == Spacing::tight);
  CHECK(observed_spacing({}) == Spacing::tight);
}
