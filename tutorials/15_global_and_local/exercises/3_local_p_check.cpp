// Hints, common mistakes and checks of exercise 15.3.
#include "tutorials/15_global_and_local/exercises/3_local_p.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/attention/attention.h"
#include "nn/attention/scopes/local_p.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Read;
using T = const Tensor&;

// The right answer with one part exchanged.
struct Parts {
  enum Centre { right, share, padded, no_tanh } centre = right;
  enum Window { rounded, floored, without_end, to_padding, everything } window = rounded;
  enum Softmax { of_window, of_words, none } softmax = of_window;
  enum Gaussian { around_p, around_round, no_gaussian, no_two, on_scores } gaussian = around_p;
  enum Sigma { half, whole, integer, squared } sigma = half;
  bool again = false, context_of_u = false, mean = false;
};
template <Parts parts>
Read read_with(T q, T h, T W, T v, int64_t n, int64_t D) {
  const int64_t S = h.size(0);
  const Tensor hidden = matmul(W, q);
  const double z = matmul(v, parts.centre == Parts::no_tanh ? hidden : tanh(hidden)).item();
  const double length = parts.centre == Parts::share    ? 1
                        : parts.centre == Parts::padded ? static_cast<double>(S)
                                                        : static_cast<double>(n);
  const double p = length / (1 + std::exp(-z));
  const auto middle = parts.window == Parts::floored ? static_cast<int64_t>(p) : std::lround(p);
  const bool wide = parts.window == Parts::everything;
  const int64_t first = wide ? 0 : std::max<int64_t>(middle - D, 0), last = wide ? n : middle + D + 1;
  const int64_t end = std::min(last - (parts.window == Parts::without_end), parts.window == Parts::to_padding ? S : n);
  const double sigma = parts.sigma == Parts::whole     ? static_cast<double>(D)
                       : parts.sigma == Parts::integer ? static_cast<double>(std::max<int64_t>(D / 2, 1))
                       : parts.sigma == Parts::squared ? std::sqrt(static_cast<double>(D) / 2)
                                                       : static_cast<double>(D) / 2;
  auto factor = [&](int64_t s) {
    if (parts.gaussian == Parts::no_gaussian) return 1.0;
    const double d = static_cast<double>(s) - (parts.gaussian == Parts::around_round ? static_cast<double>(middle) : p);
    return std::exp(-d * d / ((parts.gaussian == Parts::no_two ? 1 : 2) * sigma * sigma));
  };
  std::vector<double> e = matmul(h, q).to_vector();
  if (parts.gaussian == Parts::on_scores)
    for (int64_t s = 0; s < S; ++s) e[static_cast<std::size_t>(s)] *= factor(s);
  const bool over_words = parts.softmax == Parts::of_words;
  double total = 0, sum = 0;
  for (int64_t s = over_words ? 0 : first; s < (over_words ? n : end); ++s)
    total += std::exp(e[static_cast<std::size_t>(s)]);
  Read read{p, Tensor::zeros({S}, h.dtype()), Tensor::zeros({q.size(0)}, h.dtype())};
  for (int64_t s = first; s < end; ++s) {
    const double score = e[static_cast<std::size_t>(s)];
    const double u = parts.softmax == Parts::none ? score : std::exp(score) / total;
    const double w = parts.gaussian == Parts::on_scores ? u : u * factor(s);
    read.weights.set({s}, w), sum += w;
    add_into(read.context, h.select(0, s), parts.context_of_u ? u : w);
  }
  if (parts.again) scale_into(read.weights, 1 / sum), scale_into(read.context, 1 / sum);
  if (parts.mean) scale_into(read.context, 1 / static_cast<double>(end - first));
  return read;
}

