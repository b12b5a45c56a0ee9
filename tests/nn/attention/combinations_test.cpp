// Scores with scopes, normalisers, positions and evaluators of the registry: each combination is refused when it is
// built, with one sentence, or gives what its dense twin gives, gradients too. A new row joins by itself.
//
// Under a softmax, which has the most evaluators, these are all combinations. Under each other normaliser every score
// meets every scope, and the positions take turns, so that any two of score, scope and normaliser meet each position.
// (All combinations would be some 20 000, and another row of each kind thousands more.)
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "nn/attention/pipeline.h"
#include "nn/observe.h"
#include "tests/nn/support.h"

using namespace heed;

using namespace heed::nn_test;

namespace {

using nn::Kind;

constexpr int64_t B = 2, T = 5, H = 2, K = 4;

// The names of a kind, with settings that suit five words: a window of 2, a table of 16, ..
std::vector<nn::StageOptions> all_of_kind(Kind kind) {
  const std::map<std::string, double> small{
      {"window", 2}, {"max_source", 16}, {"chunk", 2},    {"width", 3},      {"max_distance", 3}, {"buckets", 8},
      {"span", 3},   {"global", 1},      {"k", 2},        {"components", 2}, {"stride", 2},       {"block", 2},
      {"grid", 2},   {"prefix", 1},      {"features", 4}, {"parts", 2},      {"landmarks", 2}};
  std::vector<nn::StageOptions> all;
  for (const nn::CatalogueEntry& row : nn::stage_entries(kind)) {
    if (!row.score && !row.scope && !row.normaliser && !row.position && !row.evaluator) continue;
    nn::StageOptions o{.name = row.name};
    for (const nn::Setting& s : row.settings)
      if (small.contains(s.name)) o.settings[s.name] = std::clamp(small.at(s.name), s.least, s.most);
    all.push_back(o);
  }
  if (kind == Kind::scope) all.push_back({.name = "causal&window:2"});
  if (kind == Kind::evaluator) all.push_back({.name = "auto"});
  return all;
}

// In the program that CONTRIBUTING.md builds, the rows that it adds have ids from X1 on, and only combinations with one
// of them are new.
bool added(Kind kind, const std::string& name) {
  for (const nn::CatalogueEntry& row : nn::stage_entries(kind))
    if (row.name == name) return row.id[0] == 'X';
  return false;
}
bool has_added_rows() {
  for (Kind kind : {Kind::score, Kind::scope, Kind::normaliser, Kind::position, Kind::evaluator})
    for (const nn::CatalogueEntry& row : nn::stage_entries(kind))
      if (row.id[0] == 'X') return true;
  return false;
}

struct Outcome {
  Tensor context, weights;        // [B, H, T, K], [B, H, T, T]; weights as Observe saw them, if it did
  std::vector<Tensor> gradients;  // of queries, keys, values, parameters
};

std::unique_ptr<nn::Pipeline> built(const nn::AttentionOptions& o, DType dtype) {
  Generator rng(3);
  auto p = std::make_unique<nn::Pipeline>("combination", o, rng);
  struct All : nn::Module {
    explicit All(nn::Pipeline& of) : pipeline(of) {}
    void visit(nn::Visitor& v) { pipeline.visit_stages(v); }
    nn::Pipeline& pipeline;
  } all(*p);
  nn::convert(all, dtype);
  nn::set_training(all, false);
  return p;
}

Outcome run(nn::Pipeline& p, DType dtype, bool look) {
  Variable q = leaf({B, T, H, K}, 1, dtype), k = leaf({B, T, 1, K}, 2, dtype), v = leaf({B, 1, T, K}, 3, dtype);
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {B, 1, 1, T});
  Outcome out;
  nn::Places places{.queries = T, .keys = T, .lengths = Tensor::from(std::vector<int64_t>{5, 3}, {2})};
  nn::AlignmentState state;
  nn::StageContext context{.places = places, .state = &state};
  auto attend = [&] {
    return p.attend_to(q, {.keys = p.prepare_keys(k, places), .values = v, .allowed = words, .weights = false}, context)
        .context;
  };
  Variable c;
  if (look) {
    nn::Observe observe([&](const nn::AttentionSeen& seen) { out.weights = seen.weights; });
    c = attend();
  } else {
    c = attend();
  }
  out.context = c.value();
  std::vector<Variable> wanted{q, k, v};
  for (const Variable& g : grad({weighted_sum(c)}, wanted, {.allow_unused = true}))
    out.gradients.push_back(g.defined() ? g.value() : Tensor());
  return out;
}

