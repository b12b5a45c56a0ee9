// The model of the comparison: one score of nn/attention, a softmax, and an output layer that predicts the symbol.
//
//   q [B, T, d] -> e = score(q, k) [B, T, S] -> w = softmax(e) -> c = w v [B, T, S] -> logits [B, T, S]
//
// dot, scaled dot and cosine have no parameters that could learn the rotation: "W" in the name means a learned matrix
// W_q [d, d] on the queries. The values are one-hot, so c already contains one weight per symbol, and logits = 8 c are
// enough. If the output layer is learned (part 5), it starts as a number times the identity.
#pragma once

#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/train/progress.h"
#include "tensor/allocator.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"
#include "tutorials/14_scores/look_up.h"

namespace scores {

namespace nn = heed::nn;

struct Entrant {
  std::string name, score;
  bool mapped = false;   // with W_q
  int64_t width = 0;     // reduced_rank: the rank; additive, concat: hidden units; 0: d
  double sharpness = 1;  // cosine: beta at the start
  double output = 0;     // not 0: the output layer is learned and starts as this number times the identity
};

// Its settings (nn/attention/scores/).
inline nn::SettingValues settings_of(const Entrant& e) {
  if (e.score == "location") return {{"max_source", kEntries}};
  if (e.score == "cosine") return {{"sharpness", e.sharpness}};
  if (e.width > 0) return {{"width", e.width}};
  return {};
}

struct Reader : nn::Module {
  static constexpr double kScale = 8;  // e^8 / (e^8 + 15) = 0.995: large enough to predict one symbol with certainty
  Reader(const Entrant& e, int64_t d, Generator& rng)
      : score(nn::make_score({.name = e.score, .query = d, .key = d, .settings = settings_of(e)}, rng)) {
    if (e.mapped) map.emplace(nn::Linear::Options{.in = d, .out = d, .bias = false}, rng);
    if (e.output == 0) return;
    output.emplace(nn::Linear::Options{.in = kEntries, .out = kEntries}, rng);
    output->weight.set_value(mul(Tensor::eye(kEntries), e.output));
    output->bias.set_value(Tensor::zeros({kEntries}));
  }
  Variable scores(const Variable& queries, const Variable& keys) const {  // [B, T, d], [B, S, d] -> [B, T, S]
    return (*score)(map ? (*map)(queries) : queries, score->prepare(keys));
  }
  Variable scores(const Entries& n) const { return scores(Variable(n.queries), Variable(n.keys)); }
  Variable logits(const Variable& scores, const Entries& n) const {  // -> logits [B T, S]
    Variable context = nn::attend(scores, n.values).context;
    return reshape(output ? (*output)(context) : context * kScale, {n.symbols.size(0), kEntries});
  }
  void visit(nn::Visitor& v) {
    v.child("score", *score);
    if (map) v.child("map", *map);
    if (output) v.child("output", *output);
  }
  std::unique_ptr<nn::Score> score;
  std::optional<nn::Linear> map, output;
};

inline double percent(const Tensor& yes) { return 100 * mean(yes.to(heed::DType::f64)).item(); }

// Correctly predicted symbols, in % of the queries.
inline double right(const Reader& reader, const Entries& n) {
  heed::NoGrad guard;
  return percent(equal(argmax(reader.logits(reader.scores(n), n).value(), 1), n.symbols));
}

// The mean entropy of the weights, in nats: ln 16 = 2.77 if all are equal, 0 if one of them is 1.
inline double entropy(const Tensor& scores) {
  Tensor log_w = log_softmax_rows(scores.to(heed::DType::f64));
  return -mean(sum(mul(exp(log_w), log_w), {-1})).item();
}

struct Training {
  int64_t d = 64, steps = 600, batch = 32;
  double rate = 3e-3;
  uint64_t seed = 1;
  Task task = {};
};
struct Outcome {
  Entrant entrant;
  int64_t parameters = 0;
  double right = 0;           // correct symbols of new entries, in %, at the end
  int64_t steps = -1;         // until 95 % were correct; -1: never
  double entropy = 0;         // of the weights before training
  double microseconds = 0;    // score, softmax and weighted mean, forward and backward, for a batch of 512 queries
  uint64_t bytes = 0;         // peak memory of that step, above what was allocated before
  std::vector<double> curve;  // correct symbols in %, every kEvery steps
};
inline constexpr int64_t kEvery = 10;

// Queries and keys get a gradient, too, as they would inside a larger model.
inline void measure_cost(Reader& reader, const Entries& n, Outcome& out) {
  for (int i = 0; i < 5; ++i) {
    Variable queries(n.queries, Variable::kRequiresGrad), keys(n.keys, Variable::kRequiresGrad);
    heed::reset_peak();
    uint64_t before = heed::allocator_stats().live_bytes;
    auto start = std::chrono::steady_clock::now();
    backward(sum(square(nn::attend(reader.scores(queries, keys), n.values).context)));
    std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    out.microseconds = i == 0 ? taken.count() : std::min(out.microseconds, taken.count());
    out.bytes = heed::allocator_stats().peak_bytes - before;
  }
  nn::zero_grad(reader);
}

// Trains until 99 % of the symbols are correct, or for the given number of steps.
inline Outcome learn(const Entrant& e, const Training& t, std::optional<Reader>* trained = nullptr) {
  Generator start(t.seed, 1 << 20), data(t.seed, 1ull << 40), held(t.seed, 1ull << 41);
  Reader reader(e, t.d, start);
  Outcome out;
  out.entrant = e;
  Entries test = make_entries(32, t.d, t.task, held);
  out.parameters = nn::count_parameters(reader);
  out.entropy = entropy(reader.scores(test).value());
  measure_cost(reader, test, out);
  std::optional<nn::Adam> adam;
  if (out.parameters > 0) adam.emplace(nn::named_parameters(reader), nn::Adam::Options{.learning_rate = t.rate});
  for (int64_t step = 0;; ++step) {
    if (step % kEvery == 0) {
      out.right = right(reader, test);
      out.curve.push_back(out.right);
      if (out.right >= 95 && out.steps < 0) out.steps = step;
      if (out.right >= 99 || step >= t.steps || !adam) break;
    }
    Entries n = make_entries(t.batch, t.d, t.task, data);
    adam->zero_grad();
    backward(cross_entropy(reader.logits(reader.scores(n), n), n.symbols));
    adam->step();
  }
  if (trained) trained->emplace(std::move(reader));
  return out;
}

}  // namespace scores
