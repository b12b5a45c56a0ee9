// What the encoder-decoders and their searches refuse.
#include "nn/models/seq2seq.h"
#include "nn/attention/regularisers.h"
#include "nn/output_heads/output_head.h"

#include "nn/attention/coverage.h"
#include "nn/decode/sampling.h"
#include "nn/decode/search.h"
#include "nn/models/any_recurrent.h"
#include "nn/penalties.h"
#include "nn/train/scheduled_sampling.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
nn::Seq2SeqOptions small() { return {.source_vocabulary = 5, .target_vocabulary = 5, .embedding = 2, .hidden = 2}; }
template <class Change>
void build(const Change& change) {
  nn::Seq2SeqOptions options = small();
  change(options);
  nn::Seq2Seq(options, dice);
}
struct Silent final : nn::SearchModel {
  int64_t rows() const override { return 2; }
  Tensor next(const Tensor&) override { return zeros({2, 4}); }
  void keep(const Tensor&) override {}
};
// What the model of the changed options says.
template <class Change>
void refused(const char* row, const Change& change, int line = __builtin_LINE()) {
  refuses(
      row, [&] { build(change); }, __FILE__, line);
}
}  // namespace

TEST_CASE("bad input: encoder-decoders") {
  refused("Seq2Seq: got sinkhorn", [](auto& o) { o.attention.normaliser.name = "sinkhorn"; });
  refused("Seq2Seq: reader hard 1 got sigmoid",
          [](auto& o) { o.attention.normaliser.name = "sigmoid", o.reader = "hard"; });
  refused("Seq2Seq: cell got gruu rnn gru lstm lstmn", [](auto& o) { o.cell = "gruu"; });
  refused("Seq2Seq: output pointer_generator 1 got mocha",
          [](auto& o) { o.attention.normaliser.name = "mocha", o.output = "pointer_generator"; });
  refused("Seq2Seq: penalties got 0.5 initial_state",
          [](auto& o) { o.context = "initial_state", o.guided_attention = 0.5; });
  refuses("CopyNet: states got", [] {
    nn::OutputHeadOptions o{.name = "copynet", .features = 2, .vocabulary = 5};
    (*nn::make_output_head(o, dice))(constant({1, 2}), constant({1, 1}), {});
  });
  refuses<ShapeError>("mean_entropy: [B, T, S] [B, T] got [2, 3] [2, 3]", [] {
    nn::mean_entropy(constant({2, 3}), Tensor::full({2, 3}, 1));
  });
  refuses("recurrent: got gruu rnn gru lstm lstmn",
          [] { nn::AnyRecurrent({.cell = "gruu", .input = 2, .hidden = 2}, dice); });
  refused("Seq2Seq: hidden [1, 16384] got 0", [](auto& o) { o.hidden = 0; });
  refused("Seq2Seq: first_backward got", [](auto& o) { o.start = "first_backward", o.bidirectional = false; });
  refused("Seq2Seq: starts got", [](auto& o) { o.context = "initial_state", o.start = "zeros"; });
  refused("Seq2Seq: got attention bahdanau", [](auto& o) { o.input_feeding = true; });
  refuses("attention: pooling got empty mean", [] {
    nn::Seq2SeqOptions o;
    for (const nn::OptionField& f : nn::fields_of(o))
      if (f.name == "pooling") std::get<nn::TextPlace>(f.place).set("mean,");
  });
  refuses("output: got copy softmax pointer_generator pointer copynet",
          [] { nn::make_output_head({.name = "copy", .features = 2, .vocabulary = 3}, dice); });
  refused("Seq2Seq: pointer got every_step", [](auto& o) { o.output = "pointer", o.context = "every_step"; });
  refused("Seq2Seq: pointer_generator vocabulary got 6 5",
          [](auto& o) { o.output = "pointer_generator", o.source_vocabulary = 6; });
  auto copied_from_differential = [](const std::string& output) {
    build([&](auto& o) {
      o.output = output, o.hidden = 4, o.bidirectional = false;
      o.attention.score.name = "scaled_dot", o.attention.evaluator.name = "differential";
    });
  };
  copied_from_differential("softmax");  // which does not copy
  refuses("Seq2Seq: pointer 1 got differential", [&] { copied_from_differential("pointer"); });
  refuses("Seq2Seq: pointer_generator 1 got differential", [&] { copied_from_differential("pointer_generator"); });
  refused("Seq2Seq: coverage got 1 every_step", [](auto& o) { o.coverage_loss = 1, o.context = "every_step"; });
  refuses<ShapeError>("output: [B, T, S] [B, S] [B, S] got none [2, 3]", [] { nn::copied({}, wholes({2, 3}), 4); });
  refuses<ShapeError>("dot: got 2 4 general", [] { build([](auto& o) { o.attention.score.name = "dot"; }); });
  refuses("length_mask: [1, 2] got 0 0", [] { nn::Seq2Seq(small(), dice)(wholes({1, 2}), ids({0}), wholes({1, 2})); });
}

