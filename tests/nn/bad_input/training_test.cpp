// What attention, search, training and data refuse.
#include "tests/nn/bad_input/refuses.h"

#include <csignal>

#include <memory>
#include <utility>
#include "autograd/ops.h"

#include "nn/attention/attend.h"
#include "nn/data/grammar/lexicon.h"
#include "nn/data/grammar/toy_corpus.h"
#include "nn/decode/ensemble.h"
#include "nn/models/translator.h"
#include "nn/recurrent/padding.h"
#include "nn/train/checkpoint.h"
#include "nn/train/fit.h"
#include "nn/train/interrupt.h"
#include "nn/train/minimum_risk.h"
#include "nn/train/run_folder.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("nn: attention, search, training") {
    refuses<ShapeError>("minimum_risk: needs log_p and risk [B, N]; got [2, 3] and [2, 4]", [] {
      nn::minimum_risk(constant({2, 3}), ones({2, 4}));
    });
    refuses<ValueError>("minimum_risk: alpha must be positive, and at most 1e30; got 0", [] {
      nn::minimum_risk(constant({2, 3}), ones({2, 3}), {.alpha = 0});
    });
    refuses<ShapeError>("attend: needs scores [B, T, S] and values [B, S, D]; got [2, 3] and [2, 3, 4]", [] {
      nn::attend(constant({2, 3}), constant({2, 3, 4}));
    });
    refuses<ShapeError>("attend: needs scores [B, T, S] and values [B, S, D]; got [2, 1, 3] and [2, 4, 4]", [] {
      nn::attend(constant({2, 1, 3}), constant({2, 4, 4}));
    });
    refuses<ShapeError>("attend: the mask must broadcast to the scores; got mask [4, 2, 1, 3] and scores [2, 1, 3]",
                        [] {
                          nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), mask({4, 2, 1, 3}));
                        });
    refuses<ShapeError>(
        "attend: sizes must be equal or 1, aligned at the right; got a [2] and b [2, 1, 3] (axis -1: 2 vs 3)", [] {
          nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), mask({2}));
        });
    refuses<DTypeError>("logical_not: the mask must be bool; got f32 [2, 1, 3]", [] {
      nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), ones({2, 1, 3}));
    });
    refuses<DTypeError>(
        "matmul: both must have one dtype; got a f32 [2, 1, 3] and b f64 [2, 3, 4]; convert one with to(...)", [] {
          nn::attend(constant({2, 1, 3}), constant({2, 3, 4}, DType::f64));
        });
    refuses<ShapeError>("length_mask: lengths must be [B] i64; got i64 [2, 2]", [] {
      nn::length_mask(wholes({2, 2}), 3);
    });
    refuses<ShapeError>("length_mask: lengths must be [B] i64; got f32 []", [] { nn::length_mask({}, 3); });
    struct Model : nn::SearchModel {
      int64_t R = 1, V = 6;
      int64_t rows() const override { return R; }
      Tensor next(const Tensor& tokens) override { return zeros({tokens.size(0), V}); }
      void keep(const Tensor&) override {}
    } model;
    refuses<ValueError>("beam_search: needs a beam of at least 1; got 0", [&] { nn::beam_search(model, 0); });
    refuses<ValueError>("beam_search: needs one source length a row; got 2 for 1", [&] {
      nn::beam_search(model, 2, {.source_lengths = {3, 4}});
    });
    refuses<ValueError>("beam_search: needs a beam of at least 1; got -1", [&] { nn::beam_search_all(model, -1); });
    refuses<ValueError>("beam_search: needs one length limit a row; got 2 for 1", [&] {
      nn::beam_search(model, 2, {.max_lengths = {3, 4}});
    });
    refuses<ValueError>("greedy: needs one length limit a row; got 2 for 1", [&] {
      nn::greedy(model, {.max_lengths = {3, 4}});
    });
    refuses<ValueError>("greedy: the minimum length must not be negative; got -1",
                        [&] { nn::greedy(model, {.constraints = {.min_length = -1}}); });
    refuses<ValueError>("beam_search: no_repeat_ngram must not be negative; got -2",
                        [&] { nn::beam_search(model, 2, {.constraints = {.no_repeat_ngram = -2}}); });
    refuses<ValueError>("beam_search: needs one prefix a row; got 2 for 1", [&] {
      nn::beam_search(model, 2, {.constraints = {.prefixes = {{4}, {5}}}});
    });
    refuses<ValueError>("greedy: a prefix must not contain <pad>, <s> or </s>; got word 3", [&] {
      nn::greedy(model, {.constraints = {.prefixes = {{4, 3}}}});
    });
    refuses<ValueError>("beam_search: the words of a prefix must lie in [0, 6); got 6", [&] {
      nn::beam_search(model, 2, {.constraints = {.prefixes = {{4, 6}}}});
    });
    refuses<ValueError>("greedy: the words of a prefix must lie in [0, 6); got -1",
                        [&] { nn::greedy(model, {.constraints = {.prefixes = {{-1}}}}); });
    refuses<ValueError>("beam_search: the length penalty must not be negative; got -1",
                        [&] { nn::beam_search(model, 2, {.length_penalty = -1}); });
    refuses<ValueError>("beam_search: the groups must divide the beam; got 2 groups for 3",
                        [&] { nn::beam_search(model, 3, {.groups = 2}); });
    refuses<ValueError>("beam_search: the groups must divide the beam; got 0 groups for 3",
                        [&] { nn::beam_search(model, 3, {.groups = 0}); });
    refuses<ValueError>("beam_search: the diversity must not be negative; got -1",
                        [&] { nn::beam_search(model, 2, {.diversity = -1}); });
    refuses<ValueError>("ensemble: needs at least one model; got none",
                        [] { nn::Ensemble(std::vector<std::unique_ptr<nn::SearchModel>>()); });
    refuses<ValueError>("ensemble: every model must be there; got a null pointer",
                        [] { nn::Ensemble(std::vector<std::unique_ptr<nn::SearchModel>>(2)); });
    auto pair_of = [](int64_t rows, int64_t vocabulary) {
      std::vector<std::unique_ptr<nn::SearchModel>> models;
      models.push_back(std::make_unique<Model>());
      auto other = std::make_unique<Model>();
      other->R = rows, other->V = vocabulary;
      models.push_back(std::move(other));
      return nn::Ensemble(std::move(models));
    };
    refuses<ValueError>("ensemble: the models must search the same sentences; got 1 and 2 rows",
                        [&] { pair_of(2, 6); });
    refuses<ShapeError>("ensemble: the models must have one target vocabulary; got answers [1, 6] and [1, 7]",
                        [&] { pair_of(1, 7).next(wholes({1})); });
    refuses<ShapeError>("greedy: the model must answer [1, V] with V at least 4; got [1, 2]", [&] {
      model.V = 2;
      nn::greedy(model);
    });
    refuses<ShapeError>("beam_search: the model must answer [1, V] with V at least 4; got [1, 2]",
                        [&] { nn::beam_search(model, 2); });
    refuses<ValueError>("beam_search: takes one sentence; got 2", [&] {
      model.R = 2;
      nn::beam_search(model, 2);
    });
    const std::vector<data::EncodedPair> pairs = {{{4, 3}, {4}}};
    const nn::FitModel fitted{{{"w", leaf({2})}},
                              [](const data::Batch& b) {
                                return Variable(Tensor::full({b.target_out.size(0), b.target_out.size(1), 6}, kNan));
                              },
                              [](bool) {},
                              {}};
    refuses<InputError>("train: needs at least one training pair; got none", [&] { nn::fit(fitted, {}, pairs, {}); });
    refuses<InputError>("train: needs at least one validation pair; got none", [&] { nn::fit(fitted, pairs, {}, {}); });
    refuses<InputError>("train: needs at least one epoch; got 0",
                        [&] { nn::fit(fitted, pairs, pairs, {.epochs = 0}); });
    refuses<ValueError>("train: batch_size must lie in [1, 65536]; got 0",
                        [&] { nn::fit(fitted, pairs, pairs, {.batch_size = 0}); });
    refuses<ValueError>("train: learning_rate must lie in (0, inf); got -1",
                        [&] { nn::fit(fitted, pairs, pairs, {.learning_rate = -1}); });
    refuses<InputError>(
        "train: the loss must stay finite; got nan in epoch 1, step 1 (all parameters are finite); hint: a learning "
        "rate "
        "below 0.001, or a smaller clip than 1; what was saved before is kept",
        [&] { nn::fit(fitted, pairs, pairs, {}); });
    Variable zero(Tensor::zeros({1}), Variable::kRequiresGrad), lost(Tensor::full({1}, kNan), Variable::kRequiresGrad);
    // sqrt(0) is 0 and its derivative is infinite; a bias of one class alone, so that its gradient is not 0.
    auto rooted = [&](const data::Batch& b) {
      Tensor first = Tensor::zeros({b.target_out.size(0), b.target_out.size(1), 6});
      Tensor at = first.select(-1, 0);
      fill_into(at, 1);
      return sqrt(zero) * Variable(first);
    };
    refuses<InputError>(
        "train: the norm of the gradients must stay finite; got inf in epoch 1, step 1 (the gradient of zero is not "
        "finite); hint: a learning rate below 0.001, or a smaller clip than 1; what was saved before is kept",
        [&] {
          nn::fit({{{"zero", zero}}, rooted, [](bool) {}, {}}, pairs, pairs, {});
        });
    Variable used = leaf({1});
    auto unused = [&](const data::Batch& b) {
      return used * 0 + Variable(Tensor::zeros({b.target_out.size(0), b.target_out.size(1), 6}));
    };
    refuses<InputError>(
        "train: every parameter must stay finite; got nan in epoch 1, step 1 (lost is not finite); hint: a learning "
        "rate "
        "below 0.001, or a smaller clip than 1; what was saved before is kept",
        [&] {
          nn::fit({{{"used", used}, {"lost", lost}}, unused, [](bool) {}, {}}, pairs, pairs, {});
        });
    bool training = false;  // a model that is right in training and certain of the wrong word afterwards
    Variable w = leaf({1});
    const nn::FitModel sudden{{{"w", w}},
                              [&](const data::Batch& b) {
                                Tensor logits = Tensor::zeros({b.target_out.size(0), b.target_out.size(1), 6});
                                Tensor first = logits.select(-1, 0);
                                fill_into(first, training ? 0 : 2000);
                                return w * 0 + Variable(logits);
                              },
                              [&](bool on) { training = on; },
                              {}};
    refuses<InputError>(
        "train: the validation perplexity must stay finite; got inf in epoch 1, step 1 (all parameters are finite); "
        "hint: "
        "a learning rate below 0.001, or a smaller clip than 1; what was saved before is kept",
        [&] { nn::fit(sudden, pairs, pairs, {}); });
    refuses<ValueError>("train: accumulate must be at least 1; got 0",
                        [&] { nn::fit(fitted, pairs, pairs, {.accumulate = 0}); });
    refuses<ValueError>(
        "train: checkpointing needs a model with layers that can be computed again; got checkpoint 2 and a model "
        "without them; hint: a transformer",
        [&] { nn::fit(fitted, pairs, pairs, {.checkpoint = 2}); });
    refuses<ValueError>("train: checkpoint must lie in [0, 1024]; got -1",
                        [&] { nn::fit(fitted, pairs, pairs, {.checkpoint = -1}); });
    refuses<ValueError>("train: no precision of this name; got `f16`; there are f32, bf16",
                        [&] { nn::fit(fitted, pairs, pairs, {.precision = "f16"}); });
    refuses<ValueError>("train: the measure bleu needs a model that can compute BLEU; got none",
                        [&] { nn::fit(fitted, pairs, pairs, {.measure = "bleu"}); });
    refuses<ValueError>("train: no optimizer of this name; got `sgd`; there are adam, adamw",
                        [&] { nn::fit(fitted, pairs, pairs, {.optimizer = "sgd"}); });
    refuses<ValueError>(
        "train: no schedule of this name; got `steep`; there are warmup_cosine, noam, inverse_sqrt, plateau, constant",
        [&] { nn::fit(fitted, pairs, pairs, {.schedule = "steep"}); });
    refuses<ValueError>("train: no weights of this name; got `free`; there are trained, ema, average",
                        [&] { nn::fit(fitted, pairs, pairs, {.weights = "free"}); });
    refuses<ValueError>("train: no keep of this name; got `all`; there are best, last",
                        [&] { nn::fit(fitted, pairs, pairs, {.keep = "all"}); });
    refuses<ValueError>("train: no measure of this name; got `taste`; there are loss, bleu",
                        [&] { nn::fit(fitted, pairs, pairs, {.measure = "taste"}); });
    refuses<ValueError>("token_batches: a batch of 1 tokens must hold the longest pair; got one of 2",
                        [&] { nn::fit(fitted, pairs, pairs, {.batch_tokens = 1}); });
    refuses<IoError>(
        "train: a folder takes one writer at a time; got \"~/taken\", where another is at work; hint: --out names "
        "another "
        "folder",
        [] {
          nn::RunFolder first(in_box("taken"));
          nn::RunFolder second(in_box("taken"));
        });
    refuses<IoError>("write: cannot write \"~/held_record/record\": Is a directory", [] {
      nn::RunFolder folder(in_box("held_record"));
      io::make_folder(folder.file("record"));
      folder.append("record", {});
    });
    refuses<ValueError>("mean_loss: needs at least one pair; got none", [&] { nn::mean_loss(fitted, {}); });
    refuses<nn::Interrupted>("interrupted: stopped by Ctrl-C", [] {
      nn::Interrupt interrupt;
      std::raise(SIGINT);
      interrupt.check();
    });
  }

  TEST_CASE("nn: data") {
    refuses<ValueError>("make_batch: needs at least one sentence; got none", [] {
      data::make_batch({{{4}, {5}}}, {});
    });
    refuses<IndexError>("make_batch: a member must lie in [0, 1); got 1", [] { data::make_batch({{{4}, {5}}}, {1}); });
    refuses<ValueError>("make_batch: a source must not be empty; got sentence 0", [] {
      data::make_batch({{{}, {5}}}, {0});
    });
    refuses<ValueError>("batches: the batch size must be at least 1; got 0", [] {
      data::sorted_batches({{{4}, {5}}}, 0);
    });
    refuses<ValueError>("batches: the batch size must be at least 1; got -1", [] {
      data::epoch_batches({{{4}, {5}}}, -1, 1, 0);
    });
    const std::vector<float> weights = {0.5f, 0.5f};
    const data::AlignedPair pair{.source = {"a", "b"},
                                 .target = {"x"},
                                 .source_content = {true, true},
                                 .target_content = {true},
                                 .links = {{.source = 2, .target = 0}},
                                 .family = {},
                                 .combinations = {}};
    refuses<ShapeError>("hard_links: weights must hold targets x sources numbers; got 2 for [3, 2]",
                        [&] { data::hard_links(weights, 3, 2); });
    refuses<ShapeError>("alignment_mass: weights must hold targets x sources numbers; got 2 for [1, 1]",
                        [&] { data::alignment_mass(weights, 1, 1, pair); });
    refuses<ShapeError>("alignment_mass: the weights must cover the pair; got [2, 1] for 1 target and 2 source tokens",
                        [&] { data::alignment_mass(weights, 2, 1, pair); });
    refuses<IndexError>("alignment_mass: a link must lie inside the pair; got source 2 and target 0 of 2 and 1 tokens",
                        [&] { data::alignment_mass(weights, 1, 2, pair); });
    refuses<ValueError>(
        "toy_corpus: sizes must not be negative; got train -1, validation 500, test 1000, combinations 500",
        [] { data::toy_corpus({.train = -1}); });
    refuses<ValueError>(
        "toy_corpus: the grammar must have as many sentences as are asked for; got 0 of 500; a larger training set "
        "knows more words, a smaller one leaves more sentences",
        [] { data::toy_corpus({.train = 3, .test = 1000}); });
    refuses<ValueError>("toy lexicon: the noun must be in the table; got \"unicorn\"",
                        [] { data::toy::noun("unicorn"); });
    refuses<ValueError>("toy lexicon: the verb must be in the table; got \"unicorn\"",
                        [] { data::toy::verb("unicorn"); });
    refuses<ValueError>("toy lexicon: the adjective must be in the table; got \"unicorn\"",
                        [] { data::toy::adjective("unicorn"); });
  }
}
