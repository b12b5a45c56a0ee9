// Evaluators and mixers that compute another function than dense attention, against PyTorch's numbers.
#include <doctest/doctest.h>

#include <filesystem>

#include "autograd/ops.h"
#include "nn/attention/evaluators/performer.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/pipeline.h"
#include "tests/nn/parity/golden.h"
#include "tests/source_dir.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("evaluators of the catalogue, two heads: features, given directions, landmarks") {
    for (const char* name : {"linear", "linear_causal", "performer", "performer_causal", "nystrom"})
      in_both_precisions(std::string("evaluator_") + name, [](Golden& g, DType) {
        nn::AttentionOptions o{.score = {.name = "scaled_dot"}};
        o.score.query = o.score.key = 4;
        o.scope.name = g.flag("causal") ? "causal" : "global";
        o.evaluator = nn::stage_from(nn::Kind::evaluator, g.text("stage"));
        Generator rng(1);
        nn::Pipeline attention("parity", o, rng);
        if (g.has("input.directions"))
          dynamic_cast<nn::KernelEvaluator&>(*attention.evaluator).features =
              std::make_shared<nn::PerformerFeatures>(g.tensor("input.directions"));
        Variable q = g.leaf("query"), k = g.leaf("key"), v = g.leaf("value");
        nn::StageContext context;
        nn::AttentionCall call{.keys = k, .values = v, .weights = false};
        Variable c = attention.attend_to(transpose(q, 1, 2), call, context).context;
        g.check({{"context", c}}, {{"query", q}, {"key", k}, {"value", v}});
      });
  }

  // The files of tests/golden/plain_*.py: queries, keys and values of the heads, and the parameters of the evaluator.
  TEST_CASE("evaluators: word after word, as the papers write them") {
    int found = 0;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() + "/tests/golden")) {
      const std::string name = file.path().stem().string();
      if (!name.starts_with("evaluator_") || file.path().extension() != ".safetensors") continue;
      Golden plain(name, DType::f64);
      if (!plain.has_option("plain") || !plain.has("input.query")) continue;
      ++found;
      CHECK(file.file_size() <= 4096);
      in_both_precisions(name, [](Golden& g, DType) {
        Variable q = g.leaf("query"), k = g.leaf("key"), v = g.leaf("value");  // [B, H, T, K]
        nn::AttentionOptions o{.score = {.name = "scaled_dot"}};
        o.score.query = o.score.key = q.size(3);
        o.scope.name = g.flag("causal") ? "causal" : "global";
        o.evaluator = nn::stage_from(nn::Kind::evaluator, g.text("stage"));
        Generator rng(1);
        nn::Pipeline attention("parity", o, rng);
        g.load(*attention.evaluator);
        nn::StageContext context;
        nn::AttentionCall call{.keys = k, .values = v, .weights = false};
        g.compare("output.y", attention.attend_to(transpose(q, 1, 2), call, context).context.value());
      });
    }
    MESSAGE(found << " evaluators");
  }

  TEST_CASE("latent attention, two heads, causal") {
    in_both_precisions("mixer_latent", [](Golden& g, DType) {
      nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, g.text("stage"));
      o.query = o.key = 8, o.heads = 2, o.causal = true;
      Generator rng(1);
      auto mixer = nn::make_mixer(o, rng);
      g.load(*mixer);
      Variable x = g.leaf("x");
      g.check_module(*mixer, {{"output", (*mixer)(x, {}).output}}, {{"x", x}});
    });
  }
}
