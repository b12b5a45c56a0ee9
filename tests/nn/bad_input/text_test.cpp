// What texts refuse: specials that are none; byte-pair encodings and word vectors whose files are something else.
#include "nn/text/bpe.h"

#include "nn/text/word_vectors.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("text: specials of a vocabulary") {
  refuses("vocabulary: pad unk s /s got [CLS]", [] { text::Vocabulary().special("[CLS]"); });
  refuses("vocabulary: got s", [] { text::Vocabulary(text::WordCounts(), {.more_specials = {"<s>"}}); });
}

TEST_CASE("text: byte-pair encoding") {
  using Words = std::vector<std::string>;
  text::WordCounts low, empty;
  low.add({"low", "low"});
  empty.add({""});
  refuses("bpe: 0 min_frequency 1 got -1 2", [&] { text::Bpe::learn(low, {.merges = -1}); });
  refuses("bpe: 0 min_frequency 1 got 10000 0", [&] { text::Bpe::learn(low, {.min_frequency = 0}); });
  refuses<InputError>("bpe: learn got", [] { text::Bpe::learn({}); });
  refuses<InputError>("bpe: vocabulary 7 got 6", [&] { text::Bpe::learn(low, {.vocabulary_size = 6}); });
  refuses("bpe: token got", [&] { text::Bpe::learn(empty); });
  refuses("bpe: token got", [] { text::Bpe().segment({"a", ""}); });

  auto load = [](const Words& lines) { text::Bpe::from_lines(lines); };
  refuses<IoError>("load bpe: 1 #version 0.2 #version heed 1 begin of word got line", [&] { load({}); });
  refuses<IoError>("load bpe: 1 #version 0.2 #version heed 1 begin of word got e s", [&] { load({"e s"}); });
  refuses<IoError>("load bpe: got es 3", [&] { load({"#version: 0.2", "e s", "es"}); });
  for (const char* line : {"e s t", " e s", "e ", "", "e \xFF", "e\ts"})
    CHECK_THROWS_AS(load({"#version: 0.2", line}), IoError);
}

TEST_CASE("files: word vectors") {
  auto read = [](const char* contents) { text::read_word_vectors(file("v", contents)); };
  refuses<IoError>("word vectors: wide got cat 0.5 ~/v", [&] { read("cat 0.5\n"); });
  refuses<IoError>("word vectors: wide got 0 2 ~/v", [&] { read("0 2\n"); });
  refuses<IoError>("word vectors: each 2 got cat 0.5 2 ~/v", [&] { read("1 2\ncat 0.5\n"); });
  refuses<IoError>("word vectors: each 2 got 3 ~/v", [&] { read("2 2\ncat 0.5 1\n\n"); });
  refuses<IoError>("word vectors: 1 number got cat nan 2 ~/v", [&] { read("1 1\ncat nan\n"); });
  refuses<IoError>("word vectors: each 1 got cat 0,5 2 ~/v", [&] { read("1 1\ncat 0,5\n"); });
  refuses<IoError>("word vectors: 1 number got cat 1e99 2 ~/v", [&] { read("1 1\ncat 1e99\n"); });
  refuses<IoError>("word vectors: each 9223372036854775807 got cat 1 2 ~/v",
                   [&] { read("1 9223372036854775807\ncat 1\n"); });
  refuses<IoError>("word vectors: come got cat 3 ~/v", [&] { read("2 1\ncat 1\ncat 2\n"); });
  refuses<IoError>("word vectors: says 3 got 1 ~/v", [&] { read("3 1\ncat 1\n"); });
  refuses<IoError>("read: got ~/v", [&] { read(""); });

  using Words = std::vector<std::string>;
  auto write = [](const Words& words, const Tensor& t) { text::write_word_vectors(in_box("v"), {words, t}); };
  refuses<ShapeError>("word vectors: got 1 [2, 3]", [&] { write({"cat"}, ones({2, 3})); });
  refuses<ShapeError>("word vectors: got 0 tensor", [&] { write({}, {}); });
  refuses("word vectors: got a cat", [&] { write({"a cat"}, ones({1, 3})); });
  refuses("word vectors: distinct got cat", [&] { write({"cat", "cat"}, ones({2, 3})); });
  refuses("word vectors: numbers got inf cat", [&] { write({"cat"}, Tensor::full({1, 1}, kInf)); });
}
