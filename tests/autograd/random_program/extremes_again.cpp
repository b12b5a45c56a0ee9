// The second derivatives of one operation of an extreme program, by itself.
//
//   g = f'(x) dy,   S = sum g u           u   fixed numbers, none of them 0
//   dS/dx = f''(x) dy u,   dS/ddy = f'(x) u
//
// The recorded gradient is computed in several steps, and one that overflows may make the result infinite. But NaN is
// wrong where the slow one has a number that fits the type.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "tests/autograd/random_program/operations.h"

namespace random_program {
namespace {

double direction(size_t input, size_t i) { return (i + input) % 2 ? 0.5 : -0.75; }

}  // namespace

Verdict run_again(const Step& s, const Variables& inputs, const std::vector<std::vector<double>>& dy, heed::DType type,
                  Number largest) {
  slow::Tape tape;
  slow::Recording recording(tape);
  Variables in, u, outs, seeds;
  Arrays slow_in;
  for (size_t j = 0; j < inputs.size(); ++j) {
    in.emplace_back(inputs[j].value().clone(), Variable::kRequiresGrad);
    std::vector<double> x = in[j].value().to_vector(), along;
    slow_in.push_back({in[j].shape(), {}});
    for (size_t i = 0; i < x.size(); ++i) {
      along.push_back(direction(j, i));
      slow_in[j].elements.emplace_back(slow::Tape::Entry{.value = {x[i], along[i]}});
    }
    u.emplace_back(Tensor::from(along, in[j].shape()).to(type));
  }
  Variables made = s.action.engine(in);
  Arrays out = s.action.slow(slow_in);
  std::vector<std::pair<int, Number>> slow_seeds;
  for (size_t k = 0; k < made.size(); ++k) {
    if (!made[k].requires_grad() || dy[k].empty()) continue;
    outs.push_back(made[k]);
    seeds.emplace_back(Tensor::from(dy[k], made[k].shape()).to(type), Variable::kRequiresGrad);
    for (size_t i = 0; i < dy[k].size(); ++i) slow_seeds.emplace_back(out[k].elements[i].at, dy[k][i]);
  }
  if (outs.empty() || tape.tie) return {};
  Variables g = grad(outs, in, {.seeds = seeds, .create_graph = true, .allow_unused = true});
  Variable total(Tensor::scalar(0, type));
  for (size_t j = 0; j < in.size(); ++j)
    if (g[j].defined()) total = total + sum(g[j] * u[j]);
  if (!total.requires_grad()) return {};
  Variables second = grad({total}, in, {.allow_unused = true});
  auto adjoints = walk_back(tape, slow_seeds, s.elementwise);
  for (size_t j = 0; j < in.size(); ++j) {
    if (!second[j].defined()) continue;
    std::vector<double> found = second[j].value().to_vector();
    for (size_t i = 0; i < found.size(); ++i) {
      Number want = adjoints[static_cast<size_t>(slow_in[j].elements[i].at)].g.d;
      if (!std::isnan(found[i]) || !(std::fabs(want) <= largest)) continue;
      return {.ok = false,
              .kind = "second gradient NaN",
              .words = fmt::format("{}: d2 of input {} [{}] is NaN, and should be {:.10g}", s.name, j, i,
                                   static_cast<double>(want))};
    }
  }
  return {};
}

}  // namespace random_program
