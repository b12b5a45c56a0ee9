// Hints, common mistakes and checks of exercise 09.4.
#include "tutorials/09_one_vector/exercises/4_three_poolings.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/ops.h"
#include "nn/pooling/attention_pooling.h"
#include "nn/pooling/pool.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using T = const Tensor&;

// The right answer with one part exchanged.
struct Parts {
  enum Words { marked, all, first_ones } words = marked;
  enum Mean { by_n, by_S, not_divided, by_running } mean = by_n;
  enum Max { lowest_first, zero_first, zero_padding, with_padding, absolute } max = lowest_first;
  enum Weights { softmax, no_shift, zeroed_after, zero_scores, scores, not_divided_ } weights = softmax;
  enum Order { right, max_first, interleaved } order = right;
  enum Empty { zeros, not_tested } empty = zeros;
  bool attention_over_n = false, one_query_score = false, carried_over = false;
};
template <Parts parts>
Tensor pooled_with(T x, T words, T q) {
  const int64_t B = x.size(0), S = x.size(1), D = x.size(2);
  Tensor y = Tensor::zeros({B, 3 * D}, x.dtype());
  double total = 0;
  for (int64_t b = 0; b < B; ++b) {
    std::vector<int64_t> places;
    for (int64_t s = 0; s < S; ++s)
      if (parts.words == Parts::all || words.at({b, s}) != 0)
        places.push_back(parts.words == Parts::first_ones ? std::ssize(places) : s);
    if (places.empty() && parts.empty == Parts::zeros) continue;
    auto score = [&](int64_t s) {
      double e = 0;
      for (int64_t d = 0; d < D; ++d) e += q.at({d}) * x.at({b, s, d});
      return parts.one_query_score ? q.at({0}) * x.at({b, s, 0}) : e;
    };
    const bool padding_too = parts.weights == Parts::zeroed_after || parts.weights == Parts::zero_scores;
    auto score_or_0 = [&](int64_t s) { return parts.weights == Parts::zero_scores ? 0 : score(s); };  // of padding
    double largest = -INFINITY;
    for (int64_t s : places) largest = std::max(largest, score(s));
    for (int64_t s = 0; s < S; ++s)
      if (padding_too && words.at({b, s}) == 0) largest = std::max(largest, score_or_0(s));
    if (parts.weights == Parts::no_shift) largest = 0;
    std::vector<double> w;
    if (!parts.carried_over) total = 0;
    for (int64_t s : places) w.push_back(std::exp(score(s) - largest)), total += w.back();
    for (int64_t s = 0; s < S; ++s)
      if (padding_too && words.at({b, s}) == 0) total += std::exp(score_or_0(s) - largest);
    if (parts.weights == Parts::not_divided_) total = 1;
    const auto n = static_cast<double>(places.size());
    const bool padded = std::ssize(places) < S;
    const bool from_zero = parts.max == Parts::zero_first || (parts.max == Parts::zero_padding && padded);
    for (int64_t d = 0; d < D; ++d) {
      double sum = 0, running = 0, maximum = from_zero ? 0 : -INFINITY, attention = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double value = x.at({b, places[i], d});
        sum += value, running = (running + value) / (i == 0 ? 1 : 2);
        maximum = std::max(maximum, parts.max == Parts::absolute ? std::abs(value) : value);
        attention += (parts.weights == Parts::scores ? score(places[i]) : w[i] / total) * value;
      }
      if (parts.max == Parts::with_padding)
        for (int64_t s = 0; s < S; ++s) maximum = std::max(maximum, x.at({b, s, d}));
      if (parts.weights == Parts::zero_scores)  // the vectors of the padding are read as well
        for (int64_t s = 0; s < S; ++s)
          if (words.at({b, s}) == 0) attention += std::exp(-largest) / total * x.at({b, s, d});
      const double mean = parts.mean == Parts::by_S          ? sum / static_cast<double>(S)
                          : parts.mean == Parts::not_divided ? sum
                          : parts.mean == Parts::by_running  ? running
                                                             : sum / n;
      std::vector<double> three{mean, maximum, parts.attention_over_n ? attention / n : attention};
      if (parts.order == Parts::max_first) std::swap(three[0], three[1]);
      for (int64_t k = 0; k < 3; ++k)
        y.set({b, parts.order == Parts::interleaved ? 3 * d + k : k * D + d}, three[static_cast<std::size_t>(k)]);
    }
  }
  return y;
}

