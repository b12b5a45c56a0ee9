// Hints and checks of exercise 20.3.
#include "tutorials/20_memory/exercises/3_head.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/structures/ntm_head.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Control;
using mine::Vector;
using std::size_t;
using Memory = std::vector<Vector>;

void examine(app::Exercise& e) {
  auto flat = [](const Vector& v) { return Tensor::from(v, {1, static_cast<int64_t>(v.size())}); };
  auto number = [](double x) { return Variable(Tensor::full({1, 1}, x, DType::f64)); };
  for (const auto& [N, W, R] : {std::tuple<size_t, size_t, size_t>{6, 4, 1}, {9, 5, 2}, {4, 3, 1}}) {
    Generator rng(N);
    Memory M(N, Vector(W));
    Vector all, key(W), before(N), shift(2 * R + 1);
    for (auto& row : M)
      for (double& x : row) all.push_back(x = rng.normal());
    for (double& x : key) x = rng.normal();
    for (Vector* v : {&before, &shift}) {
      double total = 0;
      for (double& x : *v) total += x = rng.uniform();
      for (double& x : *v) x /= total;
    }
    const Control k{key, 3, 0.6, shift, 2.5};
    Variable memory(Tensor::from(all, {1, static_cast<int64_t>(N), static_cast<int64_t>(W)}));
    Variable content = nn::ntm_content(flat(key), number(k.strength), memory);
    Variable gated = content * k.gate + Variable(flat(before)) * (1 - k.gate);
    Variable w = nn::ntm_sharpened(nn::ntm_shifted(gated, flat(shift)), number(k.power));
    e.check(fmt::format("the weights of {} cells with shifts up to {}, against the library, cell ", N, R),
            mine::address(k, M, before), w.value().to_vector(),
            1e-7);  // the library adds 1e-8 to the lengths, for empty cells
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("20", 3, "The head of a neural Turing machine");
  e.hint("Four vectors of length N, one after another: content, gated, moved, sharpened.");
  e.hint("For std::size_t, i - r may be negative: add a multiple of N before you take the remainder.");
  e.hint("Entry j of shift has r = j - R, so it takes the weight from cell (i - r) modulo N.");
  e.insight(
      "With gate 0 and the shift +1 the head walks through the memory without looking at it, as a pointer does.\n"
      "Content finds the beginning of a list; the shift reads it in order.",
      "./heed run 21");
  return e.run(argc, argv, examine);
}
