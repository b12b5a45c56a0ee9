// Options of a run: batches by tokens, several batches per step, which parameters are validated and kept. With each of
// them a resumed run ends with the same bits; runs without them are in checkpoint_test.cpp.
#include "nn/train/fit.h"

#include <cmath>

#include "nn/optim/average.h"
#include "nn/transformer/transformer.h"
#include "tensor/matmul.h"
#include "tests/nn/io/support.h"
#include "tests/nn/train/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::io_test::Folder;

namespace {

const std::vector<data::EncodedPair> kTrain = pairs(40), kValid = pairs(7);

// In place of BLEU: a measure whose best epoch is not that of the loss, and which draws no random numbers.
nn::FitModel judged(nn::Bahdanau& model) {
  nn::FitModel m = nn::fit_model(model);
  m.bleu = [&model] { return 50 + 40 * std::sin(1e4 * nn::named_parameters(model)[0].variable.value().at({4, 0})); };
  return m;
}
std::vector<Tensor> values(nn::Bahdanau& model) {
  std::vector<Tensor> out;
  for (auto& p : nn::named_parameters(model)) out.push_back(p.variable.value().clone());
  return out;
}
void check_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) CHECK(bit_equal(a[i], b[i]));
}

}  // namespace

TEST_CASE("the perplexity of an epoch is the exponential of its loss") {
  CHECK(nn::EpochRecord{.valid_loss = std::log(7.0)}.valid_perplexity() == doctest::Approx(7).epsilon(1e-12));
}

TEST_CASE("several batches a step give the gradient of the one large batch, with smoothing, to 1e-12") {
  for (double smoothing : {0.0, 0.1}) {
    std::vector<std::vector<Tensor>> gradients;
    for (int64_t parts : {1, 2, 5}) {
      nn::Bahdanau::Options still = kTiny;
      still.dropout = 0;
      nn::Bahdanau model = make<nn::Bahdanau>(still, 1);
      nn::convert(model, DType::f64);
      nn::FitRun run(
          nn::fit_model(model), kTrain, kValid,
          {.epochs = 1, .batch_size = 40 / parts, .clip = 0, .label_smoothing = smoothing, .accumulate = parts});
      double loss = 0, tokens = 0;
      nn::FitWatcher watcher;
      watcher.on_step = [&](const nn::FitStep& s) { loss = s.loss, tokens = static_cast<double>(s.tokens); };
      run.step(watcher);
      CHECK(run.steps() == 1);
      CHECK(run.done());  // all pairs were in this one step
      gradients.emplace_back();
      for (auto& p : nn::named_parameters(model)) gradients.back().push_back(p.variable.grad());
      gradients.back().push_back(Tensor::full({1}, loss, DType::f64));
      gradients.back().push_back(Tensor::full({1}, tokens, DType::f64));
    }
    for (size_t k = 1; k < gradients.size(); ++k)
      for (size_t i = 0; i < gradients[0].size(); ++i)
        CHECK(max_abs_difference(gradients[k][i], gradients[0][i]) <= 1e-12);
  }
}

TEST_CASE("a run with codebooks, stopped between a call that moves them and the next, ends with the same bits") {
  for (const char* mixer : {"vq_attention", "routing"}) {
    CAPTURE(mixer);
    nn::TransformerOptions model{.source_vocabulary = 8, .target_vocabulary = 8, .model = 8, .heads = 2, .inner = 12};
    model.encoder_mixers = mixer;
    const nn::FitOptions options{.epochs = 2, .batch_size = 4, .learning_rate = 0.01, .warmup = 2};
    Folder folder;
    nn::Transformer straight = make<nn::Transformer>(model, 1), first = make<nn::Transformer>(model, 1),
                    second = make<nn::Transformer>(model, 2);
    nn::FitRun whole(nn::fit_model(straight), kTrain, kValid, options),
        ahead(nn::fit_model(first), kTrain, kValid, options), run(nn::fit_model(second), kTrain, kValid, options);
    while (!whole.done()) whole.step();
    ahead.step();
    ahead.save(folder / "last");
    run.load(folder / "last");
    while (!run.done()) run.step();
    for (const auto& entry : nn::save_state(straight).tensors)
      CHECK(entry.second.to_vector() == nn::save_state(second).find(entry.first)->to_vector());
  }
}

TEST_CASE("every kind of run, stopped after any step and resumed, ends with the same bits") {
  const nn::FitOptions common{.epochs = 4, .learning_rate = 0.05, .warmup = 4, .batch_tokens = 20, .accumulate = 2};
  std::vector<nn::FitOptions> kinds;
  for (const char* schedule : {"noam", "inverse_sqrt", "plateau", "constant", "warmup_cosine"}) {
    kinds.push_back(common);
    kinds.back().schedule = schedule;
  }
  for (const char* weights : {"ema", "average", "trained"})
    for (const char* keep : {"best", "last"})
      for (const char* measure : {"loss", "bleu"}) {
        kinds.push_back(common);
        kinds.back().weights = weights, kinds.back().keep = keep, kinds.back().measure = measure;
        kinds.back().average = 2, kinds.back().ema_decay = 0.8, kinds.back().optimizer = "adamw";
        kinds.back().weight_decay = 0.1;
      }
  kinds.push_back(common);
  kinds.back().precision = "bf16";
  for (const nn::FitOptions& options : kinds) {
    CAPTURE(options.schedule);
    CAPTURE(options.weights);
    CAPTURE(options.keep);
    CAPTURE(options.measure);
    Folder folder;
    nn::Bahdanau straight = make<nn::Bahdanau>(kTiny, 1), first = make<nn::Bahdanau>(kTiny, 1);
    nn::FitResult whole = nn::fit(judged(straight), kTrain, kValid, options);
    REQUIRE(whole.history.size() == 4);
    nn::FitRun ahead(judged(first), kTrain, kValid, options);
    for (int stop = 0; !ahead.done(); ++stop) {
      ahead.save(folder / "last");
      nn::EpochRecord seen = ahead.look();  // changes nothing
      CHECK(seen.bleu.has_value());
      ahead.step();
      if (stop % 5 != 0) continue;
      nn::Bahdanau second = make<nn::Bahdanau>(kTiny, 2);
      nn::FitRun run(judged(second), kTrain, kValid, options);
      if (stop % 2 == 0) run.step();
      run.load(folder / "last");
      while (!run.done()) run.step();
      nn::FitResult result = run.finish();
      check_same(values(straight), values(second));
      CHECK(result.best_epoch == whole.best_epoch);
      for (size_t e = 0; e < 4; ++e) {
        CHECK(result.history[e].valid_loss == whole.history[e].valid_loss);
        CHECK(result.history[e].bleu == whole.history[e].bleu);
      }
    }
    ahead.finish();
    check_same(values(straight), values(first));
  }
}

