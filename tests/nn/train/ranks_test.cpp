// A run on any number of ranks has the losses, penalties and validation of a run on one: with dropout, uneven batches,
// accumulation, clipping, averages and a sharded optimiser. Its checkpoint can be resumed by another number of ranks.
// The ranks are threads (thread_ranks.h); those of MPI are in tests/tutorials/ranks_test.sh.
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/clip.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/io/support.h"
#include "tests/nn/train/support.h"
#include "tests/nn/train/thread_ranks.h"

using namespace heed;
using namespace heed::nn_test;
using heed::io_test::Folder;

namespace {

const std::vector<data::EncodedPair> kLearned = pairs(23), kHeldOut = pairs(7);

// Losses, penalties and tokens of the steps, and validation losses. Parameters are not compared: the gradient of a bias
// of keys is 0 except for rounding, and Adam turns that into steps of full size.
using Curve = std::vector<double>;

nn::TransformerOptions small_transformer() {
  nn::TransformerOptions o{.source_vocabulary = 8, .target_vocabulary = 8, .model = 8, .heads = 2, .inner = 12};
  o.dropout = 0.3, o.activation = "gelu";
  return o;
}

nn::FitOptions how() {
  return {.epochs = 3, .batch_size = 5, .learning_rate = 1e-2, .warmup = 4, .clip = 0.3, .label_smoothing = 0.1};
}

// From the checkpoint `from` if there is one; saves into `to` after `stop` steps.
template <class M>
Curve curve(const typename M::Options& model_options, nn::FitOptions o, nn::Ranks* ranks, const std::string& from = "",
            const std::string& to = "", int64_t stop = 1000) {
  M model = make<M>(model_options, 1);
  nn::convert(model, DType::f64);  // so that a difference is no rounding error
  o.ranks = ranks;
  nn::FitRun run(nn::fit_model(model), kLearned, kHeldOut, o);
  if (!from.empty()) run.load(from);
  Curve c;
  nn::FitWatcher watcher;
  watcher.on_step = [&](const nn::FitStep& s) {
    c.push_back(s.loss);
    c.push_back(static_cast<double>(s.tokens));
    for (const auto& [name, value] : s.penalties) c.push_back(value);
  };
  watcher.on_epoch = [&](const nn::EpochRecord& r) { c.push_back(r.valid_loss); };
  while (!run.done() && run.steps() < stop) run.step(watcher);
  run.require_same_parameters();
  if (!to.empty()) run.save(to);
  return c;
}

double apart(const Curve& a, const Curve& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

template <class M>
void check_ranks(const typename M::Options& model, const nn::FitOptions& o) {
  const Curve one = curve<M>(model, o, nullptr);
  REQUIRE(one.size() > 10);
  for (int64_t size : {2, 3, 7})  // the last batch has 3 pairs, so most of seven ranks get none
    for (bool shard : {false, true}) {
      CAPTURE(size);
      CAPTURE(shard);
      nn::FitOptions shared = o;
      shared.shard = shard;
      Curve several;
      as_ranks(size, [&](nn::Ranks& ranks) {
        Curve own = curve<M>(model, shared, &ranks);
        if (ranks.rank() == size - 1) several = own;
      });
      CHECK(apart(several, one) <= 1e-9);
    }
}

}  // namespace

TEST_CASE("ranks: a transformer with dropout, its losses, penalties and parameters; tiled attention, checkpoints") {
  nn::FitOptions o = how();
  check_ranks<nn::Transformer>(small_transformer(), o);
  o.accumulate = 2, o.attention.coverage_loss = 0.5, o.attention.attention_overlap = 0.1;
  o.weights = "ema", o.optimizer = "adamw", o.weight_decay = 0.1;
  check_ranks<nn::Transformer>(small_transformer(), o);
  nn::TransformerOptions tiled = small_transformer();
  tiled.evaluator = "tiled", tiled.attention_dropout = 0.3;
  o = how(), o.checkpoint = 1, o.batch_tokens = 20, o.weights = "average";
  check_ranks<nn::Transformer>(tiled, o);
}

TEST_CASE("ranks: a recurrent model, whose layers drop out by time") {
  nn::Bahdanau::Options model = kTiny;
  model.encoder.layers = 2;
  check_ranks<nn::Bahdanau>(model, how());
}

TEST_CASE("ranks: a run is resumed by more ranks and by fewer, sharded and not") {
  Folder folder;
  const Curve one = curve<nn::Transformer>(small_transformer(), how(), nullptr);
  nn::FitOptions sharded = how();
  sharded.shard = true;
  Curve parts;
  auto part = [&](int64_t size, const nn::FitOptions& o, const std::string& from, const std::string& to, int64_t stop) {
    as_ranks(size, [&](nn::Ranks& ranks) {
      const Curve own = curve<nn::Transformer>(small_transformer(), o, &ranks, from, to, stop);
      if (ranks.root()) parts.insert(parts.end(), own.begin(), own.end());
    });
  };
  part(2, sharded, "", folder / "a", 3);
  part(3, sharded, folder / "a", folder / "b", 7);
  part(4, how(), folder / "b", folder / "c", 9);
  part(1, how(), folder / "c", "", 1000);
  CHECK(apart(parts, one) <= 1e-9);
}

TEST_CASE("ranks: with adamw a run is resumed by so many ranks that some own pieces of matrices only") {
  Folder folder;
  nn::FitOptions o = how();
  o.shard = true, o.optimizer = "adamw", o.weight_decay = 0.1;
  const Curve one = curve<nn::Transformer>(small_transformer(), o, nullptr);
  Curve parts;
  for (int64_t size : {2, 16})
    as_ranks(size, [&](nn::Ranks& ranks) {
      const Curve own = curve<nn::Transformer>(small_transformer(), o, &ranks, size == 2 ? "" : folder / "state",
                                               size == 2 ? folder / "state" : "", size == 2 ? 4 : 1000);
      if (ranks.root()) parts.insert(parts.end(), own.begin(), own.end());
    });
  CHECK(apart(parts, one) <= 1e-9);
}

TEST_CASE("ranks: gradients leave in the order in which backward completes them") {
  const nn::TransformerOptions options = small_transformer();
  as_ranks(2, [&](nn::Ranks& ranks) {
    nn::Transformer model = make<nn::Transformer>(options, 1);
    const std::vector<NamedVariable> parameters = nn::named_parameters(model);
    nn::GradientExchange exchange(ranks, parameters, {.shard = false, .bytes = 64});
    std::vector<double> nothing;
    for (int step = 0; step < 2; ++step) {  // the second one in the order that the first has measured
      const data::Batch batch = data::make_batch(kLearned, {ranks.rank(), 5});
      for (auto p : parameters) p.variable.zero_grad();
      backward(sum(square(model(batch.source, batch.lengths, batch.target_in))), {.ready = exchange.ready()});
      exchange.finish(nothing);
    }
    std::vector<Tensor> gradients;
    for (const auto& p : parameters) gradients.push_back(p.variable.grad());
    nn::require_same_tensors(ranks, gradients, "at the end");
  });
}

// A matrix has two numbers and a vector has one, so two of four ranks own nothing. A value is replaced between the
// steps, and the state is loaded by another number of ranks.
TEST_CASE("ranks: sharded, those that own no piece take part, and parameters may be replaced before a step") {
  auto trained = [](nn::Ranks& ranks, const io::SafeTensors* from, io::SafeTensors* to) {
    const Tensor begin = Tensor::from(from ? std::vector<double>{-0.4, 0.7} : std::vector<double>{1, 2}, {2, 1});
    Variable w(begin, Variable::kRequiresGrad), b(Tensor::full({1}, 0.5, DType::f64), Variable::kRequiresGrad);
    nn::GradientExchange exchange(ranks, {{"w", w}, {"b", b}}, {.shard = true});
    const auto [matrices, others] = nn::split_parameters(exchange.pieces(), nn::is_matrix);
    CHECK(matrices.size() == 1);
    nn::AdamW adam({{matrices, {.learning_rate = 0.1, .weight_decay = 0.2}}, {others, {.learning_rate = 0.1}}});
    if (from) adam.load_state(exchange.own(*from), "test");
    std::vector<double> nothing, values;
    for (int step = 0; step < 4; ++step) {
      w.zero_grad(), b.zero_grad();
      if (step == 2) w.set_value(Tensor::full({2, 1}, 3.0, DType::f64));
      Variable loss = (sum(square(w)) + sum(b * w)) / static_cast<double>(ranks.size());
      backward(loss, {.ready = exchange.ready()});
      exchange.finish(nothing);
      nn::clip_grad_norm(exchange.pieces(), 1, {.ranks = &ranks});
      adam.step();
      exchange.gather_parameters();
      for (const Variable& v : {w, b})
        for (double x : v.value().to_vector()) values.push_back(x);
    }
    io::SafeTensors whole = exchange.whole(adam.save_state());
    if (ranks.root() && to) *to = std::move(whole);
    return values;
  };
  io::SafeTensors state;
  const Curve one = trained(nn::alone(), nullptr, &state), on = trained(nn::alone(), &state, nullptr);
  as_ranks(4, [&](nn::Ranks& ranks) {
    io::SafeTensors own;
    CHECK(apart(trained(ranks, nullptr, &own), one) <= 1e-6);
    if (ranks.root()) CHECK(own.metadata == state.metadata);
    CHECK(apart(trained(ranks, &state, nullptr), on) <= 1e-6);
  });
}

TEST_CASE("ranks: a rank without a backward pass in the first step still sums in the order of rank 0") {
  as_ranks(2, [&](nn::Ranks& ranks) {
    Variable u(Tensor::ones({2}), Variable::kRequiresGrad), w(Tensor::ones({2}), Variable::kRequiresGrad);
    nn::GradientExchange exchange(ranks, {{"u", u}, {"w", w}}, {.shard = false, .bytes = 1});
    std::vector<double> nothing;
    for (int step = 0; step < 2; ++step) {
      u.zero_grad(), w.zero_grad();
      if (step > 0 || ranks.root()) backward(sum(u) + 2.0 * sum(w), {.ready = exchange.ready()});
      exchange.finish(nothing);
      CHECK(u.grad().at({0}) == 1.0 * (step + 1));
      CHECK(w.grad().at({0}) == 2.0 * (step + 1));
    }
  });
}

// A parameter that requires a gradient again has a new node, which may lie where that of another one was.
TEST_CASE("ranks: parameters may be frozen for a step, and are summed when they require gradients again") {
  for (bool shard : {false, true})
    as_ranks(2, [&](nn::Ranks& ranks) {
      Variable u(Tensor::ones({2}), Variable::kRequiresGrad), w(Tensor::ones({2}), Variable::kRequiresGrad);
      nn::GradientExchange exchange(ranks, {{"u", u}, {"w", w}}, {.shard = shard, .bytes = 1});
      const Variable own_u = exchange.pieces()[0].variable, own_w = exchange.pieces()[1].variable;
      std::vector<double> nothing;
      u.set_requires_grad(false);
      backward(3.0 * sum(w), {.ready = exchange.ready()});
      exchange.finish(nothing);
      CHECK_FALSE(own_u.grad().defined());
      CHECK(own_w.grad().at({0}) == 6.0);
      for (Variable* first : {&u, &w}) {
        u.set_requires_grad(false), w.set_requires_grad(false);
        first->set_requires_grad(true), u.set_requires_grad(true), w.set_requires_grad(true);
        backward(sum(u) + 2.0 * sum(w), {.ready = exchange.ready()});
        exchange.finish(nothing);
        CHECK(own_u.grad().at({0}) == 2.0);
        CHECK(own_w.grad().at({0}) == 4.0);
      }
    });
}

TEST_CASE("ranks: buffers that training updates are those of rank 0 in validation and in the checkpoint") {
  nn::TransformerOptions model = small_transformer();
  model.dropout = 0;
  model.encoder_mixers = "lambda_layer";  // with batch norm
  Folder folder;
  std::vector<std::string> states(2);
  as_ranks(2, [&](nn::Ranks& ranks) {
    nn::Transformer own = make<nn::Transformer>(model, 1);
    nn::FitOptions o = how();
    o.ranks = &ranks;
    nn::FitRun run(nn::fit_model(own), kLearned, kHeldOut, o);
    run.step({});
    run.save(folder / "state");
    std::vector<double> all;
    for (const auto& [name, buffer] : nn::detail::collect(own).buffers)
      for (double x : buffer->to_vector()) all.push_back(x);
    CHECK(!all.empty());
    for (double x : all) states[static_cast<size_t>(ranks.rank())] += std::to_string(x) + " ";
  });
  CHECK(states[0] == states[1]);
}
