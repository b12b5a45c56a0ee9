// Normalisers, positions and evaluators against the formulas of their papers in plain numpy
// (tests/golden/plain_stages.py).
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "autograd/ops.h"
#include "nn/attention/pipeline.h"
#include "tensor/compare.h"
#include "tests/nn/parity/golden.h"
#include "tests/source_dir.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

void normalised_alike(Golden& g) {
  nn::NormaliserOptions options = nn::stage_from(nn::Kind::normaliser, g.text("stage"));
  options.heads = g.integer("heads");
  Generator rng(1);
  auto normaliser = nn::make_normaliser(options, rng);
  g.load(*normaliser);
  Variable e = g.leaf("scores");
  Variable w = (*normaliser)(masked_fill(e, not_equal(g.ids("masked"), 0), -INFINITY));
  g.compare("output.weights", w.value());
}

// Self-attention of the queries, keys and values of each head, [B, T, H, K], without projections.
void attended_alike(Golden& g, const std::string& kind) {
  Variable q = g.leaf("q"), k = g.leaf("k"), v = g.leaf("v");
  nn::AttentionOptions o;
  const std::string position = kind == "position" ? "stage" : g.has_option("position") ? "position" : "";
  if (!position.empty()) o.position = nn::stage_from(nn::Kind::position, g.text(position));
  if (kind == "evaluator") o.evaluator = nn::stage_from(nn::Kind::evaluator, g.text("stage"));
  if (g.flag("causal")) o.scope.name = "causal";
  o.score = {.name = "scaled_dot", .query = q.size(3), .key = q.size(3), .heads = g.integer("heads")};
  for (nn::StageOptions* stage : {&o.score, &o.scope, &o.normaliser, &o.position, &o.evaluator})
    stage->layer = g.integer("layer"), stage->layers = g.integer("layers");
  Generator rng(1);
  nn::Pipeline p("parity", o, rng);
  struct Stages : nn::Module {
    explicit Stages(nn::Pipeline& of) : pipeline(of) {}
    void visit(nn::Visitor& visitor) { pipeline.visit_stages(visitor); }
    nn::Pipeline& pipeline;
  } stages(p);
  g.load(stages);
  nn::StageContext context;
  nn::Attended seen = p.attend_to(q, {.keys = p.prepare_keys(k, {}), .values = transpose(v, 1, 2)}, context);
  g.compare("output.weights", seen.weights.value());
  g.compare("output.context", seen.context.value());
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("stages: as their papers write them") {
    int found = 0;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() + "/tests/golden")) {
      const std::string name = file.path().stem().string(), kind = name.substr(0, name.find('_'));
      if (file.path().extension() != ".safetensors") continue;
      if (kind != "normaliser" && kind != "position" && kind != "evaluator") continue;
      if (Golden(name, DType::f64).text("script") != "tests/golden/plain_stages.py") continue;
      ++found;
      CAPTURE(name);
      CHECK(file.file_size() <= 4096);
      in_both_precisions(name, [&](Golden& g, DType) {
        if (kind == "normaliser") return normalised_alike(g);
        attended_alike(g, kind);
      });
    }
    CHECK(found >= 9);
  }
}
