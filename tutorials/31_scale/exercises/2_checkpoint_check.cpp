// Hints, common mistakes and checks of exercise 31.2.
#include "tutorials/31_scale/exercises/2_checkpoint.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Layer, mine::Numbers, mine::Store;
using LossGradient = std::function<Numbers(const Numbers&)>;
using Answer = std::function<Numbers(const std::vector<Layer>&, int, const Numbers&, const LossGradient&, Store&)>;

// The right answer, and one with a fault.
struct Fault {
  bool keeps_all = false, first_segment_first = false, first_layer_first = false, never_drops = false,
       from_start = false, at_output = false, skips_rest = false, loses_gradient = false, one_segment = false;
};
Answer with(const Fault& f) {
  return [f](const std::vector<Layer>& layers, int m, const Numbers& x, const LossGradient& loss, Store& store) {
    const int n = static_cast<int>(layers.size());
    if (f.one_segment) m = n;
    auto layer = [&](int i) { return layers[static_cast<std::size_t>(i)]; };
    Numbers h = x;
    for (int i = 0; i < n; ++i) {
      if (f.keeps_all || i % m == 0) store.keep(i, h);
      h = layer(i).forward(h);
    }
    const Numbers top = loss(h);
    Numbers dh = top;
    std::vector<int> firsts;
    for (int first = 0; first < n; first += m) firsts.push_back(first);
    if (f.skips_rest && n % m != 0) firsts.pop_back();
    if (!f.first_segment_first) std::ranges::reverse(firsts);
    for (int first : firsts) {
      const int last = std::min(first + m, n) - 1;
      Numbers from = x;
      if (f.from_start) {
        for (int i = 0; i < first; ++i) from = layer(i).forward(from);
        store.keep(first, from);
      }
      for (int i = first; i < last && !f.keeps_all; ++i) store.keep(i + 1, layer(i).forward(store.at(i)));
      for (int j = 0; j <= last - first; ++j) {
        const int i = f.first_layer_first ? first + j : last - j;
        Numbers at = store.at(i);
        if (f.at_output) at = layer(i).forward(at);
        dh = layer(i).backward(at, f.loses_gradient ? top : dh);
      }
      for (int i = first; i <= last && !f.never_drops; ++i) store.drop(i);
    }
    return dh;
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"You keep the input of every layer (the gap as it was does this): in the forward pass, keep x_i only where i is a "
     "multiple of m",
     with({.keeps_all = true, .never_drops = true})},
    {"What was computed again is not dropped: drop the inputs of a segment once backward has gone through it",
     with({.never_drops = true})},
    {"You go through the segments from the first to the last: the gradient comes from the loss, so the last segment is "
     "the first",
     with({.first_segment_first = true})},
    {"Within a segment you go backward through the first layer first: begin with its last layer",
     with({.first_layer_first = true})},
    {"You begin again at x_0 for each segment: that calls forward too often. Begin at the input that was kept",
     with({.from_start = true})},
    {"You give backward the output of a layer: it needs the input, x_i", with({.at_output = true})},
    {"The layers after the last full segment are left out: the last segment may have fewer than m layers",
     with({.skips_rest = true})},
    {"Each layer receives the gradient of the loss: it needs that of the layer after it, dx_{i+1}",
     with({.loses_gradient = true})},
    {"All inputs are in the store when backward begins, though you drop them later: keep x_i in the forward pass only "
     "where i is a multiple of m, and fill in one segment of m layers at a time",
     with({.one_segment = true})},
};

// tanh(W x), three numbers wide; counts the calls of forward.
std::vector<Layer> chain(int n, Generator& rng, int* calls, const std::function<void()>& on_backward) {
  constexpr std::size_t D = 3;
  std::vector<Layer> layers;
  for (int l = 0; l < n; ++l) {
    Numbers W(D * D);
    for (double& v : W) v = rng.normal();
    auto forward = [W](const Numbers& x) {
      Numbers y(D);
      for (std::size_t i = 0; i < D; ++i) {
        for (std::size_t j = 0; j < D; ++j) y[i] += W[i * D + j] * x[j];
        y[i] = std::tanh(y[i]);
      }
      return y;
    };
    layers.push_back({[forward, calls](const Numbers& x) { return ++*calls, forward(x); },
                      [forward, W, on_backward](const Numbers& x, const Numbers& dy) {
                        on_backward();
                        Numbers y = forward(x), dx(D);
                        for (std::size_t i = 0; i < D; ++i)
                          for (std::size_t j = 0; j < D; ++j) dx[j] += W[i * D + j] * (1 - y[i] * y[i]) * dy[i];
                        return dx;
                      }});
  }
  return layers;
}

void examine(app::Exercise& e, const Answer& gradient) {
  const LossGradient loss = [](const Numbers& y) {
    Numbers dy;
    for (double v : y) dy.push_back(2 * v + 1);
    return dy;
  };
  for (auto [n, m] : {std::pair{9, 3}, {8, 3}, {5, 1}, {7, 4}}) {
    Generator rng(static_cast<std::uint64_t>(n));
    int calls = 0;
    Store store;
    double at_first = -1;  // inputs in the store when backward is called for the first time
    std::vector<Layer> layers = chain(n, rng, &calls, [&] {
      if (at_first < 0) at_first = static_cast<double>(store.size());
    });
    Numbers x{rng.normal(), rng.normal(), rng.normal()}, h = x, dh;
    std::vector<Numbers> inputs;
    for (const Layer& layer : layers) inputs.push_back(h), h = layer.forward(h);
    dh = loss(h);
    for (std::size_t i = layers.size(); i-- > 0;) dh = layers[i].backward(inputs[i], dh);
    calls = 0, at_first = -1;
    Numbers mine = gradient(layers, m, x, loss, store);
    std::string where = fmt::format("{} layers, {} per segment: ", n, m);
    e.check(where + "dx_0", mine, dh, 1e-9);
    const double most = (n + m - 1) / m + m - 1, kept = static_cast<double>(store.most());
    e.check(where + fmt::format("inputs kept at a time, at most {}", most), std::max(kept, most), most, 0);
    e.check(where + fmt::format("inputs kept when backward begins, at most {}", most), std::max(at_first, most), most,
            0);
    e.check(where + "inputs left in the store", static_cast<double>(store.size()), 0, 0);
    e.check(where + fmt::format("calls of forward, at most {}", 2 * n), std::max(calls, 2 * n), 2 * n, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("31", 2, "Checkpointing a chain of layers");
  e.hint("The forward pass is a loop over all layers with one `if`: keep x_i only if i % m == 0.");
  e.hint("The last segment begins at (n - 1) / m * m, with integer division. Go down from there in steps of m.");
  e.hint(
      "In a segment: first fill the store with its other inputs, then go backward and drop each input after its use.");
  e.insight(
      "The stored inputs are those of all segments before this one, and of this one all layers: k + m - 1 values "
      "instead\n"
      "of n. With k = m = sqrt(n) both parts are equally large.",
      "./heed exercise 31 3");
  return e.run(argc, argv, Answer(mine::gradient), examine, mistakes);
}
