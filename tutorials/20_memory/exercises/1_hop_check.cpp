// Hints, common mistakes and checks of exercise 20.1.
#include "tutorials/20_memory/exercises/1_hop.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/attention/structures/memory_network.h"
#include "tensor/compare.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using V = const Variable&;

struct Parts {
  enum Mask { before, after, none } mask = before;
  enum Read { values, keys, mean } read = values;
  enum Axis { entries, sentences } axis = entries;
  enum Result { added, alone, doubled } result = added;
  bool scaled = false, no_softmax = false;
};
template <Parts parts>
Variable hop_with(V u, V m, V c, const Tensor& there) {
  Variable e = sum(unsqueeze(u, 1) * m, {-1});
  if (parts.scaled) e = e / std::sqrt(static_cast<double>(u.size(1)));
  Tensor gone = logical_not(there);
  if (parts.mask == Parts::before) e = masked_fill(e, gone, parts.no_softmax ? 0 : -INFINITY);
  Variable p = parts.no_softmax ? e : softmax(e, parts.axis == Parts::entries ? 1 : 0);
  if (parts.axis == Parts::sentences) p = masked_fill(softmax(sum(unsqueeze(u, 1) * m, {-1}), 0), gone, 0);
  if (parts.mask == Parts::after) p = masked_fill(p, gone, 0);
  if (parts.read == Parts::mean) p = p * 0 + 1 / static_cast<double>(m.size(1));
  Variable o = sum(unsqueeze(p, -1) * (parts.read == Parts::keys ? m : c), {1});
  if (parts.result == Parts::alone) return o;
  return parts.result == Parts::doubled ? u + o + o : u + o;
}

const std::vector<app::Mistake<decltype(&mine::hop)>> mistakes{
    {"The gap is still open: the question comes back unchanged", [](V u, V, V, const Tensor&) { return u; }},
    {"You return o alone: the question of the next hop is u + o", hop_with<Parts{.result = Parts::alone}>},
    {"o is added twice: the new question is u + o", hop_with<Parts{.result = Parts::doubled}>},
    {"Entries that do not exist get a weight: fill their scores with minus infinity before the softmax",
     hop_with<Parts{.mask = Parts::none}>},
    {"You masked after the softmax, so the weights of the others do not sum to 1: mask the scores",
     hop_with<Parts{.mask = Parts::after}>},
    {"You read the keys: the weights belong to the values c", hop_with<Parts{.read = Parts::keys}>},
    {"All entries have the same weight: the weights are the softmax of u . m", hop_with<Parts{.read = Parts::mean}>},
    {"Your softmax runs over the batch: it runs over the N entries, axis 1", hop_with<Parts{.axis = Parts::sentences}>},
    {"You divided the scores by sqrt(D): the memory network uses the plain product", hop_with<Parts{.scaled = true}>},
    {"The softmax is missing: the scores themselves are used as weights", hop_with<Parts{.no_softmax = true}>},
};

void examine(app::Exercise& e, const decltype(&mine::hop)& hop) {
  for (uint64_t seed : {1u, 2u}) {
    Generator rng(seed);
    const int64_t B = 3, N = 5 + static_cast<int64_t>(seed), D = 4;
    Variable u(Tensor::normal({B, D}, rng, 0, 1, DType::f64)), m(Tensor::normal({B, N, D}, rng, 0, 1, DType::f64)),
        c(Tensor::normal({B, N, D}, rng, 0, 1, DType::f64));
    std::vector<int64_t> lengths{N, 2, N - 2};
    Tensor there = less(Tensor::arange(N).unsqueeze(0), Tensor::from(lengths, {B, 1}));
    Variable read = squeeze(nn::memory_read(unsqueeze(u, 1), m, c, there.unsqueeze(1)).context, 1);
    e.check(fmt::format("the question after one hop over {} entries, against the library, element ", N),
            hop(u, m, c, there).value(), (u + read).value(), 1e-12);
  }
  // Two hops over a memory of three: from x to y, and from y to z, with one-hot symbols times 20.
  Variable x(Tensor::from(std::vector<double>{20, 0, 0, 0}, {1, 4}));
  Variable from(Tensor::from(std::vector<double>{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, {1, 3, 4}));
  Variable to(Tensor::from(std::vector<double>{0, 0, 40, 0, 0, 40, 0, 0, 0, 0, 0, 40}, {1, 3, 4}));
  Tensor there = less(Tensor::arange(3), 3).unsqueeze(0);
  e.check("the question after two hops from x to y to z, element ",
          hop(hop(x, from, to, there), from, to, there).value(),
          Tensor::from(std::vector<double>{20, 40, 40, 0}, {1, 4}), 1e-5);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("20", 1, "One hop");
  e.hint("The scores: unsqueeze(u, 1) * m has the shape [B, N, D]; sum over its last axis.");
  e.hint("masked_fill(scores, logical_not(there), -INFINITY), then softmax over axis 1.");
  e.hint("o: unsqueeze the weights to [B, N, 1], multiply by c, sum over axis 1. Return u + o.");
  e.insight(
      "One hop is a soft look-up whose result is added to the question.\n"
      "The second hop asks a question that contains the answer of the first.",
      "./heed exercise 20 2");
  return e.run(argc, argv, mine::hop, examine, mistakes);
}
