// Hints and checks of exercise 31.2.
#include "tutorials/31_scale/exercises/2_checkpoint.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Layer, mine::Numbers, mine::Store;
using LossGradient = std::function<Numbers(const Numbers&)>;

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

void examine(app::Exercise& e) {
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
    Numbers mine = mine::gradient(layers, m, x, loss, store);
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
  return e.run(argc, argv, examine);
}
