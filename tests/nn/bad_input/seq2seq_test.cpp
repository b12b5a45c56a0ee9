// What the encoder-decoders and their searches refuse.
#include "nn/models/seq2seq.h"
#include "nn/attention/regularisers.h"
#include "nn/models/output_heads/output_head.h"

#include <cmath>

#include "nn/attention/coverage.h"
#include "nn/decode/sampling.h"
#include "nn/decode/search.h"
#include "nn/penalties.h"
#include "nn/recurrent/any_recurrent.h"
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
}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: encoder-decoders") {
    refuses<ValueError>("Seq2Seq: the decoder asks one query at a time; got the normaliser sinkhorn, which needs all",
                        [] { build([](auto& o) { o.attention.normaliser.name = "sinkhorn"; }); });
    refuses<ValueError>(
        "Seq2Seq: the reader hard needs weights that sum to 1; got the normaliser sigmoid, whose rows do not; hint: "
        "softmax",
        [] { build([](auto& o) { o.attention.normaliser.name = "sigmoid", o.reader = "hard"; }); });
    refuses<ValueError>("Seq2Seq: no cell of this name; got `gruu`; there are rnn, gru, lstm, lstmn",
                        [] { build([](auto& o) { o.cell = "gruu"; }); });
    refuses<ValueError>(
        "Seq2Seq: the output pointer_generator needs weights that sum to 1; got the normaliser mocha, whose rows do "
        "not; hint: softmax",
        [] { build([](auto& o) { o.attention.normaliser.name = "mocha", o.output = "pointer_generator"; }); });
    refuses<ValueError>(
        "Seq2Seq: penalties of attention need attention; got the weight 0.5 with the context initial_state",
        [] { build([](auto& o) { o.context = "initial_state", o.guided_attention = 0.5; }); });
    refuses<ValueError>("CopyNet: needs the states of the source; got none", [] {
      nn::OutputHeadOptions o{.name = "copynet", .features = 2, .vocabulary = 5};
      (*nn::make_output_head(o, dice))(constant({1, 2}), constant({1, 1}), {});
    });
    refuses<ShapeError>("mean_entropy: needs weights [B, T, S] and steps [B, T]; got [2, 3] and [2, 3]", [] {
      nn::mean_entropy(constant({2, 3}), Tensor::full({2, 3}, 1));
    });
    refuses<ValueError>("recurrent: no cell of this name; got `gruu`; there are rnn, gru, lstm, lstmn",
                        [] { nn::AnyRecurrent({.cell = "gruu", .input = 2, .hidden = 2}, dice); });
    refuses<ValueError>("Seq2Seq: hidden must lie in [1, 16384]; got 0", [] { build([](auto& o) { o.hidden = 0; }); });
    refuses<ValueError>("Seq2Seq: dropout must lie in [0, 1); got 1", [] { build([](auto& o) { o.dropout = 1; }); });
    refuses<IoError>("Seq2Seq: no cell of this name; got `gruu`; there are rnn, gru, lstm, lstmn", [] {
      io::Json json = nn::to_json(small());
      nn::seq2seq_options_from(json.set("cell", "gruu"));
    });
    refuses<ValueError>(
        "Seq2Seq: no context of this name; got `memory`; there are attention, initial_state, every_step",
        [] { build([](auto& o) { o.context = "memory"; }); });
    refuses<ValueError>("Seq2Seq: no order of this name; got `before`; there are bahdanau, luong, deep",
                        [] { build([](auto& o) { o.order = "before"; }); });
    refuses<ValueError>(
        "Seq2Seq: no start of this name; got `first`; there are first_backward, last, mean, pooled, zeros",
        [] { build([](auto& o) { o.start = "first"; }); });
    refuses<ValueError>(
        "Seq2Seq: the start first_backward needs an encoder of two directions; got one; use last or mean",
        [] { build([](auto& o) { o.start = "first_backward", o.bidirectional = false; }); });
    refuses<ValueError>(
        "Seq2Seq: a decoder that starts at zero and gets no context knows nothing of the source; got context "
        "initial_state with start zeros",
        [] { build([](auto& o) { o.context = "initial_state", o.start = "zeros"; }); });
    refuses<ValueError>(
        "Seq2Seq: input feeding needs attention in Luong's order and a readout to feed; got the context attention and "
        "the "
        "order bahdanau; hint: --order luong, and --context attention",
        [] { build([](auto& o) { o.input_feeding = true; }); });
    refuses<ValueError>("attention: a pooling must have a name; got an empty one in `mean,`", [] {
      nn::Seq2SeqOptions o;
      for (const nn::OptionField& f : nn::option_fields_of(o))
        if (f.name == "pooling") std::get<nn::TextPlace>(f.place).set("mean,");
    });
    refuses<ValueError>(
        "output: no head of this name; got `copy`; there are softmax, pointer_generator, pointer, copynet",
        [] { nn::make_output_head({.name = "copy", .features = 2, .vocabulary = 3}, dice); });
    refuses<ValueError>(
        "Seq2Seq: no output of this name; got `copy`; there are softmax, pointer_generator, pointer, copynet",
        [] { build([](auto& o) { o.output = "copy"; }); });
    refuses<ValueError>("Seq2Seq: the output pointer copies by attention; got the context every_step",
                        [] { build([](auto& o) { o.output = "pointer", o.context = "every_step"; }); });
    refuses<ValueError>(
        "Seq2Seq: the output pointer_generator copies words, so both sides need one vocabulary; got 6 and 5 words",
        [] { build([](auto& o) { o.output = "pointer_generator", o.source_vocabulary = 6; }); });
    auto copied_from_differential = [](const std::string& output) {
      build([&](auto& o) {
        o.output = output, o.hidden = 4, o.bidirectional = false;
        o.attention.score.name = "scaled_dot", o.attention.evaluator.name = "differential";
      });
    };
    copied_from_differential("softmax");  // which does not copy
    refuses<ValueError>(
        "Seq2Seq: the output pointer copies by weights that sum to 1; got the evaluator differential, whose rows do "
        "not",
        [&] { copied_from_differential("pointer"); });
    refuses<ValueError>(
        "Seq2Seq: the output pointer_generator copies by weights that sum to 1; got the evaluator differential, whose "
        "rows do not",
        [&] { copied_from_differential("pointer_generator"); });
    refuses<ValueError>("Seq2Seq: the coverage loss needs attention; got the weight 1 with the context every_step",
                        [] { build([](auto& o) { o.coverage_loss = 1, o.context = "every_step"; }); });
    refuses<ShapeError>(
        "output: a head that copies needs the alignment [B, T, S] or [B, S] and the source [B, S]; got none and [2, 3]",
        [] {
          nn::copied({}, wholes({2, 3}), 4);
        });
    refuses<ShapeError>(
        "dot: queries and keys must have one width; got 2 and 4; the score `general` joins unequal ones",
        [] { build([](auto& o) { o.attention.score.name = "dot"; }); });
    refuses<ValueError>("length_mask: a length must lie in [1, 2]; got 0 in row 0", [] {
      nn::Seq2Seq m(small(), dice);
      m(wholes({1, 2}), ids({0}), wholes({1, 2}));
    });
  }

  TEST_CASE("bad input: encoder-decoders of a tape, a pooling, a reader or a memory") {
    refuses<ValueError>("Seq2Seq: only the cell lstmn keeps a tape; got a tape of 3 with the cell gru",
                        [] { build([](auto& o) { o.tape = 3; }); });
    refuses<ValueError>("recurrent: the cell gru keeps no tape; got a tape of 3; hint: the cell lstmn",
                        [] { nn::AnyRecurrent({.input = 2, .hidden = 2, .tape = 3}, dice); });
    refuses<ValueError>(
        "Seq2Seq: deep fusion needs the cell lstmn, an encoder of one direction and one decoder layer; got the cell "
        "gru, "
        "two directions and 1 decoder layers; hint: --bidirectional false",
        [] { build([](auto& o) { o.order = "deep"; }); });
    refuses<ValueError>(
        "Seq2Seq: deep fusion needs the cell lstmn, an encoder of one direction and one decoder layer; got the cell "
        "lstmn, one direction and 2 decoder layers; hint: --bidirectional false",
        [] {
          build([](auto& o) { o.order = "deep", o.cell = "lstmn", o.bidirectional = false, o.decoder_layers = 2; });
        });
    refuses<ValueError>("Seq2Seq: deep fusion reads a weighted mean; got the reader hard; use the order bahdanau", [] {
      build([](auto& o) { o.order = "deep", o.cell = "lstmn", o.bidirectional = false, o.reader = "hard"; });
    });
    refuses<ValueError>("Seq2Seq: the start pooled needs a pooling; got none; hint: mean or structured",
                        [] { build([](auto& o) { o.start = "pooled"; }); });
    refuses<ValueError>(
        "Seq2Seq: nothing would read the pooling; got mean with the context attention and the start last; hint: the "
        "start pooled",
        [] { build([](auto& o) { o.pooling = "mean", o.start = "last"; }); });
    refuses<ValueError>("Seq2Seq: a reader reads by attention; got the reader hard with the context every_step",
                        [] { build([](auto& o) { o.reader = "hard", o.context = "every_step"; }); });
    refuses<ValueError>(
        "Seq2Seq: all steps of the order luong are one call, so the result of a step must not depend on later ones; "
        "got the evaluator nystrom; use auto, or the order bahdanau",
        [] {
          build([](auto& o) {
            o.order = "luong", o.attention.score.name = "general", o.attention.evaluator.name = "nystrom";
          });
        });
    refuses<ValueError>("Seq2Seq: a reader needs the weights; got the reader hard with the evaluator tiled; use auto",
                        [] {
                          build([](auto& o) {
                            o.reader = "hard", o.attention.score.name = "general", o.attention.evaluator.name = "tiled";
                          });
                        });
    refuses<ValueError>(
        "KeyValueAttention: the parts must divide the width; got 3 parts of 2; hint: key_value:parts=2, or another "
        "width",
        [] { build([](auto& o) { o.memory = "key_value"; }); });
    refuses<ValueError>("key_value: parts must be an integer in [1, 3]; got 4",
                        [] { build([](auto& o) { o.memory = "key_value:parts=4"; }); });
    refuses<IoError>("attention: no reader of this name; got `soft`; there are hard", [] {
      io::Json json = nn::to_json(small());
      nn::seq2seq_options_from(json.set("reader", "soft"));
    });
    refuses<ValueError>("hard: soft must be a number in [0, 1]; got 2",
                        [] { build([](auto& o) { o.reader = "hard:soft=2"; }); });
  }

  TEST_CASE("bad input: penalties") {
    refuses<ShapeError>("coverage_loss: needs weights [B, T, S]; got [2, 3]", [] {
      nn::coverage_loss(constant({2, 3}));
    });
    refuses<ValueError>("penalty: the weight must be at least 0 and finite; got -1", [] {
      nn::Penalties collected;
      nn::Penalties::add("a", constant({}), -1);
    });
    refuses<ShapeError>("penalty: the loss must be one number, []; got [2]; hint: its mean", [] {
      nn::Penalties collected;
      nn::Penalties::add("a", constant({2}));
    });
  }

  TEST_CASE("bad input: sampling") {
    refuses<ValueError>("sample: the temperature must be positive and finite; got 0", [] {
      Silent model;
      nn::sample(model, {.temperature = 0}, dice);
    });
    refuses<ValueError>("sample: top_k must not be negative; got -1", [] {
      Silent model;
      nn::sample(model, {.top_k = -1}, dice);
    });
    refuses<ValueError>("sample: top_p must lie in (0, 1]; got 0", [] {
      Silent model;
      nn::sample(model, {.top_p = 0}, dice);
    });
    refuses<ValueError>("sample: top_p must lie in (0, 1]; got nan", [] {
      Silent model;
      nn::sample(model, {.top_p = std::nan("")}, dice);
    });
    refuses<ValueError>("sample: needs one length limit a row; got 1 for 2", [] {
      Silent model;
      nn::sample(model, {.max_lengths = {3}}, dice);
    });
    refuses<ValueError>("beam_search: the coverage penalty must not be negative; got -0.5", [] {
      Silent model;
      nn::beam_search(model, 2, {.coverage_penalty = -0.5});
    });
    refuses<ValueError>("scheduled sampling: the share of true words must lie in [0, 1]; got 1.5", [] {
      nn::Seq2Seq m(small(), dice);
      nn::scheduled_logits(m, wholes({1, 2}), ids({2}), wholes({1, 2}), 1.5, dice);
    });
  }
}
