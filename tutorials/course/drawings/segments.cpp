// Checkpointing: which of the inputs of nine layers are stored, in the forward pass and while backward goes through
// three segments.
//
// The order is that of the library: nine layers in three checkpoints note when they run.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/ops.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr int kLayers = 9, kSegments = 3, kPart = kLayers / kSegments;

// The layers in the order in which they run: those of forward, then those that backward runs again.
std::vector<int> order_of_runs() {
  std::vector<int> runs;
  Variable x(Tensor::ones({1}), Variable::kRequiresGrad), h = x;
  for (int s = 0; s < kSegments; ++s)
    h = checkpoint(
        [&runs, s](Variable v) {
          for (int i = s * kPart; i < (s + 1) * kPart; ++i) runs.push_back(i), v = tanh(v);
          return v;
        },
        h);
  backward(sum(h));
  return runs;
}

}  // namespace

Canvas draw_segments() {
  constexpr double kSize = 40, kGap = 8, kLeft = 176, kStep = 62;
  const std::vector<int> runs = order_of_runs();
  Canvas c(492);
  auto x_of = [&](int i) { return kLeft + i * (kSize + kGap); };
  for (int s = 0; s < kSegments; ++s)
    c.bracket(x_of(s * kPart) + 2, x_of((s + 1) * kPart) - kGap - 2, 52, fmt::format("segment {}", s + 1), 10,
              {.size = 20, .ink = Ink::soft});
  c.text({672, 30}, "stored", {.size = 20, .ink = Ink::soft});
  // Of each layer's input: 0 not stored, 1 stored since the forward pass, 2 computed again.
  auto row = [&](int number, const std::string& label, const std::function<int(int)>& state) {
    const double y = 74 + kStep * number;
    c.text({14, y + kSize / 2}, label, {.size = 20, .anchor = Anchor::start});
    int stored = 0;
    for (int i = 0; i < kLayers; ++i) {
      const int now = state(i);
      stored += now > 0;
      c.box({x_of(i), y, kSize, kSize}, now > 0 ? fmt::format("x_{}", i) : "",
            {.fill = now == 1   ? Ink::accent
                     : now == 2 ? Ink::gold
                                : Ink::none,
             .stroke = now > 0 ? Ink::soft : Ink::line,
             .strength = now == 2 ? 0.65 : 0.3,
             .radius = 4,
             .dashed = now == 0,
             .text = {.size = 20}});
    }
    c.text({672, y + kSize / 2}, fmt::format("{}", stored), {.size = 22, .bold = true});
  };
  row(0, "no checkpoints", [](int) { return 1; });
  row(1, "forward", [](int i) { return i % kPart == 0 ? 1 : 0; });
  for (int b = 0; b < kSegments; ++b) {
    const int first = runs[static_cast<size_t>(kLayers + b * kPart)];  // of the segment that runs again
    row(2 + b, fmt::format("backward {}", first / kPart + 1), [first](int i) {
      if (i % kPart == 0 && i <= first) return 1;
      return i > first && i < first + kPart ? 2 : 0;
    });
  }
  c.box({32, 400, 22, 22}, "", {.fill = Ink::accent, .strength = 0.3, .thickness = 1, .radius = 0});
  c.text({66, 411}, "stored in the forward pass: the input of each segment", {.size = 22, .anchor = Anchor::start});
  c.box({32, 442, 22, 22}, "", {.fill = Ink::gold, .strength = 0.65, .thickness = 1, .radius = 0});
  c.text({66, 453}, "computed again in the backward pass of its segment", {.size = 22, .anchor = Anchor::start});
  c.legend({"x_i: input of layer i + 1"});
  return c;
}

}  // namespace heed::course
