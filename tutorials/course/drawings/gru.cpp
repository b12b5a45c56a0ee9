// The GRU cell (nn/recurrent/gru.h): one state; the update gate z mixes the old state with the candidate n.
#include "nn/recurrent/gru.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kGruTop = 92, kGruGates = 330, kGruBus = 428;

}  // namespace

Canvas draw_gru() {
  Canvas c(478);
  const BoxStyle operation{.fill = Ink::gold, .strength = 0.22, .text = {.size = 24}};
  const BoxStyle layer{.fill = Ink::accent, .text = {.size = 20}};
  const LineStyle state{.ink = Ink::accent, .thickness = 4};

  // The state.
  const Rect keep = c.circle({156, kGruTop}, 21, "×", operation), add = c.circle({572, kGruTop}, 21, "+", operation);
  c.text({44, kGruTop}, "h_{t−1}", {.size = 24});
  c.arrow({76, kGruTop}, keep.left(), state);
  c.arrow(keep.right(), add.left(), state);
  c.arrow(add.right(), {664, kGruTop}, state);
  c.text({690, kGruTop}, "h_t", {.size = 24});
  c.text({360, 36}, "h_t = z_t · h_{t−1} + (1 − z_t) · n_t", {.size = 22, .ink = Ink::accent});

  // Update: how much is kept, how much is new.
  const Rect update = c.box(around({156, kGruGates}, 112, 70), "update\nz_t = σ", layer);
  const Rect fresh = c.circle({572, 200}, 21, "×", operation);
  c.arrow(update.top(), keep.bottom());
  c.arrow({156, 200}, fresh.left(), {.gap = 2});
  c.text({360, 180}, "1 − z_t", {.size = 22});
  c.arrow(fresh.top(), add.bottom());

  // Reset: what the candidate may read of the old state.
  const Rect reset = c.box(around({306, kGruGates}, 112, 70), "reset\nr_t = σ", layer);
  const Rect part = c.circle({428, kGruGates}, 21, "×", operation);
  const Rect candidate = c.box(around({572, kGruGates}, 130, 70), "candidate\nn_t = tanh", layer);
  c.arrow(reset.right(), part.left());
  c.arrow(part.right(), candidate.left());
  c.arrow(candidate.top(), fresh.bottom());

  // What the layers read.
  c.arrow({100, kGruBus}, {573, kGruBus}, {.head = false, .gap = 0});
  c.text({54, kGruBus}, "h_{t−1}, x_t", {.size = 22});
  c.arrow({156, kGruBus}, update.bottom(), {.gap = 2});
  c.arrow({306, kGruBus}, reset.bottom(), {.gap = 2});
  c.arrow({428, kGruBus}, part.bottom(), {.gap = 2});
  c.text({466, 392}, "h_{t−1}", {.size = 22});
  c.arrow({572, kGruBus}, candidate.bottom(), {.gap = 2});
  c.text({596, 398}, "x_t", {.size = 22});
  c.legend({"h_t: state", "x_t: word", "z_t, r_t: gates", "n_t: candidate", "σ: sigmoid"});
  return c;
}

}  // namespace heed::course
