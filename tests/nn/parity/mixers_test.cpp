// Mixers against PyTorch's numbers: values, and the gradient of the input and of every parameter. And against the
// formulas of their papers in plain numpy (tests/golden/plain_*.py): values.
#include <doctest/doctest.h>

#include <filesystem>

#include "nn/attention/around/around.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/registry.h"
#include "tensor/compare.h"
#include "tests/nn/parity/golden.h"
#include "tests/source_dir.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("mixers, causal") {
    for (const char* name : {"gated_linear", "aft_full", "aft_simple"})
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

  TEST_CASE("mixers: word after word, as the papers write them") {
    int found = 0;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() + "/tests/golden")) {
      const std::string name = file.path().stem().string();
      if (!name.starts_with("mixer_") || file.path().extension() != ".safetensors") continue;
      if (!Golden(name, DType::f64).has_option("plain")) continue;
      ++found;
      CHECK(file.file_size() <= 4096);
      in_both_precisions(name, [](Golden& g, DType) {
        nn::MixerOptions options = nn::stage_from(nn::Kind::mixer, g.text("stage"));
        Variable x = g.leaf("x");
        options.query = options.key = x.size(2), options.heads = g.integer("heads"), options.causal = g.flag("causal");
        options.layer = g.integer("layer"), options.layers = g.integer("layers");
        Generator rng(1);
        auto mixer = nn::make_mixer(options, rng);
        nn::set_training(*mixer, false);
        g.load(*mixer);
        nn::Passed passed;
        if (g.has("input.first")) passed.left.emplace(options.name, g.leaf("first"));  // of the first layer
        Tensor words = g.has("input.padding") ? equal(g.ids("padding"), 0) : Tensor();
        Variable y = (*mixer)(x, {.words = words, .passed = &passed}).output;
        g.compare("output.y", nn::words_only(y, words).value());
        if (g.has("output.passed"))
          g.compare("output.passed", passed.left.at(options.name).value());  // to later layers
      });
    }
    MESSAGE(found << " mixers");
  }
}
