// Does it matter how a number is cut? A small language model learns to add numbers of three digits. Only the cut of the
// input changes; the answer is always written in digits, units first, so that carries come before they are needed.
//
// clang-format off
//                 input               answer        tokens for numbers
//   digits        4 7 1 + 3 8 5 =     6 5 8 0       10
//   two and one   47 1 + 38 5 =       6 5 8 0       100
//   whole         471 + 385 =         6 5 8 0       900; each in 3 of 1,500 sums
// clang-format on
//
// The sums that are asked for in the end do not occur in training. B sums, T tokens of a sum.
#pragma once

#include <array>
#include <functional>
#include <set>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/transformer/language_model.h"

namespace from_text {

namespace nn = heed::nn;

struct NumberCut {
  std::string name, shown;
  std::vector<int64_t> (*of)(int64_t number);  // 100 .. 999 -> tokens, from 0
  int64_t end, used;                           // the largest token plus 1; how many of them occur
};
inline const std::array<NumberCut, 3>& number_cuts() {
  static const std::array<NumberCut, 3> cuts{{
      {"digits", "4 7 1",
       [](int64_t n) {
         return std::vector<int64_t>{n / 100, n / 10 % 10, n % 10};
       },
       10, 10},
      {"two and one", "47 1",
       [](int64_t n) {
         return std::vector<int64_t>{n / 10, n % 10};
       },
       100, 100},
      {"whole", "471", [](int64_t n) { return std::vector<int64_t>{n - 100}; }, 900, 900},
  }};
  return cuts;
}

using Sum = std::array<int64_t, 2>;
// Tokens of the model: 0 padding (there is none), 1 .. 10 the digits of answers, 11 +, 12 =, then those of numbers.
constexpr int64_t kPlus = 11, kEquals = 12, kNumbers = 13, kAnswer = 4;

struct SumBatch {
  heed::Tensor words, answers;  // [B, T] i64; answers: the token after each word, 0 where it does not count
};
inline SumBatch batch_of(const std::vector<Sum>& sums, const NumberCut& cut) {
  std::vector<int64_t> words, answers;
  for (const Sum& sum : sums) {
    std::vector<int64_t> line;
    for (int64_t token : cut.of(sum[0])) line.push_back(kNumbers + token);
    line.push_back(kPlus);
    for (int64_t token : cut.of(sum[1])) line.push_back(kNumbers + token);
    line.push_back(kEquals);
    const size_t asked = line.size();
    for (int64_t place = 0, rest = sum[0] + sum[1]; place < kAnswer; ++place, rest /= 10) line.push_back(1 + rest % 10);
    for (size_t t = 0; t + 1 < line.size(); ++t) {
      words.push_back(line[t]);
      answers.push_back(t + 1 < asked ? 0 : line[t + 1]);
    }
  }
  const auto B = static_cast<int64_t>(sums.size()), T = static_cast<int64_t>(words.size()) / B;
  return {heed::Tensor::from(words, {B, T}), heed::Tensor::from(answers, {B, T})};
}

struct AdditionSetting {
  int64_t sums = 1500, steps = 1500, batch = 32, width = 48, tested = 400;
  double rate = 4e-3;
  uint64_t seed = 1;
};
struct Added {
  double trained = 0, asked = 0;  // sums with all digits right, in %
  int64_t parameters = 0;
};

// Sums whose digits are all the most probable ones, in %.
inline double sums_right(const nn::LanguageModel& model, const std::vector<Sum>& sums, const NumberCut& cut) {
  heed::NoGrad no_graph;
  nn::Evaluating evaluating;
  const SumBatch b = batch_of(sums, cut);
  const heed::Tensor best = argmax(model(b.words).value(), -1);  // [B, T]
  const int64_t *wanted = b.answers.data<int64_t>(), *found = best.data<int64_t>(), T = b.words.size(1);
  int64_t right = 0;
  for (int64_t i = 0; i < b.words.size(0); ++i) {
    bool all = true;
    for (int64_t t = i * T; t < (i + 1) * T; ++t) all = all && (wanted[t] == 0 || wanted[t] == found[t]);
    right += all;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(sums.size());
}

inline Added add(const NumberCut& cut, const AdditionSetting& s, const std::function<void()>& after_step) {
  heed::Generator first(s.seed, 1 << 20), drawn(s.seed, 1 << 21);
  std::set<Sum> known;
  auto fresh = [&](int64_t count) {
    std::vector<Sum> sums;
    while (std::ssize(sums) < count) {
      const Sum sum{100 + drawn.below(900), 100 + drawn.below(900)};
      if (known.insert(sum).second) sums.push_back(sum);
    }
    return sums;
  };
  const std::vector<Sum> trained = fresh(s.sums), asked = fresh(s.tested);
  nn::TransformerOptions o{.target_vocabulary = kNumbers + cut.end,
                           .model = s.width,
                           .heads = 4,
                           .inner = 4 * s.width,
                           .decoder_layers = 2,
                           .norm_first = true,
                           .dropout = 0,
                           .tie = "target"};
  o.positions = "learned";
  nn::LanguageModel model(o, first);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = s.rate});
  nn::WarmupCosine schedule({.peak = s.rate, .warmup = std::max<int64_t>(1, s.steps / 20), .total = s.steps});
  for (int64_t step = 0; step < s.steps; ++step) {
    std::vector<Sum> sums;
    for (int64_t i = 0; i < s.batch; ++i) sums.push_back(trained[static_cast<size_t>(drawn.below(s.sums))]);
    const SumBatch b = batch_of(sums, cut);
    adam.zero_grad();
    backward(cross_entropy(model(b.words), b.answers, {.ignore_index = 0}));
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step(schedule);
    after_step();
  }
  const std::vector<Sum> some(trained.begin(), trained.begin() + std::min(s.tested, s.sums));
  Added result{sums_right(model, some, cut), sums_right(model, asked, cut), 0};
  for (const heed::NamedVariable& p : nn::named_parameters(model)) result.parameters += p.variable.value().count();
  return result;
}

}  // namespace from_text
