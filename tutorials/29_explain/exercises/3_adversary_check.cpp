// Hints, common mistakes and checks of exercise 29.3.
#include "tutorials/29_explain/exercises/3_adversary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Values = std::vector<double>;
using Answer = std::function<Values(const Values& w, const Values& z)>;

double dot(const Values& a, const Values& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double entropy(const Values& p) {
  double h = 0;
  for (double x : p) h -= x > 0 ? x * std::log(x) : 0;
  return h;
}
double divergence(const Values& a, const Values& b) {
  Values m = a;
  for (size_t i = 0; i < m.size(); ++i) m[i] = (a[i] + b[i]) / 2;
  return entropy(m) - entropy(a) / 2 - entropy(b) / 2;
}

// What is maximised over the pairs, and the weight of word j.
using Distance = std::function<double(const Values& w, const Values& v, double gap)>;
using Share = std::function<double(double below, double above, double y)>;
double right_share(double below, double above, double y) { return (y - below) / (above - below); }

Answer search(Distance distance, Share share = right_share, bool neighbours = false) {
  return [distance, share, neighbours](const Values& w, const Values& z) {
    double y = dot(w, z), far = -1e300;
    Values best = w;
    for (size_t i = 0; i < z.size(); ++i)
      for (size_t j = 0; j < z.size(); ++j) {
        if (z[i] > y || z[j] < y || (neighbours && i + 1 != j && j + 1 != i)) continue;
        Values v(z.size(), 0);
        v[j] = share(z[i], z[j], y);
        v[i] = 1 - v[j];
        if (double d = distance(w, v, z[j] - z[i]); d > far) far = d, best = v;
      }
    return best;
  };
}
const Distance by_divergence = [](const Values& w, const Values& v, double) { return divergence(w, v); };

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open, or nothing was better than w itself: the result is w. Try all pairs of words",
     [](const Values& w, const Values&) { return w; }},
    {"You put all the weight on the word with the smallest weight: the answer changes. Two words are needed, one on "
     "each side of y",
     [](const Values& w, const Values&) {
       Values v(w.size(), 0);
       v[static_cast<size_t>(std::min_element(w.begin(), w.end()) - w.begin())] = 1;
       return v;
     }},
    {"You reverse the order of the weights: that is a permutation, and the answer changes",
     [](const Values& w, const Values&) { return Values(w.rbegin(), w.rend()); }},
    {"You give both words the weight 1/2: the weights must give the answer y, so v_j = (y - z_i) / (z_j - z_i)",
     search(by_divergence, [](double, double, double) { return 0.5; })},
    {"Your two weights are exchanged: the word whose z is nearer to y gets the larger weight",
     search(by_divergence, [](double a, double b, double y) { return 1 - right_share(a, b, y); })},
    {"You look for the weights nearest to w: keep the pair with the largest JSD",
     search([](const Values& w, const Values& v, double) { return -divergence(w, v); })},
    {"You keep the first pair that you find: compare the JSD of all pairs",
     search([far = 0.0](const Values&, const Values&, double) { return far; })},
    {"You keep the last pair that you find: compare the JSD of all pairs",
     [](const Values& w, const Values& z) {
       double count = 0;
       return search([&count](const Values&, const Values&, double) { return ++count; })(w, z);
     }},
    {"You keep the pair whose z differ most: what has to be large is the JSD of the weights",
     search([](const Values&, const Values&, double gap) { return gap; })},
    {"You try pairs of neighbouring words only: try all pairs", search(by_divergence, right_share, true)},
};

void examine(app::Exercise& e, const Answer& adversary) {
  Answer right = search(by_divergence);
  Generator rng(2);
  for (size_t T : {4U, 7U, 9U}) {
    Values w(T), z(T);
    for (double& x : w) x = std::exp(2 * rng.normal());
    double total = std::accumulate(w.begin(), w.end(), 0.0);
    for (double& x : w) x /= total;
    for (double& x : z) x = 3 * rng.normal();
    Values v = adversary(w, z), expected = right(w, z);
    e.check("the number of weights", static_cast<double>(v.size()), static_cast<double>(T), 0);
    if (v.size() != T) return;
    e.check("the answer", dot(v, z), dot(w, z), 1e-9);
    e.check("the weights", v, expected, 1e-9);
    e.check("their JSD", divergence(w, v), divergence(w, expected), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("29", 3, "The adversary's weights");
  e.hint("Two unknowns, two equations: v_i + v_j = 1 and v_i z_i + v_j z_j = y.");
  e.hint("v_j = (y - z_i) / (z_j - z_i). It is between 0 and 1 because z_i < y < z_j.");
  e.hint("For each pair, make v with T - 2 zeros, compute JSD(w, v), and keep the v with the largest.");
  e.insight(
      "The set of weights with the same answer has T - 2 dimensions: a heat map shows one point of it. Other weights\n"
      "exist for every model with more than two words, so their existence alone does not refute an explanation.",
      "./heed run 30");
  return e.run(argc, argv, Answer(mine::adversary), examine, mistakes);
}
