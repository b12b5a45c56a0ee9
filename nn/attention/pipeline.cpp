#include "nn/attention/pipeline.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/evaluators/by_blocks.h"
#include "nn/attention/evaluators/halves_heads.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/positions/counts_in_blocks.h"
#include "nn/attention/positions/reads_keys.h"
#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/reads_scores.h"
#include "nn/attention/positions/reads_words.h"
#include "nn/attention/positions/rotary_position.h"
#include "nn/attention/scopes/compares_keys.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/scores/dot.h"
#include "nn/observe.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

AttentionOptions completed(AttentionOptions o) {
  for (StageOptions* stage : {&o.scope, &o.normaliser, &o.position, &o.evaluator}) {
    if (stage->query == 0) stage->query = o.score.query;
    if (stage->key == 0) stage->key = o.score.key;
    if (stage->heads == 1) stage->heads = o.score.heads;
    stage->causal = stage->causal || o.score.causal;
  }
  o.score = completed_stage(Kind::score, o.score);
  o.normaliser = completed_stage(Kind::normaliser, o.normaliser);
  if (!joins(o.scope.name)) o.scope = completed_stage(Kind::scope, o.scope);
  o.position = completed_stage(Kind::position, o.position);
  o.evaluator = completed_stage(Kind::evaluator, o.evaluator);
  return o;
}

Dropout dropout_of(double p, Generator& rng, bool may_drop) {
  Generator unused(0);
  return Dropout({.p = p}, may_drop || p > 0 ? rng : unused);
}

// A growing memory has more keys at each step. A key that was not there yet had the weight 0.
Variable padded_to(const Variable& total, const Variable& weights) {
  int64_t more = weights.size(-1) - total.size(-1);
  if (more <= 0) return total;
  Shape zeros = total.shape();
  zeros[zeros.rank() - 1] = more;
  return concat({total, Variable(Tensor::zeros(zeros, total.dtype()))}, -1);
}

// A query that is padding is not a step: its rows keep the state of the step before or, at first, the initial state.
void keep_at_padding(AlignmentState& now, const AlignmentState& before, const Tensor& query_words) {
  const Tensor padding = logical_not(query_words);  // [B, 1]
  for (Variable AlignmentState::*part :
       {&AlignmentState::weights, &AlignmentState::total, &AlignmentState::carried, &AlignmentState::alignment}) {
    Variable &x = now.*part, old = before.*part;
    if (!x.defined()) continue;
    if (!old.defined()) {
      old = Variable(Tensor::zeros(x.shape(), x.dtype()));
      if (part == &AlignmentState::alignment)  // which begins at the first key
        old = old + Variable(equal(Tensor::arange(x.size(-1)), 0).to(x.dtype()));
    }
    Tensor rows = padding;
    while (rows.rank() < x.rank()) rows = rows.unsqueeze(-1);
    x = where(rows, padded_to(old, x), x);
  }
}

// The options of the score, whose queries and keys are those that the position has turned, perhaps twice as wide.
ScoreOptions compared(const AttentionOptions& o) {
  Generator unused(0);
  ScoreOptions score = o.score;
  if (make_head_position(o.position, unused)->widens()) score.query *= 2, score.key *= 2;
  return score;
}

// The evaluator of this row of the registry, with default settings; its widths and heads are those of the options.
std::unique_ptr<Evaluator> evaluator_of(const CatalogueEntry& row, EvaluatorOptions options) {
  options.name = row.name, options.settings = {};
  Generator unused(0);
  return row.evaluator(completed_stage(Kind::evaluator, options), unused);
}

// The evaluators that `auto` may choose, which do not depend on the options. They are found once, because making some
// of them takes thousands of random numbers.
const std::vector<const CatalogueEntry*>& automatic_rows(const EvaluatorOptions& options) {
  static const std::vector<const CatalogueEntry*> rows = [&] {
    std::vector<const CatalogueEntry*> found;
    for (const CatalogueEntry& row : stage_entries(Kind::evaluator))
      if (row.evaluator && evaluator_of(row, options)->automatic()) found.push_back(&row);
    return found;
  }();
  return rows;
}

