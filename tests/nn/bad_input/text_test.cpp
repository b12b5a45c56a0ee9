// Specials that are none; byte-pair encoding: nothing to learn from, sizes that do not fit, files that are something
// else.
#include "nn/text/bpe.h"

#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("text: specials of a vocabulary") {
    refuses<ValueError>("vocabulary: a special must be one of <pad> <unk> <s> </s>; got \"[CLS]\"",
                        [] { text::Vocabulary().special("[CLS]"); });
    refuses<ValueError>("vocabulary: specials must be distinct, not blank, of one line and in UTF-8; got \"<s>\"",
                        [] { text::Vocabulary(text::WordCounts(), {.more_specials = {"<s>"}}); });
  }

  TEST_CASE("text: byte-pair encoding") {
    using Words = std::vector<std::string>;
    text::WordCounts low, empty;
    low.add({"low", "low"});
    empty.add({""});
    refuses<ValueError>("bpe: merges must be at least 0 and min_frequency at least 1; got -1 and 2",
                        [&] { text::Bpe::learn(low, {.merges = -1}); });
    refuses<ValueError>("bpe: merges must be at least 0 and min_frequency at least 1; got 10000 and 0",
                        [&] { text::Bpe::learn(low, {.min_frequency = 0}); });
    refuses<InputError>("bpe: there must be a word to learn from; got none", [] { text::Bpe::learn({}); });
    refuses<InputError>(
        "bpe: the vocabulary must have room for the 7 specials and characters of the text; got a size of 6",
        [&] { text::Bpe::learn(low, {.vocabulary_size = 6}); });
    refuses<ValueError>("bpe: a token must not be empty; got \"\"", [&] { text::Bpe::learn(empty); });
    refuses<ValueError>("bpe: a token must not be empty; got \"\"", [] { text::Bpe().segment({"a", ""}); });

    auto load = [](const Words& lines) { text::Bpe::from_lines(lines); };
    refuses<IoError>("load bpe: line 1 must be \"#version: 0.2\" or \"#version: heed 1, begin of word\"; got no line",
                     [&] { load({}); });
    refuses<IoError>("load bpe: line 1 must be \"#version: 0.2\" or \"#version: heed 1, begin of word\"; got \"e s\"",
                     [&] { load({"e s"}); });
    refuses<IoError>("load bpe: each line must be two symbols in UTF-8 with a space between; got \"es\" in line 3",
                     [&] {
                       load({"#version: 0.2", "e s", "es"});
                     });
    for (const char* line : {"e s t", " e s", "e ", "", "e \xFF", "e\ts"})
      CHECK_THROWS_AS(load({"#version: 0.2", line}), IoError);
  }
}
