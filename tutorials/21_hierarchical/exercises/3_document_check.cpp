// Hints and checks of exercise 21.3.
#include "tutorials/21_hierarchical/exercises/3_document.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Document;
using mine::Level;
using mine::Pooled;
using T = const Tensor&;
using L = const Level&;
using Counts = const std::vector<int64_t>&;

void examine(app::Exercise& e) {
  constexpr int64_t D = 3, A = 4;
  Generator rng(21);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  auto drawn = [&] { return Level{normal({A, D}), normal({A}), normal({A})}; };
  const Level of_words = drawn(), of_sentences = drawn();
  // The same with other operations: scores of padding -inf, for all sentences at once.
  auto expected = [](T x, T padding, L level) {  // x [.., n, D], padding bool [.., n] -> w [.., n]
    const Variable a = tanh(linear(Variable(x), Variable(level.W), Variable(level.b)));
    return softmax(masked_fill(matmul(a, Variable(level.u)), padding, -INFINITY), -1).value();
  };
  Level large = of_words;
  large.u = mul(large.u, 1000);  // scores of some thousand
  bool right = true;
  for (int64_t n : {5, 1}) {
    const Tensor x = normal({n, D});
    for (const auto& [name, parameters] : {std::pair{"", of_words}, {" with large scores", large}}) {
      const Tensor w =
          expected(x, Tensor::from_bools(std::vector<int>(static_cast<std::size_t>(n), 0), {n}), parameters);
      const Pooled ours = mine::one_level(x, parameters);
      right = e.check(fmt::format("the weights of one level of {} rows{}", n, name), ours.weights, w, 1e-12) && right;
      right = e.check(fmt::format("the vector of one level of {} rows{}", n, name), ours.vector, matmul(w, x), 1e-12) &&
              right;
    }
  }
  if (!right) return;  // documents are checked once a level is right
  for (const std::vector<int64_t>& counts : {std::vector<int64_t>{4, 2, 3}, {0, 5, 1, 0, 3, 0}, {0, 2}}) {
    const auto M = std::ssize(counts);
    constexpr int64_t kLongest = 5;
    const Tensor h = normal({M, kLongest, D});
    std::vector<int> no_word, no_sentence;
    for (int64_t n : counts) {
      no_sentence.push_back(n == 0);
      for (int64_t l = 0; l < kLongest; ++l) no_word.push_back(l >= n);
    }
    const Tensor w = expected(h, Tensor::from_bools(no_word, {M, kLongest}), of_words);
    const Tensor s = sum(mul(h, w.unsqueeze(2)), {1});
    const Tensor v = expected(s, Tensor::from_bools(no_sentence, {M}), of_sentences);
    const Document ours = mine::read_document(h, counts, of_words, of_sentences);
    const std::string with = fmt::format("of a document with {} sentences", M);
    e.check("the weights of the words " + with, ours.words, w, 1e-12);
    e.check("the weights of the sentences " + with, ours.sentences, v, 1e-12);
    e.check("the vector " + with, ours.vector, matmul(v, s), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("21", 3, "From words to a document");
  e.hint(
      "matmul(x, level.W.transpose(0, 1)) is [n, A]; add(.., level.b) adds b to each row; matmul(a, level.u) is [n].");
  e.hint("max(scores) and sum(exponentials) are tensors of shape [], which broadcast.");
  e.hint(
      "h.select(0, m).slice(0, 0, n) are the n words of sentence m, [n, D], and document.words.set({m, l}, w) writes.");
  e.hint(
      "A std::vector<Tensor> of the sentences' vectors; stack(vectors, 0) makes [M', D] of it. M' may be less than M.");
  e.insight(
      "The same few lines read words and sentences: a level needs to know only its rows and its learned query.\n"
      "What is left out of the rows needs no mask. On a batch, where all rows have one length, -inf does the same.",
      "./heed run 22");
  return e.run(argc, argv, examine);
}
