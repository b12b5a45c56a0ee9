// Normalisers and scores of the catalogue against PyTorch's numbers: values, and the gradient of every input and
// parameter.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/registry.h"
#include "nn/attention/scores/score.h"
#include "tensor/compare.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("normalisers of the catalogue, two heads, with masked keys") {
    for (const char* name : {"entmax", "entmax_learned", "sigmoid", "top_k", "sink", "slots", "relu", "stick_breaking",
                             "soft_cap", "linear_chain", "matrix_tree"})
      in_both_precisions(std::string("normaliser_") + name, [](Golden& g, DType) {
        nn::NormaliserOptions options = nn::stage_from(nn::Kind::normaliser, g.text("stage"));
        options.heads = 2;
        Generator rng(1);
        auto normaliser = nn::make_normaliser(options, rng);
        g.load(*normaliser);
        Variable e = g.leaf("scores");
        Variable w = (*normaliser)(masked_fill(e, not_equal(g.ids("masked"), 0), -INFINITY));
        g.check_module(*normaliser, {{"weights", w}}, {{"scores", e}});
      });
  }

  TEST_CASE("scores of the catalogue") {
    for (const char* name : {"gaussian_mixture", "gaussian", "trilinear", "biaffine", "gat", "gatv2",
                             "synthesizer_dense", "normed_additive"})
      in_both_precisions(std::string("score_") + name, [](Golden& g, DType) {
        nn::ScoreOptions options = nn::stage_from(nn::Kind::score, g.text("stage"));
        options.query = options.key = 3;
        Generator rng(1);
        auto score = nn::make_score(options, rng);
        g.load(*score);
        bool reads_keys = g.has("grad.key");
        Variable q = g.leaf("query"), k = reads_keys ? g.leaf("key") : Variable(g.tensor("input.key"));
        parity::Named inputs{{"query", q}};
        if (reads_keys) inputs.emplace_back("key", k);
        g.check_module(*score, {{"scores", (*score)(q, score->prepare(k))}}, inputs);
      });
  }
}