const std::vector<app::Mistake<decltype(&mine::three_poolings)>> mistakes{
    {"The gap is still open: all numbers are 0",
     [](T x, T, T) {
       return Tensor::zeros({x.size(0), 3 * x.size(2)}, x.dtype());
     }},
    {"Padding counts as words, in all three poolings: use positions where `words` is true",
     pooled_with<Parts{.words = Parts::all}>},
    {"You take the first n positions for the words: padding may be anywhere, so use the positions that are marked",
     pooled_with<Parts{.words = Parts::first_ones}>},
    {"The mean is divided by S: divide by the number of words of the sentence",
     pooled_with<Parts{.mean = Parts::by_S}>},
    {"The mean is a sum: divide it by the number of words of the sentence",
     pooled_with<Parts{.mean = Parts::not_divided}>},
    {"You halve the mean with each word, so that the last word counts most: add up first, divide once at the end",
     pooled_with<Parts{.mean = Parts::by_running}>},
    {"Your maximum starts at 0, which is too large where all values are negative: start at -INFINITY",
     pooled_with<Parts{.max = Parts::zero_first}>},
    {"The padding is set to 0 for the maximum, and 0 wins where all words are negative: leave the padding out",
     pooled_with<Parts{.max = Parts::zero_padding}>},
    {"Your maximum includes the padding", pooled_with<Parts{.max = Parts::with_padding}>},
    {"Your maximum is that of the absolute values: compare the values themselves",
     pooled_with<Parts{.max = Parts::absolute}>},
    {"A large score overflows: subtract the largest score before exp", pooled_with<Parts{.weights = Parts::no_shift}>},
    {"The weights of the words do not sum to 1: the sum of the exponentials includes the padding",
     pooled_with<Parts{.weights = Parts::zeroed_after}>},
    {"Padding has the score 0, and exp(0) is 1: leave its positions out of the softmax",
     pooled_with<Parts{.weights = Parts::zero_scores}>},
    {"Your scores are used as weights: the softmax is missing", pooled_with<Parts{.weights = Parts::scores}>},
    {"The weights do not sum to 1: divide the exponentials by their sum",
     pooled_with<Parts{.weights = Parts::not_divided_}>},
    {"The sum of the exponentials is not reset from one sentence to the next: set it to 0 for each",
     pooled_with<Parts{.carried_over = true}>},
    {"The score uses the first feature only: it is the sum of q_d x_sd over all d",
     pooled_with<Parts{.one_query_score = true}>},
    {"Attention is divided by the number of words: the weights sum to 1 already",
     pooled_with<Parts{.attention_over_n = true}>},
    {"The order is [max; mean; attention]: the mean is first", pooled_with<Parts{.order = Parts::max_first}>},
    {"The three numbers of each feature are side by side: write all D means first, then the maxima, then attention",
     pooled_with<Parts{.order = Parts::interleaved}>},
    {"A sentence without words gives 0 / 0 and a maximum of -infinity: leave its row at 0",
     pooled_with<Parts{.empty = Parts::not_tested}>},
};

void examine(app::Exercise& e, const decltype(&mine::three_poolings)& three_poolings) {
  constexpr int64_t B = 3, S = 5, D = 4;
  Generator rng(9);
  auto normal = [&](const Shape& shape, double mean) { return Tensor::normal(shape, rng, mean, 1, DType::f64); };
  nn::AttentionPooling attention({.score = {.name = "dot", .query = D, .key = D}, .learned = false}, rng);
  auto compare = [&](const std::string& name, T x, T words, T q) {
    const Tensor ours = three_poolings(x, words, q);
    if (!e.check("the shape for " + name, to_string(ours.shape()), to_string(Shape{B, 3 * D}))) return;
    const Variable query(q.expand({B, 1, D}).contiguous()), keys(x);
    const Tensor read = squeeze(attention.ask(query, keys, keys, words).context, 1).value();
    e.check("the mean for " + name, ours.slice(1, 0, D), nn::pool("mean", keys, words).value(), 1e-10);
    e.check("the maximum for " + name, ours.slice(1, D, 2 * D), nn::pool("max", keys, words).value(), 1e-10);
    e.check("attention for " + name, ours.slice(1, 2 * D, 3 * D), read, 1e-10);
  };
  const Tensor some = Tensor::from_bools({1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0}, {B, S});
  compare("sentences with padding", normal({B, S, D}, 0), some, normal({D}, 0));
  compare("negative values", normal({B, S, D}, -4), some, normal({D}, 0));
  compare("sentences without padding", normal({B, S, D}, -3), Tensor::from_bools(std::vector<int>(B * S, 1), {B, S}),
          normal({D}, 0));
  compare("large scores", normal({B, S, D}, 0), some, mul(normal({D}, 0), 1000));
  const Tensor last_empty = Tensor::from_bools({1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0}, {B, S});
  const Tensor ours = three_poolings(normal({B, S, D}, 0), last_empty, normal({D}, 0));
  e.check("the row of a sentence without words", ours.select(0, B - 1), Tensor::zeros({3 * D}, DType::f64), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 4, "Three poolings side by side");
  e.hint("words.at({b, s}) is 1 for a word and 0 for padding. Collect the s of the words in a std::vector<int64_t>.");
  e.hint("The softmax runs over the words only, so the padding needs no score: nothing has to be masked.");
  e.hint("The maximum starts at -INFINITY; std::max(maximum, x.at({b, s, d})).");
  e.hint("Reset all sums where a new sentence, or a new feature, begins.");
  e.insight(
      "Mean, maximum and attention share one loop: they differ in the weight that each word gets. What is left out of\n"
      "the loop needs no mask; a mask does the same when all sentences of a batch are computed at once.",
      "./heed run 10");
  return e.run(argc, argv, mine::three_poolings, examine, mistakes);
}
