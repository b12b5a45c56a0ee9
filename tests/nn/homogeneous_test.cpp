// What depends on the directions of vectors, or on distances in units of a width, from the smallest numbers to the
// largest: the table of tests/autograd/homogeneous_test.cpp, continued.
#include "tests/autograd/homogeneous.h"

#include "nn/attention/mixers/clustered.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/scores/cosine.h"
#include "nn/attention/scores/gaussian.h"
#include "nn/attention/scores/normed_additive.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/sentence/contrastive.h"
#include "nn/zoo/knn.h"

using namespace heed;
using homogeneous::In;
using homogeneous::Row;

namespace {

nn::ScoreOptions wide(const char* name) { return {.name = name, .query = 4, .key = 4}; }

std::vector<Row> rows() {
  const Shape matrix{3, 4}, queries{2, 3, 4}, keys{2, 5, 4};
  // Their eps is published and has no unit, so it counts less the larger c is.
  const double large = 0x1p39, share = 1e-4;
  return {{"unit_rows", 0, {matrix}, [](In in, double) { return nn::unit_rows(in[0]); }},
          {"unit_rows of a vector", 0, {{4}}, [](In in, double) { return nn::unit_rows(in[0]); }},
          {"contrastive_loss",
           0,
           {matrix, matrix},
           [](In in, double) { return nn::contrastive_loss(in[0], in[1], {.temperature = 0.5}); },
           1024},
          {"normed_additive, its vector",
           0,
           {{6}},
           [](In in, double) {
             Generator rng(1);
             nn::NormedAdditiveScore score(
                 nn::ScoreOptions{.query = 4, .key = 4, .settings = {{"width", 6.0}, {"offset", 0.0}}}, rng);
             for (auto& p : nn::named_parameters(score)) p.variable.set_value(p.variable.value().to(in[0].dtype()));
             score.v = in[0];
             Variable q(Tensor::ones({2, 3, 4}, in[0].dtype())), k(Tensor::full({2, 5, 4}, 0.5, in[0].dtype()));
             return score(q, score.prepare(k));
           }},
          {"cosine",
           0,
           {queries, keys},
           [](In in, double) {
             Generator rng(1);
             nn::CosineScore score(wide("cosine"), rng);
             score.raw_beta = Variable(Tensor::ones({}, in[0].dtype()));
             return score(in[0], in[1]);
           },
           1024,
           share,
           large},
          {"gaussian, in bandwidths",
           0,
           {queries, keys},
           [](In in, double c) {
             Generator rng(1);
             nn::GaussianScore score({.name = "gaussian", .query = 4, .key = 4, .settings = {{"bandwidth", 1.0}}}, rng);
             score.log_bandwidth = Variable(Tensor::full({}, std::log(c), in[0].dtype()));
             return score(in[0], in[1]);
           },
           1024,
           share},
          {"nearest_attention, the temperature in squares",
           0,
           {queries, keys},
           [](In in, double c) {
             Variable values(Tensor::arange(30, in[0].dtype()).view({2, 5, 3}));
             return nn::nearest_attention(in[0], in[1], values, {.neighbours = 3, .temperature = c * c}).context;
           },
           1024,
           0,
           0x1p-500,
           0x1p500},
          {"ntm_content",
           0,
           {{2, 4}, keys},
           [](In in, double) {
             return nn::ntm_content(in[0], Variable(Tensor::full({2, 1}, 3, in[0].dtype())), in[1]);
           },
           1024,
           share,
           large},
          {"unit_length of the delta rule",
           0,
           {queries},
           [](In in, double) { return nn::unit_length(in[0]); },
           64,
           share,
           large}};
}

}  // namespace

TEST_CASE("homogeneous: directions and distances in any unit") {
  for (const Row& row : rows()) homogeneous::check(row);
}

TEST_CASE("homogeneous: queries fall into the same clusters in any unit") {
  Generator rng(3);
  nn::ClusteredMixer mixer({.query = 8, .settings = {{"clusters", 3.0}}, .heads = 2}, rng);
  Tensor q = Tensor::normal({2, 2, 9, 4}, rng), words = Tensor::ones({2, 9}), usual = mixer.members(q, words);
  for (int exponent : {-120, -70, 66, 100, 122})
    CHECK(max_abs_difference(mixer.members(mul(q, std::ldexp(1.0, exponent)), words), usual) == 0);
}
