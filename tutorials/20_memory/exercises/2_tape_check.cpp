// Hints and checks of exercise 20.2.
#include "tutorials/20_memory/exercises/2_tape.h"

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Rows;
using mine::Summary;
using mine::Vector;
using std::size_t;

Summary expected(const Rows& h, const Rows& c, const Rows& keys, const Vector& q, const Vector& v, size_t tape) {
  Summary out{Vector(v.size(), 0), Vector(v.size(), 0)};
  double total = 0;
  for (size_t i = tape > 0 && h.size() > tape ? h.size() - tape : 0; i < h.size(); ++i) {
    double score = 0;
    for (size_t a = 0; a < v.size(); ++a) score += v[a] * std::tanh(keys[i][a] + q[a]);
    total += std::exp(score);
    for (size_t a = 0; a < v.size(); ++a) out.h[a] += std::exp(score) * h[i][a], out.c[a] += std::exp(score) * c[i][a];
  }
  for (size_t a = 0; a < v.size() && total > 0; ++a) out.h[a] /= total, out.c[a] /= total;
  return out;
}

void examine(app::Exercise& e) {
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
    Summary ours = mine::summary(h, c, keys, other[0], other[1], tape);
    Summary right = expected(h, c, keys, other[0], other[1], tape);
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
  return e.run(argc, argv, examine);
}