// Of numbers above 1 (a row of exponentials may have any sum), as a share of the largest.
double apart(const Tensor& a, const Tensor& b) {
  return max_abs_difference(a, b) / std::max(1.0, max_abs_difference(b, Tensor::zeros(b.shape(), b.dtype())));
}

double apart(const Outcome& a, const Outcome& b) {
  double worst = apart(a.context, b.context);
  for (size_t i = 0; i < a.gradients.size(); ++i) {
    REQUIRE(a.gradients[i].defined() == b.gradients[i].defined());
    if (a.gradients[i].defined()) worst = std::max(worst, apart(a.gradients[i], b.gradients[i]));
  }
  return worst;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("every combination of stages is its dense twin, or is refused with one sentence") {
    const bool examples = has_added_rows();
    std::map<std::string, int> evaluated, refused;
    std::vector<nn::StageOptions> scores = all_of_kind(Kind::score), scopes = all_of_kind(Kind::scope),
                                  normalisers = all_of_kind(Kind::normaliser), positions = all_of_kind(Kind::position);
    for (size_t i = 0; i < scores.size(); ++i)
      for (size_t j = 0; j < scopes.size(); ++j)
        for (size_t k = 0; k < normalisers.size() * positions.size(); ++k) {
          const nn::StageOptions &score = scores[i], &scope = scopes[j],
                                 &normaliser = normalisers[k / positions.size()],
                                 &position = positions[k % positions.size()];
          bool its_turn = (i + j + k / positions.size()) % positions.size() == k % positions.size();
          if (!its_turn && normaliser.name != nn::default_stage(Kind::normaliser)) continue;
          nn::AttentionOptions o{.score = score, .scope = scope, .normaliser = normaliser, .position = position};
          o.score.query = o.score.key = K, o.score.heads = H;
          std::map<DType, Outcome> dense;
          for (const nn::StageOptions& evaluator : all_of_kind(Kind::evaluator)) {
            bool is_new = added(Kind::score, score.name) || added(Kind::scope, scope.name) ||
                          added(Kind::normaliser, normaliser.name) || added(Kind::position, position.name) ||
                          added(Kind::evaluator, evaluator.name);
            if (examples && !is_new) continue;
            o.evaluator = evaluator;
            CAPTURE(score.name);
            CAPTURE(scope.name);
            CAPTURE(normaliser.name);
            CAPTURE(position.name);
            CAPTURE(evaluator.name);
            std::unique_ptr<nn::Pipeline> p;
            try {
              p = built(o, DType::f64);
            } catch (const ValueError& error) {
              std::string why = error.what();
              CHECK(why.starts_with("combination: "));
              CHECK(why.find('\n') == std::string::npos);
              ++refused[evaluator.name];
              continue;
            }
            ++evaluated[evaluator.name];
            for (DType dtype : {DType::f64, DType::f32}) {
              if (dtype == DType::f32) p = built(o, dtype);
              bool exact = !p->evaluator || p->evaluator->exact();
              if (!dense.contains(dtype)) {
                nn::AttentionOptions twin = o;
                twin.evaluator = {.name = "dense"};
                dense[dtype] = run(*built(twin, dtype), dtype, false);
                CHECK(all_finite(dense[dtype].context));
              }
              if (exact) {
                CHECK(apart(run(*p, dtype, false), dense[dtype]) < (dtype == DType::f64 ? 1e-10 : 1e-5));
              } else {  // it reads with the weights that it says it stands for
                Outcome seen = run(*p, dtype, true);
                CHECK(all_finite(seen.context));
                CHECK(seen.weights.defined());
              }
            }
          }
        }
    std::string counts;
    for (const auto& [name, count] : evaluated)
      counts += fmt::format("{}{}: {} equal, {} refused", counts.empty() ? "" : "; ", name, count, refused[name]);
    MESSAGE(counts);
    CHECK(evaluated["dense"] > 500);
    CHECK(evaluated["tiled"] > 50);
    CHECK(refused["tiled"] > 50);
  }
}