TEST_CASE("bad input: encoder-decoders of a tape, a pooling, a reader or a memory") {
  refused("Seq2Seq: lstmn keeps got 3 gru", [](auto& o) { o.tape = 3; });
  refuses("recurrent: gru got 3 lstmn", [] { nn::AnyRecurrent({.input = 2, .hidden = 2, .tape = 3}, dice); });
  refused("Seq2Seq: lstmn got gru two directions 1", [](auto& o) { o.order = "deep"; });
  refused("Seq2Seq: lstmn got lstmn one direction 2",
          [](auto& o) { o.order = "deep", o.cell = "lstmn", o.bidirectional = false, o.decoder_layers = 2; });
  refused("Seq2Seq: weighted got hard",
          [](auto& o) { o.order = "deep", o.cell = "lstmn", o.bidirectional = false, o.reader = "hard"; });
  refused("Seq2Seq: got structured", [](auto& o) { o.start = "pooled"; });
  refused("Seq2Seq: got mean attention last", [](auto& o) { o.pooling = "mean", o.start = "last"; });
  refused("Seq2Seq: got hard every_step", [](auto& o) { o.reader = "hard", o.context = "every_step"; });
  refused("Seq2Seq: got nystrom", [](auto& o) {
    o.order = "luong", o.attention.score.name = "general", o.attention.evaluator.name = "nystrom";
  });
  refused("Seq2Seq: got hard tiled",
          [](auto& o) { o.reader = "hard", o.attention.score.name = "general", o.attention.evaluator.name = "tiled"; });
  refused("KeyValueAttention: divide got 3 2", [](auto& o) { o.memory = "key_value"; });
  refuses<IoError>("attention: reader got soft hard",
                   [] { nn::seq2seq_options_from(nn::to_json(small()).set("reader", "soft")); });
}

TEST_CASE("bad input: penalties") {
  refuses<ShapeError>("coverage_loss: [B, T, S] got [2, 3]", [] { nn::coverage_loss(constant({2, 3})); });
  refuses("penalty: 0 got -1", [] {
    nn::Penalties collected;
    nn::Penalties::add("a", constant({}), -1);
  });
  refuses<ShapeError>("penalty: [] got [2]", [] {
    nn::Penalties collected;
    nn::Penalties::add("a", constant({2}));
  });
}

TEST_CASE("bad input: sampling") {
  Silent model;
  refuses("sample: temperature got 0", [&] { nn::sample(model, {.temperature = 0}, dice); });
  refuses("sample: negative got -1", [&] { nn::sample(model, {.top_k = -1}, dice); });
  refuses("sample: top_p (0, 1] got 0", [&] { nn::sample(model, {.top_p = 0}, dice); });
  refuses("sample: top_p (0, 1] got nan", [&] { nn::sample(model, {.top_p = std::nan("")}, dice); });
  refuses("sample: length got 1 2", [&] { nn::sample(model, {.max_lengths = {3}}, dice); });
  refuses("beam_search: coverage got -0.5", [&] { nn::beam_search(model, 2, {.coverage_penalty = -0.5}); });
  refuses("scheduled sampling: [0, 1] got 1.5", [] {
    nn::Seq2Seq m(small(), dice);
    nn::scheduled_logits(m, wholes({1, 2}), ids({2}), wholes({1, 2}), 1.5, dice);
  });
}
