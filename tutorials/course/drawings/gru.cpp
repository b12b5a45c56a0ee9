// The GRU cell (nn/recurrent/gru.h): one state; the update gate z mixes the old state with the candidate n.
#include "nn/recurrent/gru.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kTop = 92, kGates = 330, kBus = 428;

}  // namespace

Canvas draw_gru() {
  Canvas c(478);
  const BoxStyle operation{.fill = Ink::gold, .strength = 0.22, .text = {.size = 24}};
  const LineStyle state{.ink = Ink::accent, .thickness = 4};

  // The state.
  const Rect keep = c.circle({420, kTop}, 21, "×", operation), add = c.circle({590, kTop}, 21, "+", operation);
  c.text({40, kTop}, "h_{t−1}", {.size = 24});
  c.arrow({76, kTop}, keep.left(), state);
  c.arrow(keep.right(), add.left(), state);
  c.arrow(add.right(), {668, kTop}, state);
  c.text({692, kTop}, "h_t", {.size = 24});
  c.text({360, 36}, "h_t = z_t · h_{t−1} + (1 − z_t) · n_t", {.size = 22, .ink = Ink::accent});

  // Reset: what the candidate may read of the old state.
  const Rect reset = c.box(around({190, kGates}, 112, 64), "σ\nreset r", {.fill = Ink::accent, .text = {.size = 20}});
  const Rect update = c.box(around({420, kGates}, 112, 64), "σ\nupdate z", {.fill = Ink::accent, .text = {.size = 20}});
  const Rect candidate =
      c.box(around({590, kGates}, 130, 64), "tanh\ncandidate n", {.fill = Ink::accent, .text = {.size = 20}});
  const Rect forget = c.circle({190, 200}, 21, "×", operation);
  c.arrow({190, kTop}, forget.top(), {.gap = 2});
  c.arrow(reset.top(), forget.bottom());
  c.route({forget.right(), {310, 200}, {310, 388}, {574, 388}, {574, 362}}, {.ink = Ink::soft});

  // Update: how much is kept, how much is new.
  const Rect fresh = c.circle({590, 200}, 21, "×", operation);
  c.arrow(update.top(), keep.bottom());
  c.arrow({420, 200}, fresh.left(), {.gap = 0});
  c.text({496, 178}, "1 − z", {.size = 22});
  c.arrow(candidate.top(), fresh.bottom());
  c.arrow(fresh.top(), add.bottom());

  // What the gates read.
  c.arrow({104, kBus}, {606, kBus}, {.head = false, .gap = 0});
  c.text({54, kBus}, "h_{t−1}, x_t", {.size = 22});
  c.arrow({190, kBus}, reset.bottom(), {.gap = 0});
  c.arrow({420, kBus}, update.bottom(), {.gap = 0});
  c.route({{606, kBus}, {606, 362}}, {.gap = 0});
  c.text({640, 412}, "x_t", {.size = 22});
  return c;
}

}  // namespace heed::course