TEST_CASE("what is validated, and what the model holds in the end") {
  for (const char* weights : {"trained", "ema", "average"})
    for (const char* keep : {"best", "last"})
      for (const char* measure : {"loss", "bleu"}) {
        CAPTURE(weights);
        CAPTURE(keep);
        CAPTURE(measure);
        nn::Bahdanau model = make<nn::Bahdanau>(kTiny, 1);
        nn::FitOptions options{.epochs = 6, .batch_size = 8, .learning_rate = 0.3, .schedule = "constant"};
        options.weights = weights, options.keep = keep, options.measure = measure;
        options.average = 2, options.ema_decay = 0.8;
        nn::FitRun run(judged(model), kTrain, kValid, options);
        nn::ParameterAverage ema(nn::named_parameters(model), {.decay = 0.8, .bias_corrected = true});
        std::vector<std::vector<Tensor>> trained{values(model)}, expected;  // after each epoch
        nn::FitWatcher watcher;
        watcher.on_epoch = [&](const nn::EpochRecord&) { expected.push_back(values(model)); };
        for (int64_t epoch = 1; !run.done(); epoch = run.epoch()) {
          run.step(watcher);
          ema.update();
          if (run.epoch() == epoch) continue;
          trained.push_back(values(model));
          std::vector<Tensor> wanted = trained.back();
          if (options.weights == "ema") {
            auto scope = ema.swap_in();
            wanted = values(model);
          }
          for (size_t i = 0; i < wanted.size(); ++i) {
            if (options.weights == "average" && epoch > 1) {
              Tensor before = trained[static_cast<size_t>(epoch - 1)][i];
              wanted[i] = Variable((Variable(wanted[i]) + Variable(before)) * 0.5).value();
            }
            CHECK(max_abs_difference(expected.back()[i], wanted[i]) <= 1e-6);
          }
        }
        nn::FitResult result = run.finish();
        double best = 1e9;
        int64_t at = 0;
        for (const nn::EpochRecord& r : result.history) {
          double value = options.measure == "bleu" ? -*r.bleu : r.valid_loss;
          CHECK(r.best == (value < best));
          if (value < best) best = value, at = r.epoch;
        }
        CHECK(result.best_epoch == at);
        check_same(values(model), expected[static_cast<size_t>(options.keep == "last" ? 5 : at - 1)]);
      }
}

TEST_CASE("products in bf16: the loss falls as in f32, and the parameters stay f32") {
  std::vector<std::vector<Tensor>> trained;
  std::vector<double> losses;
  for (const char* name : {"f32", "bf16"}) {
    nn::Bahdanau model = make<nn::Bahdanau>(kTiny, 1);
    nn::FitResult result = nn::fit(nn::fit_model(model), kTrain, kValid,
                                   {.epochs = 8, .batch_size = 8, .learning_rate = 0.05, .precision = name});
    CHECK(result.history.back().valid_loss < result.history.front().valid_loss);
    losses.push_back(result.history.back().valid_loss);
    trained.push_back(values(model));
    CHECK(precision() == Precision::f32);
  }
  CHECK(losses[1] == doctest::Approx(losses[0]).epsilon(0.05));
  int64_t other = 0, between = 0;  // numbers that differ from those of f32; numbers that bf16 does not have
  for (size_t i = 0; i < trained[0].size(); ++i) {
    REQUIRE(trained[1][i].dtype() == DType::f32);
    for (int64_t k = 0; k < trained[1][i].count(); ++k) {
      float w = trained[1][i].data<float>()[k];
      other += w != trained[0][i].data<float>()[k], between += w != from_bf16(to_bf16(w));
    }
  }
  CHECK(other > 0);
  CHECK(between > 0);
}

TEST_CASE("a run may be lengthened if its schedule does not depend on its length") {
  Folder folder;
  nn::FitOptions options{.epochs = 2, .batch_size = 8, .warmup = 4, .schedule = "inverse_sqrt"};
  nn::FitOptions longer = options;
  longer.epochs = 4;
  nn::Bahdanau whole = make<nn::Bahdanau>(kTiny, 1), part = make<nn::Bahdanau>(kTiny, 1);
  nn::fit(nn::fit_model(whole), kTrain, kValid, longer);
  nn::FitRun two(nn::fit_model(part), kTrain, kValid, options);
  while (!two.done()) two.step();
  two.save(folder / "last");
  nn::FitRun four(nn::fit_model(part), kTrain, kValid, longer);
  four.load(folder / "last");
  CHECK_FALSE(four.done());
  while (!four.done()) four.step();
  four.finish();
  check_same(values(whole), values(part));
}
