// Mixers against PyTorch's numbers: values, and the gradient of the input and of every parameter.
#include <doctest/doctest.h>

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/registry.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("mixers, causal") {
    for (const char* name : {"retention", "gated_linear", "delta_rule", "forgetting", "aft_full", "aft_simple"})
      in_both_precisions(std::string("mixer_") + name, [](Golden& g, DType) {
        nn::MixerOptions options = nn::stage_from(nn::Kind::mixer, g.text("stage"));
        options.query = options.key = 8, options.heads = 2, options.causal = true;
        Generator rng(1);
        auto mixer = nn::make_mixer(options, rng);
        g.load(*mixer);
        Variable x = g.leaf("x");
        g.check_module(*mixer, {{"y", (*mixer)(x, {}).output}}, {{"x", x}});
      });
  }
}