// Does it compare halves of heads, which are turned apart?
bool halves_heads(const Evaluator* by) { return dynamic_cast<const HalvesHeads*>(by) != nullptr; }

// Positions turn x [B, T, H, K]: x [B, T, K] gets an axis of one head, and loses it again.
template <class Turn>
Variable with_heads(const Variable& x, const Evaluator* by, const Turn& turn) {
  if (x.rank() == 3) return squeeze(with_heads(unsqueeze(x, 2), by, turn), 2);
  if (!halves_heads(by)) return turn(x);
  const int64_t K = x.size(3);
  return concat({turn(slice(x, 3, 0, K / 2)), turn(slice(x, 3, K / 2, K))}, 3);
}

}  // namespace

Pipeline::Pipeline(const char* owner, const AttentionOptions& o, Generator& rng, bool may_drop)
    : stages(completed(o)),
      score(make_score(compared(stages), rng)),
      position(make_head_position(stages.position, rng)),
      scope(make_scope(stages.scope, rng)),
      normaliser(make_normaliser(stages.normaliser, rng)),
      weight_dropout(dropout_of(stages.dropout, rng, may_drop)) {
  if (auto* dot = dynamic_cast<ScaledDotScore*>(score.get()); dot && position->widens()) dot->widened = 2;
  auto refuse = [&](const std::string& why) { throw ValueError(fmt::format("{}: {}", owner, why)); };
  if (scope->modulates() && normaliser->chooses_one())
    refuse(
        fmt::format("a scope that scales the weights needs a normaliser that spreads them; got {} with {}; use a mask",
                    stages.scope.name, stages.normaliser.name));
  if (compares_keys(*scope) && !(score->any_width() && score->product_scale()))
    refuse(fmt::format("the scope {} multiplies queries by keys as they are; got the score {}; hint: scaled_dot",
                       stages.scope.name, stages.score.name));
  if (scope->needs_whole_source() && scope->causal())
    refuse(
        fmt::format("the scope {} depends on the length of the whole source, which a causal one does not know; "
                    "hint: a scope of fixed width",
                    stages.scope.name));
  if (!normaliser->row_wise() && scope->causal())
    refuse(
        fmt::format("the normaliser {} needs all queries together, later ones too; got the scope {}; "
                    "hint: softmax, or self-attention without a causal mask, as an encoder alone has",
                    stages.normaliser.name, stages.scope.name));
  if (!normaliser->row_wise() && score->sequential())
    refuse(fmt::format("the normaliser {} needs all queries together; got the score {}, which goes one query at a time",
                       stages.normaliser.name, stages.score.name));
  if (position->needs_product() && !score->product_scale())
    refuse(
        fmt::format("{} adds to products of query and key; got the score {}", stages.position.name, stages.score.name));
  if (position->widens() && (!score->any_width() || scope->modulates()))
    refuse(fmt::format(
        "{} doubles the width of queries and keys, so it needs dot or scaled_dot and a scope that is a mask; "
        "got the score {} and the scope {}",
        stages.position.name, stages.score.name, stages.scope.name));
  const bool compares = position->has_bias() && position->needs_product();  // queries with vectors of a key's width
  if (compares && stages.position.query != stages.position.key && !dynamic_cast<const ReadsScores*>(position.get()))
    refuse(
        fmt::format("{} compares queries with vectors as wide as keys, so both must have one width; got queries of {} "
                    "and keys of {}; hint: t5, a number for each distance",
                    stages.position.name, stages.position.query, stages.position.key));
  if (dynamic_cast<const ReadsKeys*>(position.get()) && !score->any_width())
    refuse(fmt::format("{} reads the keys as they are; got the score {}, which may change them; use scaled_dot",
                       stages.position.name, stages.score.name));
  for (const CatalogueEntry* row : automatic_rows(stages.evaluator)) {
    auto candidate = evaluator_of(*row, stages.evaluator);
    if (candidate->refuses(set()).empty()) automatic_.push_back(std::move(candidate));
  }
  if (chosen_by_call(stages.evaluator)) return;
  evaluator = make_evaluator(stages.evaluator, rng);
  if (halves_heads(evaluator.get()) && position->turns()) {
    stages.position.query /= 2, stages.position.key /= 2;
    position = make_head_position(stages.position, rng);
  }
  require_evaluated(owner, *position, stages.position.name);
}

