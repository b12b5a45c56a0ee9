// Hints, common mistakes and checks of exercise 21.3.
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

struct Answer {
  Pooled (*one_level)(T, L);
  Document (*read_document)(T, Counts, L, L);
};

// The right answers with one part exchanged.
struct LevelParts {
  enum Scores { right, no_tanh, no_bias, no_query } scores = right;
  enum Softmax { of_scores, none, no_division, no_shift, of_features } softmax = of_scores;
  enum Vector { of_x, of_a, mean } vector = of_x;
};
template <LevelParts parts>
Pooled level_with(T x, L level) {
  Tensor z = matmul(x, level.W.transpose(0, 1));
  if (parts.scores != LevelParts::no_bias) z = add(z, level.b);
  const Tensor a = parts.scores == LevelParts::no_tanh ? z : tanh(z);
  const Tensor e = parts.scores == LevelParts::no_query ? sum(a, {1}) : matmul(a, level.u);
  Tensor w = softmax_rows(e);
  if (parts.softmax == LevelParts::none) w = e;
  if (parts.softmax == LevelParts::no_division) w = exp(sub(e, max(e)));
  if (parts.softmax == LevelParts::no_shift) w = div(exp(e), sum(exp(e)));
  if (parts.softmax == LevelParts::of_features) w = matmul(softmax_rows(a), level.u);
  Tensor y = matmul(w, parts.vector == LevelParts::of_a ? a : x);
  if (parts.vector == LevelParts::mean) y = div(y, static_cast<double>(x.size(0)));
  return {w, y};
}

struct ReadParts {
  enum Padding { left_out, words_count, zeroed_after, sentences_count, not_empty } padding = left_out;
  enum Places { own, first_ones } places = own;
  enum Document_ { weighted, sum_of, mean_of, of_last } document = weighted;
  bool one_set = false, exchanged = false, products = false, flat = false;
};
template <ReadParts parts, LevelParts of_level = LevelParts{}>
Document read_with(T h, Counts counts, L of_words, L of_sentences) {
  const int64_t M = h.size(0), length = h.size(1), D = h.size(2);
  auto zeros = [&](const Shape& shape) { return Tensor::zeros(shape, h.dtype()); };
  Document d{zeros({M, length}), zeros({M}), zeros({D})};
  auto level = level_with<of_level>;
  L first = parts.exchanged ? of_sentences : of_words;
  L second = parts.one_set || parts.exchanged ? of_words : of_sentences;
  std::vector<int64_t> places;
  std::vector<Tensor> vectors;
  for (int64_t m = 0; m < M; ++m) {
    const int64_t n = counts[static_cast<std::size_t>(m)];
    if (n == 0 && parts.padding != ReadParts::sentences_count) continue;
    const bool all = parts.padding == ReadParts::words_count || parts.padding == ReadParts::zeroed_after;
    Tensor words = h.select(0, m).slice(0, 0, all ? length : n), w = zeros({0}), s = zeros({D});
    if (n > 0) {
      const Pooled pooled = level(words, first);
      w = pooled.weights, s = pooled.vector;
      if (parts.padding == ReadParts::zeroed_after) w = w.slice(0, 0, n), s = matmul(w, words.slice(0, 0, n));
    }
    for (int64_t i = 0; i < w.size(0); ++i) d.words.set({m, i}, w.at({i}));
    places.push_back(m), vectors.push_back(s);
  }
  const Tensor sentences = stack(vectors, 0);
  const Pooled all = level(sentences, second);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int64_t to = parts.places == ReadParts::own ? places[i] : static_cast<int64_t>(i);
    d.sentences.set({to}, all.weights.at({static_cast<int64_t>(i)}));
  }
  d.vector = parts.document == ReadParts::sum_of    ? sum(sentences, {0})
             : parts.document == ReadParts::mean_of ? div(sum(sentences, {0}), static_cast<double>(vectors.size()))
             : parts.document == ReadParts::of_last ? vectors.back()
                                                    : all.vector;
  if (parts.products) d.words = mul(d.words, d.sentences.unsqueeze(1));
  return d;
}

