// What attention, search, training and data refuse.
#include "tests/nn/bad_input/refuses.h"

#include <csignal>

#include <memory>
#include <utility>
#include "autograd/ops.h"

#include "autograd/backward.h"
#include "nn/attention/attend.h"
#include "nn/data/grammar/lexicon.h"
#include "nn/data/grammar/toy_corpus.h"
#include "nn/decode/ensemble.h"
#include "nn/models/translator.h"
#include "nn/padding.h"
#include "nn/ranks.h"
#include "nn/train/checkpoint.h"
#include "nn/train/exchange.h"
#include "nn/train/fit.h"
#include "nn/train/interrupt.h"
#include "nn/train/minimum_risk.h"
#include "nn/train/run_folder.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("nn: attention, search, training") {
  refuses<ShapeError>("minimum_risk: [B, N] got [2, 3] [2, 4]", [] {
    nn::minimum_risk(constant({2, 3}), ones({2, 4}));
  });
  refuses("minimum_risk: 1e30 got 0", [] { nn::minimum_risk(constant({2, 3}), ones({2, 3}), {.alpha = 0}); });
  struct Odd : nn::Ranks {
    int64_t size() const override { return 2; }
    std::vector<std::string> gather(const std::string& text) override { return {text, text + "x"}; }
  } odd;
  refuses<InputError>("ranks: same vocabulary got another on rank 1 (x)",
                      [&] { nn::require_same(odd, "vocabulary", "a b"); });
  refuses<InputError>("ranks: hold parameters got others at step 3 on rank 1 (x)",
                      [&] { nn::require_same_tensors(odd, {zeros({2})}, "at step 3"); });
  refuses<ValueError>("exchange: require a gradient contiguous got w constant", [&] {
    nn::GradientExchange(odd, {{"w", constant({2})}}, {});
  });
  refuses<ValueError>("exchange: parameter given once got w tied one", [&] {
    Variable w(ones({2}), Variable::kRequiresGrad);  // sharded, its pieces would be two, and updated twice
    nn::GradientExchange(odd, {{"w", w}, {"tied", w}}, {.shard = true});
  });
  refuses<ValueError>("exchange: gradient w whole got a second backward pass ready() last", [&] {
    struct Two : nn::Ranks {
      int64_t size() const override { return 2; }
    } two;
    Variable w(ones({2}), Variable::kRequiresGrad);
    nn::GradientExchange exchange(two, {{"w", w}}, {});
    backward(sum(w), {.ready = exchange.ready()});
    backward(sum(w), {.ready = exchange.ready()});
  });
  struct Sharded {  // one rank's view of a job of two
    struct Two : nn::Ranks {
      int64_t size() const override { return 2; }
    } two;
    Variable w = Variable(ones({2}), Variable::kRequiresGrad);
    nn::GradientExchange exchange = nn::GradientExchange(two, {{"w", w}}, {.shard = true});
    void backward_and_finish() {
      std::vector<double> nothing;
      backward(sum(w), {.ready = exchange.ready()});
      exchange.finish(nothing);
    }
  };
  refuses<ValueError>("exchange: keep size type contiguous got w f64 [2] final form", [] {
    Sharded s;
    s.w.set_value(ones({2}, DType::f64));
    s.backward_and_finish();
  });
  refuses<ValueError>("exchange: keep its value finish() gather_parameters() got w set_value before backward", [] {
    Sharded s;
    s.backward_and_finish();
    s.w.set_value(zeros({2}));
    s.exchange.gather_parameters();
  });
  refuses<ValueError>("exchange: state optimiser of pieces() got mean.w [2]", [] {
    Sharded s;
    nn::Adam whole({{"w", s.w}}, {});
    s.w.set_grad(ones({2}));
    whole.step();
    s.exchange.whole(whole.save_state());
  });
  refuses<ShapeError>("attend: [B, T, S] values [B, S, D] got [2, 3] [2, 3, 4]", [] {
    nn::attend(constant({2, 3}), constant({2, 3, 4}));
  });
  refuses<ShapeError>("attend: [B, T, S] values [B, S, D] got [2, 1, 3] [2, 4, 4]", [] {
    nn::attend(constant({2, 1, 3}), constant({2, 4, 4}));
  });
  refuses<ShapeError>("attend: broadcast got [4, 2, 1, 3] [2, 1, 3]", [] {
    nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), mask({4, 2, 1, 3}));
  });
  refuses<ShapeError>("attend: 1 aligned got [2] [2, 1, 3] -1 2 3", [] {
    nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), mask({2}));
  });
  refuses<DTypeError>("logical_not: got f32 [2, 1, 3]", [] {
    nn::attend(constant({2, 1, 3}), constant({2, 3, 4}), ones({2, 1, 3}));
  });
  refuses<DTypeError>("matmul: got f32 [2, 1, 3] f64 [2, 3, 4]", [] {
    nn::attend(constant({2, 1, 3}), constant({2, 3, 4}, DType::f64));
  });
  refuses<ShapeError>("length_mask: [B] got i64 [2, 2]", [] { nn::length_mask(wholes({2, 2}), 3); });
  refuses<ShapeError>("length_mask: [B] got f32 []", [] { nn::length_mask({}, 3); });
  struct Model : nn::SearchModel {
    int64_t R = 1, V = 6;
    int64_t rows() const override { return R; }
    Tensor next(const Tensor& tokens) override { return zeros({tokens.size(0), V}); }
    void keep(const Tensor&) override {}
  } model;
  refuses("beam_search: least 1 got 0", [&] { nn::beam_search(model, 0); });
  refuses("beam_search: source got 2 1", [&] { nn::beam_search(model, 2, {.source_lengths = {3, 4}}); });
  refuses("beam_search: least 1 got -1", [&] { nn::beam_search_all(model, -1); });
  refuses("beam_search: limit got 2 1", [&] { nn::beam_search(model, 2, {.max_lengths = {3, 4}}); });
  refuses("greedy: needs got 2 1", [&] { nn::greedy(model, {.max_lengths = {3, 4}}); });
  refuses("greedy: negative got -1", [&] { nn::greedy(model, {.constraints = {.min_length = -1}}); });
  refuses("beam_search: no_repeat_ngram got -2",
          [&] { nn::beam_search(model, 2, {.constraints = {.no_repeat_ngram = -2}}); });
  refuses("beam_search: needs prefix got 2 1", [&] {
    nn::beam_search(model, 2, {.constraints = {.prefixes = {{4}, {5}}}});
  });
  refuses("greedy: contain got 3", [&] { nn::greedy(model, {.constraints = {.prefixes = {{4, 3}}}}); });
  refuses("beam_search: words [0, 6) got 6", [&] {
    nn::beam_search(model, 2, {.constraints = {.prefixes = {{4, 6}}}});
  });
  refuses("greedy: words [0, 6) got -1", [&] { nn::greedy(model, {.constraints = {.prefixes = {{-1}}}}); });
  refuses("beam_search: length negative got -1", [&] { nn::beam_search(model, 2, {.length_penalty = -1}); });
  refuses("beam_search: groups got 2 3", [&] { nn::beam_search(model, 3, {.groups = 2}); });
  refuses("beam_search: groups got 0 3", [&] { nn::beam_search(model, 3, {.groups = 0}); });
  refuses("beam_search: diversity got -1", [&] { nn::beam_search(model, 2, {.diversity = -1}); });
  refuses("ensemble: needs got", [] { nn::Ensemble(std::vector<std::unique_ptr<nn::SearchModel>>()); });
  refuses("ensemble: every got", [] { nn::Ensemble(std::vector<std::unique_ptr<nn::SearchModel>>(2)); });
  auto pair_of = [](int64_t rows, int64_t vocabulary) {
    std::vector<std::unique_ptr<nn::SearchModel>> models;
    models.push_back(std::make_unique<Model>());
    auto other = std::make_unique<Model>();
    other->R = rows, other->V = vocabulary;
    models.push_back(std::move(other));
    return nn::Ensemble(std::move(models));
  };
  refuses("ensemble: sentences got 1 2", [&] { pair_of(2, 6); });
  refuses<ShapeError>("ensemble: got [1, 6] [1, 7]", [&] { pair_of(1, 7).next(wholes({1})); });
  refuses<ShapeError>("greedy: [1, V] 4 got [1, 2]", [&] {
    model.V = 2;
    nn::greedy(model);
  });
  refuses<ShapeError>("beam_search: [1, V] 4 got [1, 2]", [&] { nn::beam_search(model, 2); });
  refuses("beam_search: sentence got 2", [&] {
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
  refuses<InputError>("train: training got", [&] { nn::fit(fitted, {}, pairs, {}); });
  refuses<InputError>("train: needs validation got", [&] { nn::fit(fitted, pairs, {}, {}); });
  refuses("train: penalties got none", [&] { nn::fit(fitted, pairs, pairs, {.attention = {.coverage_loss = 1}}); });
  refuses<InputError>("train: epoch got 0", [&] { nn::fit(fitted, pairs, pairs, {.epochs = 0}); });
  refuses<InputError>("train: loss got nan 1 1 all parameters are finite 0.001 1",
                      [&] { nn::fit(fitted, pairs, pairs, {}); });
  Variable zero(Tensor::zeros({1}), Variable::kRequiresGrad), lost(Tensor::full({1}, kNan), Variable::kRequiresGrad);
  // sqrt(0) is 0 and its derivative is infinite; a bias of one class alone, so that its gradient is not 0.
  auto rooted = [&](const data::Batch& b) {
    Tensor first = Tensor::zeros({b.target_out.size(0), b.target_out.size(1), 6});
    Tensor at = first.select(-1, 0);
    fill_into(at, 1);
    return sqrt(zero) * Variable(first);
  };
  refuses<InputError>("train: gradients got inf 1 1 0.001 1", [&] {
    nn::fit({{{"zero", zero}}, rooted, [](bool) {}, {}}, pairs, pairs, {});
  });
  Variable used = leaf({1});
  auto unused = [&](const data::Batch& b) {
    return used * 0 + Variable(Tensor::zeros({b.target_out.size(0), b.target_out.size(1), 6}));
  };
  refuses<InputError>("train: got nan 1 1 lost is not finite 0.001 1", [&] {
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
  refuses<InputError>("train: perplexity got inf 1 1 all parameters are finite 0.001 1",
                      [&] { nn::fit(sudden, pairs, pairs, {}); });
  refuses("train: batch_size [1, 65536] got 0", [&] { nn::fit(fitted, pairs, pairs, {.batch_size = 0}); });
  refuses("train: accumulate least 1 got 0", [&] { nn::fit(fitted, pairs, pairs, {.accumulate = 0}); });
  refuses("train: checkpointing got 2", [&] { nn::fit(fitted, pairs, pairs, {.checkpoint = 2}); });
  refuses("train: compute got", [&] { nn::fit(fitted, pairs, pairs, {.measure = "bleu"}); });
  refuses("token_batches: 1 got 2", [&] { nn::fit(fitted, pairs, pairs, {.batch_tokens = 1}); });
  refuses<IoError>("train: got ~/taken", [] {
    nn::RunFolder first(in_box("taken"));
    nn::RunFolder second(in_box("taken"));
  });
  refuses<IoError>("write: ~/held_record/record Is directory", [] {
    nn::RunFolder folder(in_box("held_record"));
    io::make_folder(folder.file("record"));
    folder.append("record", {});
  });
  refuses("mean_loss: needs got", [&] { nn::mean_loss(fitted, {}); });
  refuses<nn::Interrupted>("interrupted: stopped", [] {
    nn::Interrupt interrupt;
    std::raise(SIGINT);
    interrupt.check();
  });
}

TEST_CASE("nn: data") {
  refuses("make_batch: needs got", [] { data::make_batch({{{4}, {5}}}, {}); });
  refuses<IndexError>("make_batch: [0, 1) got 1", [] { data::make_batch({{{4}, {5}}}, {1}); });
  refuses("make_batch: source got 0", [] { data::make_batch({{{}, {5}}}, {0}); });
  refuses("batches: 1 got 0", [] { data::sorted_batches({{{4}, {5}}}, 0); });
  refuses("batches: 1 got -1", [] { data::epoch_batches({{{4}, {5}}}, -1, 1, 0); });
  const std::vector<float> weights = {0.5f, 0.5f};
  const data::AlignedPair pair{.source = {"a", "b"},
                               .target = {"x"},
                               .source_content = {true, true},
                               .target_content = {true},
                               .links = {{.source = 2, .target = 0}},
                               .family = {},
                               .combinations = {}};
  refuses<ShapeError>("hard_links: got 2 [3, 2]", [&] { data::hard_links(weights, 3, 2); });
  refuses<ShapeError>("alignment_mass: targets got 2 [1, 1]", [&] { data::alignment_mass(weights, 1, 1, pair); });
  refuses<ShapeError>("alignment_mass: cover got [2, 1] 1 2", [&] { data::alignment_mass(weights, 2, 1, pair); });
  refuses<IndexError>("alignment_mass: got 2 0 2 1", [&] { data::alignment_mass(weights, 1, 2, pair); });
  refuses("toy_corpus: negative got -1 500 1000 500", [] { data::toy_corpus({.train = -1}); });
  refuses("toy_corpus: sentences got 0 500", [] { data::toy_corpus({.train = 3, .test = 1000}); });
  refuses("toy lexicon: noun got unicorn", [] { data::toy::noun("unicorn"); });
  refuses("toy lexicon: verb got unicorn", [] { data::toy::verb("unicorn"); });
  refuses("toy lexicon: adjective got unicorn", [] { data::toy::adjective("unicorn"); });
}
