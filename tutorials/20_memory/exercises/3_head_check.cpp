// Hints, common mistakes and checks of exercise 20.3.
#include "tutorials/20_memory/exercises/3_head.h"

#include <fmt/format.h>

#include <cmath>

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

struct Parts {
  enum Content { cosine, product, no_strength, outside } content = cosine;
  enum Gate { right, exchanged, ignored } gate = right;
  enum Shift { forward, backward, cut, none, from_zero } shift = forward;
  enum Sharpen { normalised, raw, missing, before_shift } sharpen = normalised;
};
Vector sharpened(Vector w, double power, bool normalise = true) {
  double total = 0;
  for (double& x : w) total += x = std::pow(x, power);
  if (normalise)
    for (double& x : w) x /= total;
  return w;
}
template <Parts parts>
Vector address_with(const Control& k, const Memory& M, const Vector& before) {
  const auto N = static_cast<int64_t>(M.size()), R = static_cast<int64_t>(k.shift.size() / 2);
  Vector w;
  double total = 0;
  for (const Vector& cell : M) {
    double dot = 0, a = 0, b = 0;
    for (size_t i = 0; i < cell.size(); ++i)
      dot += k.key[i] * cell[i], a += k.key[i] * k.key[i], b += cell[i] * cell[i];
    double score = parts.content == Parts::product ? dot : dot / std::sqrt(a * b);
    if (parts.content == Parts::cosine || parts.content == Parts::product) score *= k.strength;
    w.push_back(std::exp(score));
    total += w.back();
  }
  for (double& x : w) x = x / total * (parts.content == Parts::outside ? k.strength : 1);
  const double gate = parts.gate == Parts::exchanged ? 1 - k.gate : parts.gate == Parts::ignored ? 1 : k.gate;
  for (size_t i = 0; i < w.size(); ++i) w[i] = gate * w[i] + (1 - gate) * before[i];
  if (parts.sharpen == Parts::before_shift) w = sharpened(w, k.power);
  Vector moved(w.size(), 0);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t j = 0; j < static_cast<int64_t>(k.shift.size()); ++j) {
      int64_t r = parts.shift == Parts::from_zero ? j : j - R;
      int64_t from = parts.shift == Parts::backward ? i + r : i - r;
      if (parts.shift == Parts::cut && (from < 0 || from >= N)) continue;
      moved[static_cast<size_t>(i)] += k.shift[static_cast<size_t>(j)] * w[static_cast<size_t>((from % N + N) % N)];
    }
  if (parts.shift == Parts::none) moved = w;
  if (parts.sharpen == Parts::missing || parts.sharpen == Parts::before_shift) return moved;
  return sharpened(moved, k.power, parts.sharpen == Parts::normalised);
}

const std::vector<app::Mistake<decltype(&mine::address)>> mistakes{
    {"The gap is still open: all weights are 0",
     [](const Control&, const Memory&, const Vector& before) { return Vector(before.size(), 0); }},
    {"Your content score is the product: divide by the lengths of key and cell",
     address_with<Parts{.content = Parts::product}>},
    {"The strength is not used: multiply the cosine by it, before the softmax",
     address_with<Parts{.content = Parts::no_strength}>},
    {"You multiplied by the strength after the softmax: it sharpens the softmax, so it is inside",
     address_with<Parts{.content = Parts::outside}>},
    {"Your gate is exchanged: gate 1 means content, gate 0 means where the head was",
     address_with<Parts{.gate = Parts::exchanged}>},
    {"You ignore the gate: the weights of the last step have the share 1 - gate",
     address_with<Parts{.gate = Parts::ignored}>},
    {"You shift in the wrong direction: shift +1 moves the weight of cell i - 1 to cell i",
     address_with<Parts{.shift = Parts::backward}>},
    {"Weight that leaves the memory is lost: cells are a circle, take the index modulo N",
     address_with<Parts{.shift = Parts::cut}>},
    {"The shift is missing", address_with<Parts{.shift = Parts::none}>},
    {"Your shifts count from 0: the middle entry is r = 0", address_with<Parts{.shift = Parts::from_zero}>},
    {"The sharpened weights do not sum to 1: divide by their sum", address_with<Parts{.sharpen = Parts::raw}>},
    {"The sharpening is missing", address_with<Parts{.sharpen = Parts::missing}>},
    {"You sharpen before the shift: the shift blurs, so the sharpening is the last step",
     address_with<Parts{.sharpen = Parts::before_shift}>},
};

void examine(app::Exercise& e, const decltype(&mine::address)& address) {
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
            address(k, M, before), w.value().to_vector(),
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
  return e.run(argc, argv, mine::address, examine, mistakes);
}
