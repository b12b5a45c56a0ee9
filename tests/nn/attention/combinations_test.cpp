// Scores with scopes, normalisers, positions and evaluators of the registry: each combination is refused when it is
// built, with one sentence, or gives what its dense twin gives, gradients too. A new row joins by itself.
//
// The combinations: under a softmax, which has the most evaluators, all of them. Under each other normaliser every
// score meets every scope, and the positions take turns, so that any two of score, scope and normaliser meet each
// position. (All combinations would be some 20 000, and another row of each kind thousands more.) Every one of these is
// tried with every evaluator under HEED_EXHAUSTIVE=1 (./heed test --exhaustive): 134 000 are built, 24 000 of them
// accepted and run.
//
// By default every pair of them: a combination is left out if each two of its five stages have already been seen
// together in one that was accepted and run. So any two stages that any of these combinations allows together are run
// together, with gradients, in f32 and, where there is a twin to compare with, in f64; only what takes three particular
// stages to go wrong is left to --exhaustive. The walk begins with other normalisers and positions for each score and
// scope, which keeps it short and mixed.
#include <fmt/format.h>

#include <cstdlib>

#include "nn/attention/pipeline.h"
#include "nn/attention/positions/reads_words.h"
#include "nn/attention/positions/turns_by_head.h"
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
    for (const nn::OptionField& s : row.settings)
      if (small.contains(s.name)) o.settings[s.name] = std::clamp(small.at(s.name), s.range.least, s.range.most);
    all.push_back(o);
  }
  if (kind == Kind::scope) all.push_back({.name = "causal&window:2"});
  if (kind == Kind::evaluator) {
    all.push_back({.name = "auto"});
    std::stable_partition(all.begin(), all.end(), [](const nn::StageOptions& o) { return o.name == "dense"; });
  }
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
  if (auto* each = dynamic_cast<nn::TurnsByHead*>(p->position.get())) each->share(1);
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
  const auto* marked = dynamic_cast<const nn::ReadsWords*>(p.position.get());
  const Variable marks = marked ? Variable(random({B, H, T, marked->marks()}, 4, dtype)) : Variable();
  auto attend = [&] {
    nn::AttentionCall call{.keys = p.prepare_keys(k, places), .values = v, .allowed = words, .weights = false};
    call.marks = marks;
    return p.attend_to(q, call, context).context;
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

// Which two stages have been run together. A stage is numbered through all kinds.
class Pairs {
 public:
  explicit Pairs(size_t stages) : stages_(stages), seen_(stages * stages) {}
  bool all_seen(const std::vector<size_t>& combination) const {
    for (size_t a : combination)
      for (size_t b : combination)
        if (!seen_[a * stages_ + b]) return false;
    return true;
  }
  void see(const std::vector<size_t>& combination) {
    for (size_t a : combination)
      for (size_t b : combination) seen_[a * stages_ + b] = 1;
  }
  bool was_seen(size_t stage) const { return seen_[stage * stages_ + stage] != 0; }

 private:
  size_t stages_;
  std::vector<char> seen_;
};

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

TEST_CASE("every combination of stages is its dense twin, or is refused with one sentence") {
  const bool examples = has_added_rows();
  const bool every = std::getenv("HEED_EXHAUSTIVE") != nullptr;
  std::map<std::string, int> evaluated, refused;
  std::vector<nn::StageOptions> scores = all_of_kind(Kind::score), scopes = all_of_kind(Kind::scope),
                                normalisers = all_of_kind(Kind::normaliser), positions = all_of_kind(Kind::position),
                                evaluators = all_of_kind(Kind::evaluator), all;  // all: in this order
  for (const auto* kind : {&scores, &scopes, &normalisers, &positions, &evaluators})
    all.insert(all.end(), kind->begin(), kind->end());
  Pairs pairs(all.size());
  REQUIRE(evaluators[0].name == "dense");
  const size_t both = normalisers.size() * positions.size();
  for (size_t i = 0; i < scores.size(); ++i)
    for (size_t j = 0; j < scopes.size(); ++j)
      for (size_t step = 0; step < both; ++step) {
        const size_t k = (step + (3 * i + 5 * j) * (positions.size() + 1)) % both;
        const nn::StageOptions &score = scores[i], &scope = scopes[j], &normaliser = normalisers[k / positions.size()],
                               &position = positions[k % positions.size()];
        bool its_turn = (i + j + k / positions.size()) % positions.size() == k % positions.size();
        if (!its_turn && normaliser.name != nn::default_stage(Kind::normaliser)) continue;
        nn::AttentionOptions o{.score = score, .scope = scope, .normaliser = normaliser, .position = position};
        o.score.query = o.score.key = K, o.score.heads = H;
        std::map<DType, Outcome> dense;
        for (size_t e = 0; e < evaluators.size(); ++e) {
          const nn::StageOptions& evaluator = evaluators[e];
          if (examples && !added(Kind::score, score.name) && !added(Kind::scope, scope.name) &&
              !added(Kind::normaliser, normaliser.name) && !added(Kind::position, position.name) &&
              !added(Kind::evaluator, evaluator.name))
            continue;
          const size_t n = scores.size() + scopes.size(), p_0 = n + normalisers.size(), e_0 = p_0 + positions.size();
          const std::vector<size_t> combination{i, scores.size() + j, n + k / positions.size(),
                                                p_0 + k % positions.size(), e_0 + e};
          if (!every && pairs.all_seen(combination)) continue;
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
            if (!every && e == 0) break;  // dense reads any weights: the four other stages do not go together
            continue;
          }
          ++evaluated[evaluator.name];
          pairs.see(combination);
          for (DType dtype : {DType::f64, DType::f32}) {
            if (e == 0 && dtype == DType::f64) continue;  // dense alone: is it finite in f32?
            if (dtype == DType::f32) p = built(o, dtype);
            bool exact = !p->evaluator || p->evaluator->exact();
            if (!dense.contains(dtype)) {
              nn::AttentionOptions twin = o;
              twin.evaluator = {.name = "dense"};
              dense[dtype] = run(e == 0 ? *p : *built(twin, dtype), dtype, false);
              CHECK(all_finite(dense[dtype].context));
            }
            if (e == 0) continue;  // the twin itself
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
  for (size_t stage = 0; stage < all.size() && !examples; ++stage)
    CHECK_MESSAGE(pairs.was_seen(stage), all[stage].name << " is refused in every combination");
  CHECK(evaluated["dense"] > 500);
  CHECK(evaluated["tiled"] > (every ? 50 : 25));
  CHECK(refused["tiled"] > 50);
}