Pooled open_level(T x, L) { return {Tensor::zeros({x.size(0)}, x.dtype()), Tensor::zeros({x.size(1)}, x.dtype())}; }
Document open_read(T h, Counts, L, L) {
  auto zeros = [&](const Shape& shape) { return Tensor::zeros(shape, h.dtype()); };
  return {zeros({h.size(0), h.size(1)}), zeros({h.size(0)}), zeros({h.size(2)})};
}
template <LevelParts parts>
constexpr Answer level{level_with<parts>, read_with<ReadParts{}, parts>};
template <ReadParts parts>
constexpr Answer read{level_with<LevelParts{}>, read_with<parts>};

const std::vector<app::Mistake<Answer>> mistakes{
    {"one_level is still open: its weights and its vector are 0. Fill it first", {open_level, open_read}},
    {"one_level is right; read_document is still open", {level_with<LevelParts{}>, open_read}},
    {"The tanh is missing: the scores are linear in x", level<LevelParts{.scores = LevelParts::no_tanh}>},
    {"The bias does not reach the tanh: a_i = tanh(W x_i + b). Added after it, b adds the same number to every score",
     level<LevelParts{.scores = LevelParts::no_bias}>},
    {"The learned query u is missing: the score is u . a_i, and not the sum of the elements of a_i",
     level<LevelParts{.scores = LevelParts::no_query}>},
    {"Your scores are used as weights: the softmax is missing", level<LevelParts{.softmax = LevelParts::none}>},
    {"Your weights do not sum to 1: divide the exponentials by their sum",
     level<LevelParts{.softmax = LevelParts::no_division}>},
    {"A large score overflows: subtract the largest score before exp",
     level<LevelParts{.softmax = LevelParts::no_shift}>},
    {"Your softmax is over the A features of each row: first make one score per row, then the softmax over the rows",
     level<LevelParts{.softmax = LevelParts::of_features}>},
    {"You added up the rows of a: a only decides the weights, what is added up are the rows of x",
     level<LevelParts{.vector = LevelParts::of_a}>},
    {"The weights are right and the vector is not: a weighted sum is not divided by n, the weights sum to 1",
     level<LevelParts{.vector = LevelParts::mean}>},
    {"Padded words get weight: give one_level the first counts[m] words only",
     read<ReadParts{.padding = ReadParts::words_count}>},
    {"The weights of padded words are set to 0 after the softmax, so those of the words do not sum to 1: leave padding "
     "out before it",
     read<ReadParts{.padding = ReadParts::zeroed_after}>},
    {"Sentences without words get weight: a vector of zeros has a score, too. Leave them out of the second level",
     read<ReadParts{.padding = ReadParts::sentences_count}>},
    {"The weights of the sentences are at the wrong places if a sentence before them has no words: remember m",
     read<ReadParts{.places = ReadParts::first_ones}>},
    {"Both levels use the parameters of the words: the sentences have their own", read<ReadParts{.one_set = true}>},
    {"The parameters of the two levels are exchanged", read<ReadParts{.exchanged = true}>},
    {"The document is the plain sum of its sentences: weight them by the second level",
     read<ReadParts{.document = ReadParts::sum_of}>},
    {"The document is the plain mean of its sentences: weight them by the second level",
     read<ReadParts{.document = ReadParts::mean_of}>},
    {"The document is its last sentence: weight all of them by the second level",
     read<ReadParts{.document = ReadParts::of_last}>},
    {"The weights of the words are multiplied by those of their sentences (exercise 1): here each row of `words` sums "
     "to 1",
     read<ReadParts{.products = true}>},
};

void examine(app::Exercise& e, const Answer& answer) {
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
      const Pooled ours = answer.one_level(x, parameters);
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
    const Document ours = answer.read_document(h, counts, of_words, of_sentences);
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
  return e.run(argc, argv, Answer{mine::one_level, mine::read_document}, examine, mistakes);
}