void Pipeline::require_evaluated(const char* owner, const HeadPosition& by, const std::string& called) const {
  if (!evaluator) return;
  if (std::string why = evaluator->refuses({*score, by, *scope, *normaliser, weight_dropout}); !why.empty())
    throw ValueError(
        fmt::format("{}: the evaluator {} cannot do this: {}; got the score {}, the normaliser {}, the scope {}, the "
                    "position {}{}",
                    owner, stages.evaluator.name, why, stages.score.name, stages.normaliser.name, stages.scope.name,
                    called, why.find("; ") == std::string::npos ? "; use auto" : ""));  // one hint
}

void Pipeline::require_own_words(const char* owner, const char* got) const {
  if (dynamic_cast<const ReadsWords*>(position.get()))
    throw ValueError(fmt::format("{}: the position {} reads the words of self-attention, all of them; got {}", owner,
                                 stages.position.name, got));
}

void Pipeline::require_steps_apart(const char* owner) const {
  const bool rows_apart = normaliser->row_wise();
  if (rows_apart && !(evaluator && evaluator->mixes_queries())) return;
  throw ValueError(fmt::format(
      "{}: all steps are one call, so the result of a step must not depend on later ones; got the {}; hint: {}", owner,
      rows_apart ? "evaluator " + stages.evaluator.name : "normaliser " + stages.normaliser.name,
      rows_apart ? "auto" : "softmax"));
}

Variable Pipeline::prepare_keys(const Variable& keys, const Places& places) const {
  Variable k = keys;
  if (position->turns())
    k = with_heads(k, evaluator.get(), [&](const Variable& x) { return position->turn_key(x, places); });
  return score->prepare(k.rank() == 4 ? transpose(k, 1, 2) : k);
}

std::unique_ptr<AttentionMemory> Pipeline::memory() const {
  if (evaluator)
    if (auto own = evaluator->memory(set()); own) return own;
  // Stages that remember weights, or know keys by their places, count from the first key of all.
  bool moves = !set().sequential() && !reads_places();
  if (std::optional<int64_t> reach = scope->reach(); reach && moves) return std::make_unique<RingMemory>(*reach);
  return std::make_unique<HeadCache>();
}

bool Pipeline::reads_places() const {
  if (score->by_place() || scope->by_place() || reads_places_of(*position)) return true;
  if (!position->turns()) return false;
  if (evaluator && !evaluator->exact()) return true;  // its features of a rotated vector are not the rotated features
  // A rotation that also scales entries by different factors (xPos) preserves only the dot product.
  bool scales = dynamic_cast<const CountsInBlocks*>(position.get()) != nullptr;
  bool rotates = dynamic_cast<const RotaryPosition*>(position.get()) != nullptr;
  return rotates && !(scales ? score->any_width() : score->keeps_rotations());
}

bool Pipeline::watched() const {
  auto hooked = [](const Module& m) { return !m.output_hooks.empty(); };
  return Observe::active() || hooked(*this) || hooked(*score) || hooked(*normaliser) || hooked(weight_dropout);
}

const Evaluator& Pipeline::chosen(bool must_show) const {
  auto can = [&](const Evaluator& e) { return !(must_show && !e.shows_weights() && e.exact()); };
  if (evaluator && can(*evaluator)) return *evaluator;
  if (evaluator) return dense_;
  for (const auto& e : automatic_)
    if (can(*e)) return *e;
  return dense_;
}

