// Hints and checks of exercise 32.1.
#include "tutorials/32_without_softmax/exercises/1_chunk.h"

#include <fmt/format.h>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Numbers, mine::Rows;

Rows drawn(std::size_t rows, std::size_t columns, Generator& rng) {
  Rows out(rows, Numbers(columns));
  for (Numbers& row : out)
    for (double& x : row) x = rng.normal();
  return out;
}
Numbers flat(const Rows& rows) {
  Numbers out;
  for (const Numbers& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// Word by word.
Rows one_by_one(Rows& S, const Rows& q, const Rows& k, const Rows& v, double g) {
  Rows o(q.size(), Numbers(S[0].size(), 0.0));
  for (std::size_t t = 0; t < q.size(); ++t)
    for (std::size_t c = 0; c < S[0].size(); ++c)
      for (std::size_t r = 0; r < S.size(); ++r) {
        S[r][c] = g * S[r][c] + k[t][r] * v[t][c];
        o[t][c] += q[t][r] * S[r][c];
      }
  return o;
}

void examine(app::Exercise& e) {
  constexpr std::size_t K = 3, V = 2;
  for (auto [C, g] : {std::pair{std::size_t{1}, 0.5}, {std::size_t{4}, 0.75}, {std::size_t{5}, 1.0}}) {
    Generator rng(32 + C);
    Rows mine = drawn(K, V, rng), expected = mine;
    for (int chunk : {1, 2}) {
      const Rows q = drawn(C, K, rng), k = drawn(C, K, rng), v = drawn(C, V, rng);
      const std::string where = fmt::format("chunk {} of {} words, g = {}: ", chunk, C, g);
      const Rows wanted = one_by_one(expected, q, k, v, g), got = mine::chunk_step(mine, q, k, v, g);
      e.check(where + "outputs", flat(got), flat(wanted), 1e-9);
      e.check(where + "state after it", flat(mine), flat(expected), 1e-9);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("32", 1, "The decay, a chunk of words at a time");
  e.hint("Two parts for each output: one reads the old S with the factor g^(i + 1), one is a sum over j <= i.");
  e.hint("The second part needs no state: g^(i - j) (q_i . k_j) v_j. `dot` and `power` are there.");
  e.hint("Change S only when all outputs are computed: first times g^C, then add g^(C - 1 - j) k_j^T v_j for each j.");
  e.insight(
      "The sum over j is attention with the weights g^(i - j) (q_i . k_j): no softmax, so the words before the chunk "
      "fit\n"
      "into one matrix. One chunk of all words is the parallel form, and chunks of one word are the recurrent form.",
      "./heed exercise 32 2");
  return e.run(argc, argv, examine);
}
