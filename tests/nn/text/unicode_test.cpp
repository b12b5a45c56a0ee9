// UTF-8 against the borders of the Unicode Standard's table 3-7; NFC, lower case and widths on known characters.
#include "nn/text/unicode.h"

#include "nn/io/json_scanner.h"
#include "nn/text/tokenizer.h"
#include "tensor/random.h"
#include "tests/nn/text/support.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::text;

TEST_CASE("unicode: the check of text and that of JSON agree, on long runs of malformed bytes too") {
  CHECK_FALSE(io::is_utf8(std::string(20, '\x80')));
  CHECK_FALSE(io::is_utf8("\xF8" + std::string(20, '\x80')));
  const std::string bytes = "a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xED\xEF\xF0\xF1\xF4\xF5\xF8\xFF";
  Generator random(3);
  int64_t disagree = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    for (int64_t i = random.below(14); i >= 0; --i)
      text += bytes[static_cast<size_t>(random.below(round % 3 == 0 ? 8 : static_cast<int64_t>(bytes.size())))];
    disagree += io::is_utf8(text) == invalid_utf8(text).has_value();
  }
  CHECK(disagree == 0);
}

TEST_CASE("unicode: every well-formed border is accepted and comes back from its code point") {
  struct Row {
    std::string bytes;
    char32_t code_point;
  };
  const Row rows[] = {{std::string(1, '\0'), 0},     {"\x7F", 0x7F},           {"\xC2\x80", 0x80},
                      {"\xDF\xBF", 0x7FF},           {"\xE0\xA0\x80", 0x800},  {"\xED\x9F\xBF", 0xD7FF},
                      {"\xEE\x80\x80", 0xE000},      {"\xEF\xBF\xBF", 0xFFFF}, {"\xF0\x90\x80\x80", 0x10000},
                      {"\xF4\x8F\xBF\xBF", 0x10FFFF}};
  for (const Row& row : rows) {
    CAPTURE(static_cast<uint32_t>(row.code_point));
    CHECK_FALSE(invalid_utf8(row.bytes).has_value());
    CHECK(code_points(row.bytes) == std::u32string(1, row.code_point));
    CHECK(to_utf8(std::u32string(1, row.code_point)) == row.bytes);
  }
}

TEST_CASE("unicode: malformed sequences are found at their first byte") {
  const std::string bad[] = {"\x80",              // a continuation alone
                             "\xBF",              //
                             "\xC0\x80",          // overlong NUL
                             "\xC1\xBF",          // overlong
                             "\xC3",              // cut short
                             "\xC3(",             // no continuation
                             "\xE0\x9F\xBF",      // overlong
                             "\xE2\x82",          // cut short
                             "\xED\xA0\x80",      // surrogate
                             "\xF0\x8F\xBF\xBF",  // overlong
                             "\xF4\x90\x80\x80",  // above U+10FFFF
                             "\xF5\x80\x80\x80",  //
                             "\xFF"};
  for (const std::string& bytes : bad) {
    CHECK(invalid_utf8(bytes) == std::optional<size_t>(0));
    CHECK(invalid_utf8("caf\xC3\xA9 " + bytes) == std::optional<size_t>(6));
    CHECK(code_points(bytes)[0] == U'\uFFFD');  // read without running over the end
  }
  CHECK_FALSE(invalid_utf8("").has_value());
  CHECK(to_utf8(U"\xD800") == "\uFFFD");
}

TEST_CASE("unicode: nfc composes, keeps what is composed, and refuses malformed text") {
  CHECK(nfc("e\u0301te\u0301") == "été");
  CHECK(nfc("été") == "été");
  CHECK(nfc("\u212B") == "Å");  // the Ångström sign is the letter
  CHECK(nfc("") == "");
}

TEST_CASE("unicode: lower case beyond ASCII") {
  CHECK(lower("ÀÉÎŒ ÇA Straße ΔΩ ДА 42!") == "àéîœ ça straße δω да 42!");
  CHECK(lower("bad \xFF") == "bad \uFFFD");
  CHECK(lower("ΟΔΟΣ ΣΟΦΟΣ, ΟΔΟΣ-ΑΣ Σ ΑΣ'Α ΑΣ\u0301. İĞNE") == "οδος σοφος, οδος-ας σ ασ'α ας\u0301. i\u0307ğne");
}

TEST_CASE("unicode: lower case is Python's, whatever the neighbours, in tokens as well") {
  std::ifstream file(source_dir() + "/tests/golden/lower_case.tsv");
  int64_t texts = 0;
  for (std::string line; std::getline(file, line); ++texts) {
    CAPTURE(line);
    const std::string text = line.substr(0, line.find('\t')), wanted = line.substr(text.size() + 1);
    CHECK(lower(text) == wanted);
    CHECK(lower(wanted) == wanted);
    CHECK(Tokenizer().split(text) == Tokenizer().split(wanted));
  }
  CHECK(texts == 200);
}

TEST_CASE("unicode: white space is Python's") {
  for (char32_t c :
       std::u32string(U"\t\n\v\f\r \u001C\u001F\u0085\u00A0\u1680\u2000\u2009\u200A\u2028\u2029\u202F\u205F\u3000"))
    CHECK_MESSAGE(is_space(c), static_cast<uint32_t>(c));
  for (char32_t c : std::u32string(U"a_\u200B\uFEFF\u180E\u001B")) CHECK_FALSE(is_space(c));
  CHECK(is_blank(" \t\u00A0\u202F"));
  CHECK(is_blank(""));
  CHECK_FALSE(is_blank(" . "));
}

TEST_CASE("unicode: kinds") {
  CHECK(kind_of(U'é') == CharKind::letter);
  CHECK(kind_of(U'你') == CharKind::letter);
  CHECK(kind_of(U'٣') == CharKind::digit);
  CHECK(kind_of(U'₂') == CharKind::digit);
  CHECK(kind_of(U'\u0301') == CharKind::mark);
  CHECK(kind_of(U'\u202F') == CharKind::space);
  CHECK(kind_of(U'\u001B') == CharKind::space);
  CHECK(kind_of(U'\u00AD') == CharKind::ignorable);
  CHECK(kind_of(U'«') == CharKind::other);
}

TEST_CASE("unicode: columns in a terminal") {
  CHECK(display_width("") == 0);
  CHECK(display_width("été") == 3);
  CHECK(display_width("e\u0301te\u0301") == 3);
  CHECK(display_width("你好") == 4);
  CHECK(display_width("👍🏽") == 2);            // with a skin tone
  CHECK(display_width("👩‍👩‍👧") == 2);  // a family is one picture
  CHECK(display_width("🇫🇷!") == 3);
  CHECK(display_width("❤\uFE0F") == 2);
  CHECK(display_width("a\u200Bb\x1B") == 2);
}

TEST_CASE("unicode: messages show any bytes safely") {
  CHECK(in_quotes("chat") == "\"chat\"");
  CHECK(in_quotes("a\x1B[2J\tb\xFF") == "\"a\\x1B[2J\\x09b\\xFF\"");
  CHECK(in_quotes("ééééé", 3) == "\"ééé...\"");
  CHECK(in_quotes("ééé", 3) == "\"ééé\"");
}
