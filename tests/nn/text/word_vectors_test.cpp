// Word vectors: to a file and back to the bit, and what other tools write.
#include "nn/text/word_vectors.h"

#include "nn/io/file.h"
#include "tensor/random.h"
#include "tests/nn/text/support.h"

using namespace heed;
using text_test::Folder;

TEST_CASE("word vectors: written and read, the same floats") {
  Folder folder;
  Generator rng(1);
  Tensor values = Tensor::uniform({3, 7}, rng, -1, 1);
  values.set({0, 0}, 1e-38), values.set({1, 1}, -3.4e38), values.set({2, 2}, 1.0 / 3), values.set({2, 3}, -0.0);
  std::string path = folder.path("vectors.txt");
  text::write_word_vectors(path, {{"l'", "économique", "1992"}, values});
  text::WordVectors back = text::read_word_vectors(path);
  CHECK(back.words == std::vector<std::string>{"l'", "économique", "1992"});
  CHECK(back.vectors.shape() == Shape{3, 7});
  CHECK(back.vectors.dtype() == DType::f32);
  CHECK(back.vectors.to_vector() == values.to_vector());
  std::string first = io::read_file(path);
  text::write_word_vectors(path, back);
  CHECK(io::read_file(path) == first);
}

TEST_CASE("word vectors: a word that no text file can hold is refused, and nothing is written") {
  Folder folder;
  const std::string path = folder.path("vectors.txt");
  CHECK_THROWS_AS(text::write_word_vectors(path, {{std::string("a\0b", 3)}, Tensor::ones({1, 2})}), ValueError);
  CHECK_FALSE(io::exists(path));
}

TEST_CASE("word vectors: the text itself") {
  Folder folder;
  std::string path = folder.path("vectors.txt");
  // A view: rows stand two apart.
  Tensor columns = Tensor::from(std::vector<float>{0.5F, 9, -1.25F, 9, 1e-5F, 9, 3, 9}, {2, 2, 2}).select(2, 0);
  text::write_word_vectors(path, {{"chair", "table"}, columns});
  CHECK(io::read_file(path) == "2 2\nchair 0.5 -1.25\ntable 1e-05 3\n");
}

TEST_CASE("word vectors: blanks at the ends of lines, as word2vec itself writes, and Windows line ends") {
  Folder folder;
  text::WordVectors table = text::read_word_vectors(folder.file("v.txt", "2 3\r\n</s> 1 2 3 \r\na,b -1e-3\t0 4 \r\n"));
  CHECK(table.words == std::vector<std::string>{"</s>", "a,b"});
  CHECK(table.vectors.at({1, 0}) == doctest::Approx(-0.001));
  CHECK(table.vectors.at({1, 2}) == 4);
}
