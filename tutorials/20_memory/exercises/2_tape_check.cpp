// Hints, common mistakes and checks of exercise 20.2.
#include "tutorials/20_memory/exercises/2_tape.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Rows;
using mine::Summary;
using mine::Vector;
using std::size_t;

struct Parts {
  enum Window { last, first, all, one_less } window = last;
  enum Score { additive, no_tanh, tanh_outside, product, no_query } score = additive;
  enum Weights { softmax, raw, even, hard } weights = softmax;
  enum Cells { weighted, newest, h_again } cells = weighted;
};
template <Parts parts>
Summary summary_with(const Rows& h, const Rows& c, const Rows& keys, const Vector& q, const Vector& v, size_t tape) {
  const size_t N = v.size(), n = h.size();
  Summary out{Vector(N, 0), Vector(N, 0)};
  size_t from = tape > 0 && n > tape ? n - tape : 0, to = n;
  if (parts.window == Parts::first && tape > 0) from = 0, to = std::min(n, tape);
  if (parts.window == Parts::all) from = 0;
  if (parts.window == Parts::one_less && from > 0) --from;
  Vector e;
  for (size_t i = from; i < to; ++i) {
    double x = 0, inside = 0;
    for (size_t a = 0; a < N; ++a) {
      const double z = keys[i][a] + (parts.score == Parts::no_query ? 0 : q[a]);
      inside += v[a] * z;
      if (parts.score == Parts::product)
        x += keys[i][a] * q[a];
      else
        x += v[a] * (parts.score == Parts::no_tanh ? z : std::tanh(z));
    }
    e.push_back(parts.score == Parts::tanh_outside ? std::tanh(inside) : x);
  }
  double total = 0;
  size_t best = 0;
  for (size_t i = 0; i < e.size(); ++i) best = e[i] > e[best] ? i : best;
  for (size_t i = 0; i < e.size(); ++i) {
    if (parts.weights == Parts::softmax) e[i] = std::exp(e[i]);
    if (parts.weights == Parts::even) e[i] = 1;
    if (parts.weights == Parts::hard) e[i] = i == best ? 1e30 : 1e-30;
    total += e[i];
  }
  if (parts.weights == Parts::raw) total = 1;
  for (size_t i = from; i < to; ++i)
    for (size_t a = 0; a < N; ++a) {
      out.h[a] += e[i - from] / total * h[i][a];
      out.c[a] += e[i - from] / total * c[i][a];
    }
  if (parts.cells == Parts::newest && n > 0) out.c = c.back();
  if (parts.cells == Parts::h_again) out.c = out.h;
  return out;
}

const std::vector<app::Mistake<decltype(&mine::summary)>> mistakes{
    {"The gap is still open: both summaries are 0",
     [](const Rows&, const Rows&, const Rows&, const Vector&, const Vector& v, size_t) {
       return Summary{Vector(v.size(), 0), Vector(v.size(), 0)};
     }},
    {"You kept the first `tape` states: the last ones are kept", summary_with<Parts{.window = Parts::first}>},
    {"You ignore `tape`: only the last `tape` states are read, or all if it is 0",
     summary_with<Parts{.window = Parts::all}>},
    {"You read one state too many: a tape of n entries has exactly the last n states",
     summary_with<Parts{.window = Parts::one_less}>},
    {"The tanh is missing between the sum and v", summary_with<Parts{.score = Parts::no_tanh}>},
    {"You applied the tanh after the product with v: it comes before, on each of the N numbers",
     summary_with<Parts{.score = Parts::tanh_outside}>},
    {"Your score is the product of key and query: it is v . tanh(key + query)",
     summary_with<Parts{.score = Parts::product}>},
    {"The query is not in your scores: the same states would be read at each step",
     summary_with<Parts{.score = Parts::no_query}>},
    {"The softmax is missing: the scores themselves are used as weights", summary_with<Parts{.weights = Parts::raw}>},
    {"All states have the same weight: the weights are the softmax of the scores",
     summary_with<Parts{.weights = Parts::even}>},
    {"You take the state with the largest score: the summary is a weighted mean",
     summary_with<Parts{.weights = Parts::hard}>},
    {"h~ is right, but c~ is the newest cell: it is the mean of all cells, with the same weights as h~",
     summary_with<Parts{.cells = Parts::newest}>},
    {"Your c~ is the mean of the h: sum the c with the same weights", summary_with<Parts{.cells = Parts::h_again}>},
};

void examine(app::Exercise& e, const decltype(&mine::summary)& summary) {
  auto check = [&](const std::string& what, size_t n, size_t N, size_t tape) {
    Generator rng(n * 10 + N);
    auto rows = [&](size_t count) {
      Rows r(count, Vector(N));
      for (auto& row : r)
        for (double& x : row) x = rng.normal();
      return r;
    };
    Rows h = rows(n), c = rows(n), keys = rows(n), other = rows(2);
    for (double& x : other[1]) x *= 2;
    Summary ours = summary(h, c, keys, other[0], other[1], tape);
    Summary right = summary_with<Parts{}>(h, c, keys, other[0], other[1], tape);
    e.check("h~ of " + what + ", element ", ours.h, right.h, 1e-12);
    e.check("c~ of " + what + ", element ", ours.c, right.c, 1e-12);
  };
  check("five states of width 3", 5, 3, 0);
  check("seven states of which the last three are kept", 7, 4, 3);
  check("a tape of one entry, which is an LSTM", 4, 5, 1);
  check("an empty tape", 0, 3, 2);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("20", 2, "The summary of an LSTMN");
  e.hint("The first index that is read is h.size() - tape if tape is positive and smaller than h.size(), else 0.");
  e.hint("Compute the weights once and use them for both sums.");
  e.insight(
      "With one entry the weight is 1, whatever the scores are: the LSTMN is then an LSTM.\n"
      "With all entries a state can reach any earlier one in a single step.",
      "./heed exercise 20 3");
  return e.run(argc, argv, mine::summary, examine, mistakes);
}
