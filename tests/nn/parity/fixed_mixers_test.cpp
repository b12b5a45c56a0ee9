// Mixers of the catalogue against PyTorch's numbers: values, and the gradient of the words and of every parameter.
#include <doctest/doctest.h>

#include "autograd/ops.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/registry.h"
#include "tensor/compare.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("mixers in other forms than attention, two heads, with padding") {
    for (const char* name : {"linformer", "talking_heads", "fnet", "cross_covariance", "gated_unit"})
      in_both_precisions(std::string("mixer_") + name, [](Golden& g, DType) {
        nn::MixerOptions options = nn::stage_from(nn::Kind::mixer, g.text("stage"));
        Variable x = g.leaf("x");
        options.query = options.key = x.size(2), options.heads = 2;
        Generator rng(1);
        auto mixer = nn::make_mixer(options, rng);
        g.load(*mixer);
        Tensor words = equal(g.ids("padding"), 0);
        Variable y = nn::words_only((*mixer)(x, {.words = words}).output, words);
        g.check_module(*mixer, {{"y", y}}, {{"x", x}});
      });
  }
}
