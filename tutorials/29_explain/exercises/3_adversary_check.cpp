// Hints and checks of exercise 29.3.
#include "tutorials/29_explain/exercises/3_adversary.h"

#include <cmath>
#include <numeric>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Values = std::vector<double>;

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

Values farthest(const Values& w, const Values& z) {
  double y = dot(w, z), far = -1;
  Values best = w;
  for (size_t i = 0; i < z.size(); ++i)
    for (size_t j = 0; j < z.size(); ++j) {
      if (z[i] > y || z[j] < y) continue;
      Values v(z.size(), 0);
      v[j] = (y - z[i]) / (z[j] - z[i]);
      v[i] = 1 - v[j];
      if (double d = divergence(w, v); d > far) far = d, best = v;
    }
  return best;
}

void examine(app::Exercise& e) {
  Generator rng(2);
  for (size_t T : {4U, 7U, 9U}) {
    Values w(T), z(T);
    for (double& x : w) x = std::exp(2 * rng.normal());
    double total = std::accumulate(w.begin(), w.end(), 0.0);
    for (double& x : w) x /= total;
    for (double& x : z) x = 3 * rng.normal();
    Values v = mine::adversary(w, z), expected = farthest(w, z);
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
  return e.run(argc, argv, examine);
}