const std::vector<app::Mistake<decltype(&mine::local_p)>> mistakes{
    {"The gap is still open: the centre, the weights and the context are 0",
     [](T q, T h, T, T, int64_t, int64_t) {
       return Read{0, Tensor::zeros({h.size(0)}, h.dtype()), Tensor::zeros({q.size(0)}, h.dtype())};
     }},
    {"Your centre lies between 0 and 1: multiply the sigmoid by the number of words",
     read_with<Parts{.centre = Parts::share}>},
    {"Your centre counts the padding: multiply the sigmoid by n, and not by S",
     read_with<Parts{.centre = Parts::padded}>},
    {"The tanh is missing from the centre: p = n sigmoid(v . tanh(W q))", read_with<Parts{.centre = Parts::no_tanh}>},
    {"You round the centre down: a conversion to an integer cuts the fraction off, std::lround rounds to the nearest",
     read_with<Parts{.window = Parts::floored}>},
    {"Your window is one position short on the right: |s - round(p)| <= D includes both ends, 2 D + 1 positions",
     read_with<Parts{.window = Parts::without_end}>},
    {"Padding gets weight: the window ends at the last word, n - 1", read_with<Parts{.window = Parts::to_padding}>},
    {"Every word gets weight: only the positions of the window may, and the softmax runs over them",
     read_with<Parts{.window = Parts::everything}>},
    {"Your softmax runs over all words and is cut to the window afterwards: leave the others out of the sum of the "
     "exponentials",
     read_with<Parts{.softmax = Parts::of_words}>},
    {"Your scores are used as weights: the softmax is missing", read_with<Parts{.softmax = Parts::none}>},
    {"Your Gaussian is centred at round(p): it must be centred at p itself, or no gradient would reach p",
     read_with<Parts{.gaussian = Parts::around_round}>},
    {"The Gaussian is missing: within the window the weights do not depend on the distance from p",
     read_with<Parts{.gaussian = Parts::no_gaussian}>},
    {"The 2 of 2 sigma^2 is missing: your Gaussian is too narrow", read_with<Parts{.gaussian = Parts::no_two}>},
    {"You multiply the scores by the Gaussian: a score near 0 is not a weight near 0. Multiply the weights, after the "
     "softmax",
     read_with<Parts{.gaussian = Parts::on_scores}>},
    {"Your sigma is D: it is D / 2", read_with<Parts{.sigma = Parts::whole}>},
    {"Your sigma is rounded down: D / 2 of two integers drops the half. Convert D to double first",
     read_with<Parts{.sigma = Parts::integer}>},
    {"You divide by 2 sigma, and not by 2 sigma^2: square sigma", read_with<Parts{.sigma = Parts::squared}>},
    {"You normalised the weights again after the Gaussian: a row of local-p sums to less than 1",
     read_with<Parts{.again = true}>},
    {"The weights are right and the context is not: it is the sum of w_s h_s, with the Gaussian in w_s",
     read_with<Parts{.context_of_u = true}>},
    {"The weights are right and the context is not: you divided it by the number of positions, but it is a sum",
     read_with<Parts{.mean = true}>},
};

void examine(app::Exercise& e, const decltype(&mine::local_p)& local_p) {
  constexpr int64_t S = 14, N = 3;
  struct Case {
    int64_t n, D;
    double z;  // the length of v, which moves the centre
  };
  Generator rng(4);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  for (const Case& c : {Case{11, 3, 0.5}, Case{9, 2, 6}, Case{12, 3, -6}, Case{14, 1, 0.2}}) {
    nn::Attention theirs({.score = {.name = "dot", .query = N, .key = N},
                          .scope = {.name = "local_p", .query = N, .settings = {{"window", c.D}}}},
                         rng);
    nn::convert(theirs, DType::f64);
    auto& scope = dynamic_cast<nn::LocalPScope&>(*theirs.scope);
    const Tensor q = normal({N}), h = normal({S, N}), W = normal({N, N});
    const Tensor hidden = tanh(matmul(W, q));
    const Tensor v = mul(hidden, c.z / matmul(hidden, hidden).item());  // v . tanh(W q) = z
    scope.hidden.weight.set_value(W), scope.v.weight.set_value(v.unsqueeze(0));
    const Tensor words = Tensor::from(std::vector<int64_t>{c.n}, {1});
    const Variable keys(h.unsqueeze(0));
    const nn::Attended expected = theirs(Variable(q.view({1, 1, N})), theirs.remember(keys, keys, words));
    const Read ours = local_p(q, h, W, v, c.n, c.D);
    const std::string with = fmt::format("of {} words with D = {}", c.n, c.D);
    e.check("the centre " + with, ours.centre, static_cast<double>(c.n) / (1 + std::exp(-c.z)), 1e-12);
    e.check("the weights " + with, ours.weights, expected.weights.value().view({S}), 1e-12);
    e.check("the context " + with, ours.context, expected.context.value().view({N}), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("15", 3, "Local attention with a predicted centre");
  e.hint("p = n / (1 + exp(-z)) with z = matmul(v, tanh(matmul(W, q))).item().");
  e.hint("first = max(round(p) - D, 0) and end = min(round(p) + D + 1, n): the window is [first, end).");
  e.hint("h.slice(0, first, end) are the rows of the window, and matmul(rows, q).to_vector() their scores.");
  e.hint("sigma = D / 2.0, with the point: D is an integer. The distance of position s is s - p, with p not rounded.");
  e.hint("add_into(read.context, h.select(0, s), w) adds w times row s.");
  e.insight(
      "The window decides which positions are read, and has no gradient; the Gaussian moves the weight within it, and\n"
      "through it the centre learns. Only 2 D + 1 scores are needed, however long the source is.",
      "./heed run 16");
  return e.run(argc, argv, mine::local_p, examine, mistakes);
}
