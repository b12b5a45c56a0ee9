#include "tutorials/app/look_heads.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/random.h"

namespace heed::app {
namespace {

constexpr int kShuffles = 1000;
constexpr size_t kAtOnce = 64;  // answers in memory: each has a number for each word of the vocabulary
constexpr double kMuch = 0.4;   // of a row, on average, before a head is called after it

// The mean, over the rows that have such a place, of the weight at the places for which `is` holds.
template <class Is>
HeadFigure mass_at(const char* name, const Tensor& weights, const Tensor& scores, const Is& is) {
  const int64_t T = weights.size(0), S = weights.size(1);
  const float *w = weights.data<float>(), *e = scores.data<float>();
  double value = 0, control = 0;
  int64_t rows = 0;
  for (int64_t t = 0; t < T; ++t) {
    double mass = 0;
    int64_t places = 0, allowed = 0;
    for (int64_t s = 0; s < S; ++s) {
      if (!std::isfinite(e[t * S + s])) continue;
      ++allowed;
      if (is(t, s)) mass += w[t * S + s], ++places;
    }
    if (places == 0) continue;
    ++rows, value += mass, control += static_cast<double>(places) / static_cast<double>(allowed);
  }
  const double n = rows > 0 ? static_cast<double>(rows) : NAN;
  return {name, value / n, control / n};
}

std::vector<double> ranks_of(const std::vector<double>& x) {  // equal numbers share the mean of their ranks
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && x[order[end]] == x[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n, mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < a.size(); ++i)
    aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb), ab += (a[i] - ma) * (b[i] - mb);
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

std::vector<int64_t> chosen_words(const LookWords& words, int64_t asking, int64_t most) {
  const int64_t step = std::max<int64_t>(1, (words.size() + most - 1) / std::max<int64_t>(most, 1));
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < words.size(); i += step)
    if (i != asking) chosen.push_back(i);
  return chosen;
}

}  // namespace

HeadFigures figures_of(const LookAttention& attention, const Tensor& weights, const LookWords& queries,
                       const LookWords& keys, const Tensor& scores) {
  const bool self = attention.name != "cross";
  const int64_t T = weights.size(0), S = weights.size(1);
  HeadFigures out;
  auto mass = [&](const char* name, const auto& is) { out.all.push_back(mass_at(name, weights, scores, is)); };
  auto word = [](const LookWords& words, int64_t i) { return words.ids[static_cast<size_t>(i)]; };
  mass("previous word", [&](int64_t t, int64_t s) { return self && s == t - 1; });
  mass("next word", [&](int64_t t, int64_t s) { return self && s == t + 1; });
  mass("first word", [&](int64_t, int64_t s) { return s == 0; });
  mass("separator", [&](int64_t, int64_t s) { return s > 0 && keys.special[static_cast<size_t>(s)]; });
  mass("itself", [&](int64_t t, int64_t s) { return self && s == t; });
  mass("same word", [&](int64_t t, int64_t s) { return !(self && s == t) && word(queries, t) == word(keys, s); });
  HeadFigure distance{"distance"}, entropy{"entropy"};
  double most = 0;  // the largest entropy that the rows could have
  const float *w = weights.data<float>(), *e = scores.data<float>();
  for (int64_t t = 0; t < T; ++t) {
    double far = 0, bits = 0, all = 0;
    int64_t allowed = 0;
    for (int64_t s = 0; s < S; ++s) {
      if (!std::isfinite(e[t * S + s])) continue;
      const double p = w[t * S + s], d = std::fabs(static_cast<double>(t - s));
      ++allowed, far += p * d, all += d, bits -= p > 0 ? p * std::log2(p) : 0;
    }
    const double n = std::max<double>(1, static_cast<double>(allowed)), rows = static_cast<double>(T);
    distance.value += far / rows, distance.control += all / n / rows;
    entropy.value += bits / rows, entropy.control += bits / rows, most += std::log2(n) / rows;
  }
  if (!self) distance.value = distance.control = NAN;
  out.role = most > 0 && entropy.value > 0.9 * most ? "spread evenly" : "mixed";
  double largest = kMuch;
  for (const HeadFigure& one : out.all)
    if (one.value >= largest && one.value > 2 * one.control) largest = one.value, out.role = one.name;
  out.all.push_back(distance), out.all.push_back(entropy);
  return out;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  return a.empty() ? 0 : correlation(ranks_of(a), ranks_of(b));
}

Trust trust_of(const std::vector<double>& weights, const std::vector<double>& effects, uint64_t seed) {
  Trust out{.correlation = rank_correlation(weights, effects), .words = static_cast<int64_t>(weights.size())};
  if (weights.size() < 2) return out;
  std::vector<double> a = ranks_of(weights);
  const std::vector<double> b = ranks_of(effects);
  Generator dice(seed);
  int as_much = 0;
  for (int i = 0; i < kShuffles; ++i) {
    dice.shuffle(a);
    as_much += correlation(a, b) >= out.correlation - 1e-12;
  }
  out.shuffled = static_cast<double>(as_much) / kShuffles;
  return out;
}

Effects effects_of(const LookSubject& subject, int64_t most) {
  Effects out{.whole = subject.answer()};
  std::vector<LookWithout> cases;
  for (const LookAttention& one : subject.attentions())
    for (size_t layer = 0; layer < one.weights.size(); ++layer)
      for (int64_t head = 0; head < one.heads; ++head) {
        out.heads.push_back({.head = {one.name, static_cast<int64_t>(layer), head}});
        cases.push_back({.heads = {out.heads.back().head}});
      }
  for (int64_t i : chosen_words(subject.source(), subject.asks_target() ? -1 : subject.asking(), most)) {
    out.source.push_back({.word = i});
    cases.push_back({.source = {i}});
  }
  const LookWords& target_words = subject.model().recurrent ? LookWords() : subject.target();
  for (int64_t i : chosen_words(target_words, subject.asks_target() ? subject.asking() : -1, most)) {
    out.target.push_back({.word = i});
    cases.push_back({.target = {i}});
  }
  std::vector<Switched*> results;
  for (std::vector<Switched>* list : {&out.heads, &out.source, &out.target})
    for (Switched& one : *list) results.push_back(&one);
  for (size_t begin = 0; begin < cases.size(); begin += kAtOnce) {
    const auto first = cases.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<LookWithout> some(first,
                                        first + static_cast<std::ptrdiff_t>(std::min(kAtOnce, cases.size() - begin)));
    std::vector<LookAnswer> answers = subject.answers(some);
    for (size_t i = 0; i < some.size(); ++i)
      results[begin + i]->change = change(out.whole, answers[i]), results[begin + i]->best = std::move(answers[i].best);
  }
  return out;
}

std::vector<double> weights_on(const LookSubject& subject, const LookAttention& attention, const LookHead& head,
                               const std::vector<Switched>& hidden) {
  const Tensor weights = attention.weights[static_cast<size_t>(head.layer)].select(0, head.head).contiguous();
  const int64_t T = weights.size(0), S = weights.size(1);
  const bool asks = subject.asking() >= 0 && subject.asks_target() == attention.targets;
  std::vector<double> out;
  for (const Switched& one : hidden) {
    double sum = 0;
    for (int64_t t = asks ? subject.asking() : 0, end = asks ? t + 1 : T; t < end; ++t)
      sum += weights.data<float>()[t * S + one.word];
    out.push_back(sum / static_cast<double>(asks ? 1 : T));
  }
  return out;
}

}  // namespace heed::app