Attended Pipeline::one_query_at_a_time(const Variable& queries, const AttentionCall& call,
                                       StageContext& context) const {
  StageContext step = context;
  std::vector<Variable> contexts, weights, scores;
  for (int64_t t = 0; t < queries.size(1); ++t) {
    AttentionCall one = rows_of(call, t, t + 1);
    one.report = false, one.weights = true;
    step.places = rows_of(context.places, t, t + 1);
    Attended seen = attend_to(slice(queries, 1, t, t + 1), one, step);
    contexts.push_back(seen.context);
    weights.push_back(seen.weights), scores.push_back(seen.scores);
  }
  Attended all{concat(contexts, -2), concat(weights, -2), concat(scores, -2)};
  if (call.report) Observe::report(all.weights.value(), all.scores.value());
  return all;
}

// The bias of a position that reads words joins that of the caller, before queries are cut into pieces.
void Pipeline::add_bias_of_marks(AttentionCall& call, int64_t T) const {
  const auto* scheme = dynamic_cast<const ReadsWords*>(position.get());
  if (!scheme || call.biased) return;
  if (!call.marks.defined())
    throw ValueError(fmt::format(
        "attention: the position {} needs the marks of all keys; got none; hint: reads_words.h", stages.position.name));
  const Variable own = scheme->bias_of_marks(call.marks, T, scope->causal());  // [B, H, T, S]
  call.biased = true;
  call.bias = call.bias.defined() ? own + beside_heads(call.bias) : own;
}

Attended Pipeline::attend_to(const Variable& queries, AttentionCall call, StageContext& context) const {
  int64_t T = queries.size(1);
  bool heads = queries.rank() == 4;
  add_bias_of_marks(call, T);
  if (!call.memory && !call.clean) {
    call.keys = without_unread(call.keys, call.allowed), call.values = without_unread(call.values, call.allowed);
    call.clean = true;
  }
  context.heads = heads ? queries.size(2) : 0;
  context.places.queries = T, context.places.keys = call.memory ? call.memory->words() : call.values.size(-2);
  AlignmentState fresh;
  bool sequential = set().sequential();
  if (sequential && !context.state) context.state = &fresh;
  if (sequential && T > 1) {
    Attended all = one_query_at_a_time(queries, call, context);
    if (context.state == &fresh) context.state = nullptr;
    return all;
  }
  Variable q = queries;
  if (position->turns())
    q = with_heads(q, evaluator.get(), [&](const Variable& x) { return position->turn_query(x, context.places); });
  call.queries = heads ? transpose(q, 1, 2) : q;
  call.restriction = (*scope)(call.queries, call.keys, context);
  bool must_show = call.weights || watched();
  const Evaluator& by = call.memory ? *evaluator : chosen(must_show);
  const AlignmentState before = sequential ? *context.state : AlignmentState();
  call.weights = must_show && !call.memory;
  Attended seen = by_blocks(by, set(), call, context);
  if (Observe::active() && call.report && !by.shows_weights() && !call.memory)
    Observe::report(by.implied_weights(set(), call, context).value());
  if (AlignmentState* state = context.state; state && T > 0) {
    state->position += T;
    state->weights = seen.weights.defined() ? select(seen.weights, -2, T - 1) : Variable();
    if (sequential)
      state->total = state->total.defined() ? padded_to(state->total, state->weights) + state->weights : state->weights;
    if (sequential && call.query_words.defined()) keep_at_padding(*state, before, call.query_words);
  }
  if (context.state == &fresh) context.state = nullptr;
  return seen;
}

void Pipeline::visit_stages(Visitor& v) {
  v.child("score", *score);
  visit_position(v);
  visit_scope(v);
  v.child("normaliser", *normaliser);
  visit_evaluator(v);
}

void Pipeline::visit_scope(Visitor& v) {
  if (scope->modulates() || count_parameters(*scope) > 0) v.child("scope", *scope);
}

void Pipeline::visit_position(Visitor& v) {
  if (stages.position.name != default_stage(Kind::position)) v.child("position", *position);
}

void Pipeline::visit_evaluator(Visitor& v) {
  if (evaluator && count_parameters(*evaluator) > 0) v.child("evaluator", *evaluator);
}

}  // namespace heed::nn
