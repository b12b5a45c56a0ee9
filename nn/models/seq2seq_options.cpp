#include "nn/models/seq2seq_options.h"

#include <fmt/format.h>

#include "nn/attention/registry.h"
#include "nn/models/output_heads/output_head.h"
#include "nn/recurrent/any_recurrent.h"

namespace heed::nn {
namespace {

// What the options of 2016 and later need beside them: a tape, deep fusion, a pooling, a reader, a memory.
void require_structures(const Seq2SeqOptions& o) {
  bool attends = o.context == "attention", deep = o.order == "deep" && attends;
  if (o.tape > 0 && !keeps_tape(o.cell))
    throw ValueError(fmt::format("Seq2Seq: only the cell {} keeps a tape; got a tape of {} with the cell {}",
                                 cells_with_tape(), o.tape, o.cell));
  if (deep && (!keeps_tape(o.cell) || o.bidirectional || o.decoder_layers != 1))
    throw ValueError(
        fmt::format("Seq2Seq: deep fusion needs the cell {}, an encoder of one direction and one decoder layer; got "
                    "the cell {}, {} and {} decoder layers; hint: --bidirectional false",
                    cells_with_tape(), o.cell, o.bidirectional ? "two directions" : "one direction", o.decoder_layers));
  if (o.start == "pooled" && o.pooling.empty())
    throw ValueError("Seq2Seq: the start pooled needs a pooling; got none; hint: mean or structured");
  if (!o.pooling.empty() && o.start != "pooled" && o.context != "every_step")
    throw ValueError(
        fmt::format("Seq2Seq: nothing would read the pooling; got {} with the context {} and the start {}; hint: the "
                    "start pooled",
                    o.pooling, o.context, o.start));
  if (!o.reader.empty() && !attends)
    throw ValueError(fmt::format("Seq2Seq: a reader reads by attention; got the reader {} with the context {}",
                                 o.reader, o.context));
  if (!o.reader.empty() && deep)
    throw ValueError(
        fmt::format("Seq2Seq: deep fusion reads a weighted mean; got the reader {}; use the order bahdanau", o.reader));
  // Their names and settings; whether these fit the widths is said by the model, or by try_out.
  if (!o.pooling.empty())
    for (const std::string& text : stage_texts(o.pooling)) stage_from(Kind::pooling, text);
  if (!o.reader.empty()) stage_from(Kind::reader, o.reader);
  if (!o.memory.empty()) stage_from(Kind::memory, o.memory);
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
      {"cell", &o.cell, "recurrent cell", recurrent_cells()},
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
       fmt::format("attention before the cell of the decoder (bahdanau), after it (luong) or inside it (deep: deep "
                   "fusion, for the cell {})",
                   cells_with_tape()),
       {"bahdanau", "luong", "deep"}},
      {"input_feeding", &o.input_feeding, "the cell also reads the readout of the step before; needs --order luong"},
      {"start",
       &o.start,
       "where the decoder begins; chosen by the context if not given",
       {"", "first_backward", "last", "mean", "pooled", "zeros"}},
      {"readout", &o.readout, "width before the output layer; 0: as --hidden; -1: no readout", {}, -1, 16384},
      {.name = "pooling",
       .place = stage_list_place(Kind::pooling, &o.pooling),
       .help = "makes one vector of the encoder outputs, instead of the last states; several: mean,max",
       .names = stage_names(Kind::pooling),
       .later = true},
      {.name = "reader",
       .place = stage_place(Kind::reader, &o.reader, true),
       .help = "what reads the source by the attention weights, instead of a weighted mean",
       .names = stage_names(Kind::reader),
       .later = true},
      {.name = "memory",
       .place = stage_place(Kind::memory, &o.memory, true),
       .help = "the decoder's memory of its own outputs",
       .names = stage_names(Kind::memory),
       .later = true},
      {.name = "tape",
       .place = &o.tape,
       .help = fmt::format("{}: number of most recent states that it attends to; 0: all", cells_with_tape()),
       .most = 1e6,
       .later = true},
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
      {.name = "doubly_stochastic",
       .place = &o.doubly_stochastic,
       .help = "weight of the penalty on source words that are not read once in all",
       .most = 1e6,
       .later = true},
      {.name = "attention_entropy",
       .place = &o.attention_entropy,
       .help = "weight of the entropy of the attention weights",
       .most = 1e6,
       .later = true},
      {.name = "attention_overlap",
       .place = &o.attention_overlap,
       .help = "weight of what two steps read in common",
       .most = 1e6,
       .later = true},
      {.name = "guided_attention",
       .place = &o.guided_attention,
       .help = "weight of the distance of the alignment from the diagonal",
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
  if (o.start.empty()) o.start = !o.pooling.empty() ? "pooled" : attends && o.bidirectional ? "first_backward" : "last";
  if (o.readout == 0) o.readout = o.output == "pointer" && !o.input_feeding ? Seq2SeqOptions::kDirect : o.hidden;
  require_options("Seq2Seq", option_fields_of(o));
  if (o.start == "first_backward" && !o.bidirectional)
    throw ValueError("Seq2Seq: the start first_backward needs an encoder of two directions; got one; use last or mean");
  if (o.context == "initial_state" && o.start == "zeros")
    throw ValueError(
        "Seq2Seq: a decoder that starts at zero and gets no context knows nothing of the source; got context "
        "initial_state with start zeros");
  if (o.input_feeding && (!attends || o.order != "luong" || o.readout == Seq2SeqOptions::kDirect))
    throw ValueError(
        fmt::format("Seq2Seq: input feeding needs attention in Luong's order and a readout to feed; got the context {} "
                    "and the order {}; hint: --order luong, and "
                    "--context attention",
                    o.context, o.order));
  require_structures(o);
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
  for (double weight : {o.doubly_stochastic, o.attention_entropy, o.attention_overlap, o.guided_attention})
    if (weight > 0 && !attends)
      throw ValueError(fmt::format(
          "Seq2Seq: penalties of attention need attention; got the weight {} with the context {}", weight, o.context));
  ScoreOptions& score = o.attention.score;
  score.query = o.order == "deep" ? o.embedding + o.hidden : o.hidden;  // deep: [y_t; c_{t-1}]
  score.key = o.hidden * (o.bidirectional ? 2 : 1);
  score = completed_stage(Kind::score, score);
  Generator unused(0);
  auto normaliser = make_normaliser(o.attention.normaliser, unused);
  if (attends && !normaliser->row_wise())
    throw ValueError(
        fmt::format("Seq2Seq: the decoder asks one query at a time; got the normaliser {}, which needs all",
                    o.attention.normaliser.name));
  if (attends && !normaliser->rows_sum_to_one() && (copies || !o.reader.empty()))
    throw ValueError(fmt::format(
        "Seq2Seq: the {} {} needs weights that sum to 1; got the normaliser {}, whose rows do not; hint: softmax",
        copies ? "output" : "reader", copies ? o.output : o.reader, o.attention.normaliser.name));
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
    return completed(o);
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
