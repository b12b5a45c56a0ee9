// Cases of autograd/checkpoint.h: one and several outputs, a captured variable, nested checkpoints.
#include "autograd/cases/layouts.h"
#include "autograd/checkpoint.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;

Variable block(const Variable& x, const Variable& w) { return tanh(matmul(x, w)) + x; }

}  // namespace

std::vector<CaseRow> checkpoint_cases() {
  return {
      operation(
          "checkpoint",
          {{.label = "[2, 3] [3, 3]",
            .shapes = {{2, 3}, {3, 3}},
            .f = [](In in) { return checkpoint(block, in[0], in[1]); }},
           {.label = "[2, 2] [2, 2]",
            .shapes = {{2, 2}, {2, 2}},
            .f = [](In in) { return checkpoint(block, in[0], in[1]); }},
           {.label = "captured [3, 3]",
            .shapes = {{2, 3}, {3, 3}},
            .f = [](In in) { return checkpoint([w = in[1]](const Variable& x) { return block(x, w); }, in[0]) * 2; }},
           {.label = "two in a row and one in another",
            .shapes = {{2, 3}, {3, 3}},
            .f =
                [](In in) {
                  auto two = [w = in[1]](const Variable& x) { return block(checkpoint(block, x, w), w); };
                  return checkpoint(block, checkpoint(two, in[0]), in[1]);
                }}}),
      operation("checkpoint_many", {{.label = "two outputs", .shapes = {{2, 3}, {3, 3}}, .f = [](In in) {
                                       auto ys = checkpoint_many(
                                           [x = in[0], w = in[1]] {
                                             Variable h = matmul(x, w);
                                             return std::vector<Variable>{tanh(h), sigmoid(h) * x};
                                           },
                                           {in[0], in[1]});
                                       return ys[0] * ys[1] + in[0];
                                     }}})};
}

}  // namespace heed
