#include "nn/models/seq2seq_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "nn/models/output_heads/output_head.h"

namespace heed::nn {
namespace {

void require_one_of(const char* what, const std::string& value, std::initializer_list<const char*> known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  std::string all;
  for (const char* name : known) all += (all.empty() ? "" : ", ") + std::string(name);
  throw ValueError(fmt::format("Seq2Seq: no {} of this name; got `{}`; there are {}", what, value, all));
}

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

Seq2SeqOptions completed(Seq2SeqOptions o) {
  require_one_of("context", o.context, {"attention", "initial_state", "every_step"});
  require_one_of("order", o.order, {"bahdanau", "luong"});
  bool attends = o.context == "attention";
  if (o.start.empty()) o.start = attends && o.bidirectional ? "first_backward" : "last";
  require_one_of("start", o.start, {"first_backward", "last", "mean", "zeros"});
  if (o.readout == 0) o.readout = o.output == "pointer" && !o.input_feeding ? Seq2SeqOptions::kDirect : o.hidden;
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
  if (!(o.coverage_loss >= 0 && std::isfinite(o.coverage_loss)) || (o.coverage_loss > 0 && !attends))
    throw ValueError(
        fmt::format("Seq2Seq: the weight of the coverage loss must be at least 0 and finite, and 0 without attention; "
                    "got {} with the context {}",
                    o.coverage_loss, o.context));
  ScoreOptions& score = o.attention.score;
  score.query = o.hidden;
  score.key = o.hidden * (o.bidirectional ? 2 : 1);
  score = completed_stage(Kind::score, score);
  return o;
}

io::Json to_json(const Seq2SeqOptions& o) {
  const AttentionOptions& a = o.attention;
  return io::Json::object({{"embedding", o.embedding},
                           {"hidden", o.hidden},
                           {"cell", o.cell},
                           {"context", o.context},
                           {"score", text_of(Kind::score, a.score)},
                           {"scope", text_of(Kind::scope, a.scope)},
                           {"normaliser", text_of(Kind::normaliser, a.normaliser)},
                           {"position", text_of(Kind::position, a.position)},
                           {"evaluator", text_of(Kind::evaluator, a.evaluator)},
                           {"order", o.order},
                           {"input_feeding", o.input_feeding},
                           {"start", o.start},
                           {"readout", o.readout},
                           {"output", o.output},
                           {"coverage_loss", o.coverage_loss},
                           {"layers", o.layers},
                           {"decoder_layers", o.decoder_layers},
                           {"bidirectional", o.bidirectional},
                           {"dropout", o.dropout}});
}

Seq2SeqOptions seq2seq_options_from(const io::Json& j) {
  Seq2SeqOptions o{.source_vocabulary = 0, .target_vocabulary = 0};
  AttentionOptions& a = o.attention;
  o.embedding = j.integer("embedding"), o.hidden = j.integer("hidden");
  o.cell = j.text("cell"), o.context = j.text("context");
  o.order = j.text("order"), o.input_feeding = j.boolean("input_feeding"), o.start = j.text("start");
  o.readout = j.integer("readout"), o.layers = j.integer("layers"), o.decoder_layers = j.integer("decoder_layers");
  // Files written before these options existed do not contain them.
  o.output = j.text("output", o.output), o.coverage_loss = j.number("coverage_loss", 0);
  o.bidirectional = j.boolean("bidirectional"), o.dropout = j.number("dropout");
  for (int64_t width :
       {o.embedding, o.hidden, o.readout == Seq2SeqOptions::kDirect ? 1 : o.readout, o.layers, o.decoder_layers})
    if (width < 1 || width > 16384) throw IoError(fmt::format("a width must lie in [1, 16384]; got {}", width));
  if (!(o.dropout >= 0 && o.dropout < 1)) throw IoError(fmt::format("dropout must lie in [0, 1); got {}", o.dropout));
  try {
    a.score = stage_from(Kind::score, j.text("score"));
    a.scope = stage_from(Kind::scope, j.text("scope"));
    a.normaliser = stage_from(Kind::normaliser, j.text("normaliser"));
    a.position = stage_from(Kind::position, j.text("position", "none"));
    a.evaluator = stage_from(Kind::evaluator, j.text("evaluator", "auto"));
    read_old_settings(a, j);
    return completed(o);
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
