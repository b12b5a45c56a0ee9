#include "nn/models/seq2seq_options.h"

#include <fmt/format.h>

#include "nn/attention/registry.h"
#include "nn/models/output_heads/output_head.h"

namespace heed::nn {
namespace {

// Files written before settings were part of a stage's text have them as fields of their own.
void read_old_settings(AttentionOptions& a, const io::Json& j) {
  auto old = [&](StageOptions& stage, const char* field, const char* setting) {
    if (stage.settings.contains(setting) && j.find(field)) stage.settings[setting] = j.number(field);
  };
  old(a.score, "score_width", "width"), old(a.score, "max_source", "max_source");
  old(a.score, "sharpness", "sharpness");
  old(a.scope, "window", "window"), old(a.scope, "gap", "gap");
  old(a.normaliser, "temperature", "temperature");
}

}  // namespace

std::vector<OptionField> option_fields_of(Seq2SeqOptions& o) {
  AttentionOptions& a = o.attention;
  auto stage = [](Kind kind, StageOptions* place, const std::string& help, bool later = false) {
    return OptionField{.name = name_of(kind),
                       .place = stage_place(kind, place),
                       .help = help,
                       .names = stage_names(kind),
                       .later = later};
  };
  OptionField position = stage(Kind::position, &a.position, "how distances reach the scores", true);
  position.option = "positions";
  return {
      {"embedding", &o.embedding, "size of the word vectors", {}, 1, 16384},
      {"hidden", &o.hidden, "size of the recurrent states", {}, 1, 16384},
      {"cell", &o.cell, "recurrent cell", {"rnn", "gru", "lstm"}},
      {"context",
       &o.context,
       "what the decoder receives from the encoder",
       {"attention", "initial_state", "every_step"}},
      stage(Kind::score, &a.score, "attention score"),
      stage(Kind::scope, &a.scope, "which words attention may look at"),
      stage(Kind::normaliser, &a.normaliser, "how attention scores become weights"),
      position,
      stage(Kind::evaluator, &a.evaluator, "how attention is computed", true),
      {"order",
       &o.order,
       "attention before the cell of the decoder (bahdanau) or after it (luong)",
       {"bahdanau", "luong"}},
      {"input_feeding", &o.input_feeding, "the cell also reads the readout of the step before; needs --order luong"},
      {"start",
       &o.start,
       "where the decoder begins; chosen by the context if not given",
       {"", "first_backward", "last", "mean", "zeros"}},
      {"readout", &o.readout, "width before the output layer; 0: as --hidden; -1: no readout", {}, -1, 16384},
      {.name = "output",
       .place = &o.output,
       .help = "what the next word is chosen from",
       .names = output_names(),
       .later = true},
      {.name = "coverage_loss",
       .place = &o.coverage_loss,
       .help = "weight of the coverage loss",
       .most = 1e6,
       .later = true},
      {"layers", &o.layers, "number of layers of the encoder, and of the decoder", {}, 1, 1024},
      {"decoder_layers", &o.decoder_layers, "number of layers of the decoder, where it has others", {}, 1, 1024},
      {"bidirectional", &o.bidirectional, "the encoder reads in both directions"},
      {"dropout", &o.dropout, "dropout probability", {}, 0, 1, true},
  };
}

Seq2SeqOptions completed(Seq2SeqOptions o) {
  bool attends = o.context == "attention";
  if (o.start.empty()) o.start = attends && o.bidirectional ? "first_backward" : "last";
  if (o.readout == 0) o.readout = o.output == "pointer" && !o.input_feeding ? Seq2SeqOptions::kDirect : o.hidden;
  require_options("Seq2Seq", option_fields_of(o));
  if (o.start == "first_backward" && !o.bidirectional)
    throw ValueError("Seq2Seq: the start first_backward needs an encoder of two directions; got one; use last or mean");
  if (o.context == "initial_state" && o.start == "zeros")
    throw ValueError(
        "Seq2Seq: a decoder that starts at zero and gets no context knows nothing of the source; got context "
        "initial_state with start zeros");
  if (o.input_feeding && (!attends || o.order != "luong" || o.readout == Seq2SeqOptions::kDirect))
    throw ValueError("Seq2Seq: input feeding needs attention in Luong's order and a readout to feed");
  bool copies = output_needs_alignment(o.output);
  if (copies && !attends)
    throw ValueError(
        fmt::format("Seq2Seq: the output {} copies by attention; got the context {}", o.output, o.context));
  if (copies && o.source_vocabulary != o.target_vocabulary)
    throw ValueError(
        fmt::format("Seq2Seq: the output {} copies words, so both sides need one vocabulary; got {} and {} words",
                    o.output, o.source_vocabulary, o.target_vocabulary));
  if (o.coverage_loss > 0 && !attends)
    throw ValueError(fmt::format("Seq2Seq: the coverage loss needs attention; got the weight {} with the context {}",
                                 o.coverage_loss, o.context));
  ScoreOptions& score = o.attention.score;
  score.query = o.hidden;
  score.key = o.hidden * (o.bidirectional ? 2 : 1);
  score = completed_stage(Kind::score, score);
  Generator unused(0);
  if (attends && !make_normaliser(o.attention.normaliser, unused)->row_wise())
    throw ValueError(
        fmt::format("Seq2Seq: the decoder asks one query at a time; got the normaliser {}, which needs all",
                    o.attention.normaliser.name));
  return o;
}

io::Json to_json(const Seq2SeqOptions& options) {
  Seq2SeqOptions o = options;
  return json_of(option_fields_of(o));
}

Seq2SeqOptions seq2seq_options_from(const io::Json& j) {
  Seq2SeqOptions o{.source_vocabulary = 0, .target_vocabulary = 0};
  try {
    read_option_fields(option_fields_of(o), j);
    read_old_settings(o.attention, j);
    return completed(o);
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
