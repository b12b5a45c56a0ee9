// Word vectors in word2vec's text format: files that are something else, tables that no file can hold.
#include "nn/text/word_vectors.h"

#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("files: word vectors") {
    auto read = [](const char* contents) { text::read_word_vectors(file("v", contents)); };
    refuses<IoError>(
        "word vectors: the first line must be two numbers, how many words and how wide; got \"cat 0.5\" in \"~/v\"",
        [&] { read("cat 0.5\n"); });
    refuses<IoError>(
        "word vectors: the first line must be two numbers, how many words and how wide; got \"0 2\" in \"~/v\"",
        [&] { read("0 2\n"); });
    refuses<IoError>("word vectors: each line must be a word and 2 numbers; got \"cat 0.5\" in line 2 of \"~/v\"",
                     [&] { read("1 2\ncat 0.5\n"); });
    refuses<IoError>("word vectors: each line must be a word and 2 numbers; got \"\" in line 3 of \"~/v\"",
                     [&] { read("2 2\ncat 0.5 1\n\n"); });
    refuses<IoError>("word vectors: each line must be a word and 1 number; got \"cat nan\" in line 2 of \"~/v\"",
                     [&] { read("1 1\ncat nan\n"); });
    refuses<IoError>("word vectors: each line must be a word and 1 number; got \"cat 0,5\" in line 2 of \"~/v\"",
                     [&] { read("1 1\ncat 0,5\n"); });
    refuses<IoError>("word vectors: each line must be a word and 1 number; got \"cat 1e99\" in line 2 of \"~/v\"",
                     [&] { read("1 1\ncat 1e99\n"); });
    refuses<IoError>(
        "word vectors: each line must be a word and 9223372036854775807 numbers; got \"cat 1\" in line 2 of \"~/v\"",
        [&] { read("1 9223372036854775807\ncat 1\n"); });
    refuses<IoError>("word vectors: a word must come once; got \"cat\" again in line 3 of \"~/v\"",
                     [&] { read("2 1\ncat 1\ncat 2\n"); });
    refuses<IoError>("word vectors: there must be as many words as the first line says, 3; got 1 in \"~/v\"",
                     [&] { read("3 1\ncat 1\n"); });
    refuses<IoError>("read: the file must not be empty; got \"~/v\"", [&] { read(""); });

    using Words = std::vector<std::string>;
    auto write = [](const Words& words, const Tensor& t) { text::write_word_vectors(in_box("v"), {words, t}); };
    refuses<ShapeError>("word vectors: needs a row of numbers for each word; got 1 words and [2, 3]", [&] {
      write({"cat"}, ones({2, 3}));
    });
    refuses<ShapeError>("word vectors: needs a row of numbers for each word; got 0 words and no tensor",
                        [&] { write({}, {}); });
    refuses<ValueError>(
        "word vectors: words must be distinct, without white space and NUL bytes, in UTF-8; got \"a cat\"", [&] {
          write({"a cat"}, ones({1, 3}));
        });
    refuses<ValueError>(
        "word vectors: words must be distinct, without white space and NUL bytes, in UTF-8; got \"cat\"", [&] {
          write({"cat", "cat"}, ones({2, 3}));
        });
    refuses<ValueError>("word vectors: numbers must be finite; got inf for \"cat\"", [&] {
      write({"cat"}, Tensor::full({1, 1}, kInf));
    });
  }
}
