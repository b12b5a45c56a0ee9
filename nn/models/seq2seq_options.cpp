#include "nn/models/seq2seq_options.h"

#include <fmt/format.h>

#include "nn/attention/registry.h"
#include "nn/models/any_recurrent.h"
#include "nn/output_heads/output_head.h"
#include "nn/pooling/pooler.h"

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
    for (const std::string& text : stage_texts(o.pooling)) stage_from(poolings(), text);
  if (!o.reader.empty()) stage_from(Kind::reader, o.reader);
  if (!o.memory.empty()) stage_from(Kind::memory, o.memory);
}

}  // namespace

void Seq2SeqOptions::fields(OptionFields& f) {
  auto stage = [&](Kind kind, StageOptions& place, const std::string& help) -> OptionField& {
    return f(name_of(kind), stage_place(kind, &place), help, stage_names(kind));
  };
  const Range width{1, 16384}, weight{0, 1e6}, layer{1, 1024};
  f("embedding", embedding, "size of the word vectors", width);
  f("hidden", hidden, "size of the recurrent states", width);
  f("cell", cell, "recurrent cell", recurrent_cells());
  f("context", context, "what the decoder receives from the encoder", {"attention", "initial_state", "every_step"});
  stage(Kind::score, attention.score, "attention score");
  stage(Kind::scope, attention.scope, "which words attention may look at");
  stage(Kind::normaliser, attention.normaliser, "how attention scores become weights");
  stage(Kind::position, attention.position, "how distances reach the scores").option = "positions";
  stage(Kind::evaluator, attention.evaluator, "how attention is computed");
  f("order", order,
    fmt::format(
        "attention before the cell of the decoder (bahdanau), after it (luong) or inside it (deep: deep fusion, "
        "for the cell {})",
        cells_with_tape()),
    {"bahdanau", "luong", "deep"});
  f("input_feeding", input_feeding, "the cell also reads the readout of the step before; needs --order luong");
  f("start", start, "where the decoder begins; chosen by the context if not given",
    {"", "first_backward", "last", "mean", "pooled", "zeros"});
  f("readout", readout, "width before the output layer; 0: as --hidden; -1: no readout", {kDirect, 16384});
  f("pooling", stage_list_place(poolings(), &pooling),
    "makes one vector of the encoder outputs, instead of the last states; several: mean,max", stage_names(poolings()));
  f("reader", stage_place(Kind::reader, &reader, true),
    "what reads the source by the attention weights, instead of a weighted mean", stage_names(Kind::reader));
  f("memory", stage_place(Kind::memory, &memory, true), "the decoder's memory of its own outputs",
    stage_names(Kind::memory));
  f("tape", tape, fmt::format("{}: number of most recent states that it attends to; 0: all", cells_with_tape()),
    {0, 1e6});
  f("output", output, "what the next word is chosen from", output_names());
  f("coverage_loss", coverage_loss, "weight of the coverage loss", weight);
  f("doubly_stochastic", doubly_stochastic, "weight of the penalty on source words that are not read once in all",
    weight);
  f("attention_entropy", attention_entropy, "weight of the entropy of the attention weights", weight);
  f("attention_overlap", attention_overlap, "weight of what two steps read in common", weight);
  f("guided_attention", guided_attention, "weight of the distance of the alignment from the diagonal", weight);
  f("layers", layers, "number of layers of the encoder, and of the decoder", layer);
  f("decoder_layers", decoder_layers, "number of layers of the decoder, where it has others", layer);
  f("bidirectional", bidirectional, "the encoder reads in both directions");
  f("dropout", dropout, "dropout probability", kFraction);
  f("attention_dropout", attention.dropout, "dropout of the attention weights", kFraction);
}

Seq2SeqOptions completed(Seq2SeqOptions o) {
  bool attends = o.context == "attention";
  if (o.start.empty()) o.start = !o.pooling.empty() ? "pooled" : attends && o.bidirectional ? "first_backward" : "last";
  if (o.readout == 0) o.readout = o.output == "pointer" && !o.input_feeding ? Seq2SeqOptions::kDirect : o.hidden;
  require_options("Seq2Seq", fields_of(o));
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
  return json_of(fields_of(o));
}

Seq2SeqOptions seq2seq_options_from(const io::Json& j, const std::vector<std::string>& others) {
  Seq2SeqOptions o{.source_vocabulary = 0, .target_vocabulary = 0};
  try {
    read_option_fields(fields_of(o), j, others);
    return completed(o);
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
