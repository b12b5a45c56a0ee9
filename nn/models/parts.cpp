#include "nn/models/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/evaluators/by_blocks.h"
#include "nn/decode/search_steps.h"
#include "nn/made_if.h"
#include "nn/padding.h"
#include "nn/penalties.h"
#include "nn/pooling/pooler.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {

using search_steps::pick;

void DecoderState::keep(const Tensor& rows) {
  for (Variable& part : cell) pick(part, rows);
  pick(fed, rows), pick(past, rows);
  alignment.keep(rows);
}
void Source::keep(const Tensor& rows) {
  pick(keys, rows), pick(values, rows), pick(allowed, rows), pick(lengths, rows);
}

// ---- options --------------------------------------------------------------------------------------------------------

namespace {
constexpr Range kWidth{1, 16384}, kLayers{1, 1024}, kTape{0, 1e6};
std::string tape_help() {
  return fmt::format("{}: number of most recent states that it attends to; 0: all", cells_with_tape());
}
}  // namespace

void EncoderOptions::fields(OptionFields& f) {
  f("cell", cell, "recurrent cell", recurrent_cells());
  f("hidden", hidden, "size of the recurrent states, of each direction", kWidth);
  f("layers", layers, "number of layers", kLayers);
  f("bidirectional", bidirectional, "the encoder reads in both directions");
  f("tape", tape, tape_help(), kTape);
}
void DecoderOptions::fields(OptionFields& f) {
  f("cell", cell, "recurrent cell", recurrent_cells());
  f("hidden", hidden, "size of the recurrent states", kWidth);
  f("layers", layers, "number of layers", kLayers);
  f("tape", tape, tape_help(), kTape);
  f("memory", stage_place(Kind::memory, &memory, true), "the decoder's memory of its own outputs",
    stage_names(Kind::memory));
}
Embedding::Options embedding_of(const WordOptions& o) {
  return {.vocabulary = o.vocabulary, .width = o.width, .padding = text::Vocabulary::pad, .std = 0.1};
}
AnyRecurrent::Options recurrent_of(const EncoderOptions& o, int64_t input, double dropout) {
  return {.cell = o.cell,
          .input = input,
          .hidden = o.hidden,
          .layers = o.layers,
          .bidirectional = o.bidirectional,
          .dropout = dropout,
          .tape = o.tape};
}
AnyRecurrent::Options recurrent_of(const DecoderOptions& o, int64_t input, double dropout) {
  return {.cell = o.cell, .input = input, .hidden = o.hidden, .layers = o.layers, .dropout = dropout, .tape = o.tape};
}

// ---- readout --------------------------------------------------------------------------------------------------------

Readout::Readout(const Options& o, Generator& rng)
    : options(o), linear(made_if<Linear>(o.width != kDirect, {.in = o.in, .out = o.width}, rng)) {}

void readout_fields(int64_t& width, OptionFields& f) {
  f("readout", width, "width before the output layer; 0: as the decoder's states; -1: no readout",
    {Readout::kDirect, 16384});
}

// ---- the first state ------------------------------------------------------------------------------------------------

std::string completed_start(const std::string& start, const std::string& pooling, bool first_backward) {
  if (!start.empty()) return start;
  return !pooling.empty() ? "pooled" : first_backward ? "first_backward" : "last";
}

void require_pooling_is_read(const std::string& pooling, const std::string& start) {
  if (!pooling.empty() && start != "pooled")
    throw ValueError(
        fmt::format("first state: nothing would read the pooling; got {} with the start {}; hint: the start pooled",
                    pooling, start));
}

void start_fields(std::string& start, std::string& pooling, OptionFields& f) {
  f("start", start, "where the decoder begins; chosen by the paper if not given",
    {"", "first_backward", "last", "mean", "pooled", "zeros"});
  f("pooling", stage_list_place(poolings(), &pooling),
    "makes one vector of the encoder outputs, instead of the last states; several: mean,max", stage_names(poolings()));
}

namespace {

// The width of x (parts.h). It is needed before the pooling is built, so a trial pooling gives it.
int64_t start_width(const FirstState::Options& o) {
  if (o.from == "first_backward" && !o.encoder.bidirectional)
    throw ValueError(
        "first state: first_backward needs an encoder of two directions; got one direction; use last or mean");
  if (o.from == "pooled" && o.pooling.empty())
    throw ValueError("first state: pooled needs a pooling; got none; hint: mean or structured");
  if (o.from != "pooled") return o.from == "first_backward" ? o.encoder.hidden : o.encoder.width();
  Generator unused(0);
  return Pooling({.modes = stage_texts(o.pooling), .width = o.encoder.width()}, unused).width();
}

}  // namespace

FirstState::FirstState(const Options& o, Generator& rng)
    : options(o),
      linear(made_if<Linear>(
          o.from != "zeros",
          {.in = start_width(o), .out = o.decoder.layers * state_parts(o.decoder.cell) * o.decoder.hidden}, rng)),
      pooling(
          made_if<Pooling>(!o.pooling.empty(), {.modes = stage_texts(o.pooling), .width = o.encoder.width()}, rng)) {}

FirstState::Result FirstState::operator()(const Variable& h, const Tensor& lengths, const Variable& last) const {
  Call call(*this);
  const int64_t N = options.decoder.hidden, parts = options.decoder.layers * state_parts(options.decoder.cell);
  Variable summary = pooling ? call.result("pooled", (*pooling)(h, length_mask(lengths, h.size(1)))) : last;  // [B, C]
  if (!linear) return {States(static_cast<size_t>(parts), Variable(Tensor::zeros({h.size(0), N}, h.dtype()))), summary};
  const int64_t half = options.encoder.hidden;  // h_1 = [forward; backward]
  Variable x = options.from == "first_backward" ? slice(select(h, 1, 0), 1, half, 2 * half)
               : options.from == "mean" ? sum(h, {1}) / Variable(lengths.to(h.dtype()).unsqueeze(1))  // padding is 0
               : options.from == "last" ? last
                                        : summary;
  return {chunk(call.result("output", tanh((*linear)(x))), parts, 1), summary};
}

// ---- attention ------------------------------------------------------------------------------------------------------

void attention_fields(AttentionOptions& o, OptionFields& f) {
  auto stage = [&](Kind kind, StageOptions& place, const std::string& help) -> OptionField& {
    return f(name_of(kind), stage_place(kind, &place), help, stage_names(kind));
  };
  stage(Kind::score, o.score, "attention score");
  stage(Kind::scope, o.scope, "which words attention may look at");
  stage(Kind::normaliser, o.normaliser, "how attention scores become weights");
  stage(Kind::position, o.position, "how distances reach the scores").option = "positions";
  stage(Kind::evaluator, o.evaluator, "how attention is computed");
  f("attention_dropout", o.dropout, "dropout of the attention weights", kFraction);
}
void reader_field(std::string& reader, OptionFields& f) {
  f("reader", stage_place(Kind::reader, &reader, true),
    "what reads the source by the attention weights, instead of a weighted mean", stage_names(Kind::reader));
}

AttentionOptions completed_attention(AttentionOptions o, int64_t query, int64_t key, const std::string& reader) {
  o.score.query = query, o.score.key = key;
  o.score = completed_stage(Kind::score, o.score);
  if (!chosen_by_call(o.evaluator) && stage_entry(Kind::evaluator, o.evaluator.name).architecture == "transformer")
    throw ValueError(fmt::format(
        "decoder: the memory of this evaluator is that of a transformer's own words; got the evaluator {}; hint: auto",
        o.evaluator.name));
  Generator unused(0);
  auto normaliser = make_normaliser(o.normaliser, unused);
  if (!normaliser->row_wise())
    throw ValueError(fmt::format("decoder: attention asks one query at a time; got the normaliser {}, which needs all",
                                 o.normaliser.name));
  if (!reader.empty() && !normaliser->rows_sum_to_one())
    throw ValueError(
        fmt::format("decoder: the reader {} needs weights that sum to 1; got the normaliser {}, whose rows do not; "
                    "hint: softmax",
                    reader, o.normaliser.name));
  return o;
}

SourceAttention::SourceAttention(const Options& o, Generator& rng)
    : Attention(o.stages, rng), reader(o.reader.empty() ? nullptr : make_reader(o.reader, rng)) {
  if (reader && evaluator && !evaluator->shows_weights())
    throw ValueError(
        fmt::format("decoder: a reader needs the weights; got the reader {} with the evaluator {}; use auto", o.reader,
                    stages.evaluator.name));
}

Variable SourceAttention::context(const Variable& query, const Source& source, DecoderState& state) const {
  return squeeze(all(unsqueeze(query, 1), source, state).context, 1);
}
Attended SourceAttention::all(const Variable& queries, const Source& source, DecoderState& state) const {
  Attended seen = (*this)(queries, source, state.alignment);
  if (!reader) return seen;
  state.read = (*reader)(seen.weights, source.values);
  state.alignment.weights = select(state.read.weights, 1, queries.size(1) - 1);
  return {state.read.context, state.read.weights};
}

int64_t most_source_words(const Pipeline& a, DType dtype) {
  // A source word may lie any distance ahead of the decoder's own position.
  const int64_t words = most_words(*a.position, *a.score, a.evaluator.get(), /*ahead=*/!a.scope->causal(), dtype);
  const SettingValues& settings = a.stages.score.settings;  // a score with a table of the source's positions
  if (!settings.contains("max_source")) return words;
  const auto table = static_cast<int64_t>(settings.at("max_source"));
  return words > 0 ? std::min(words, table) : table;
}

// ---- the decoder's cell ---------------------------------------------------------------------------------------------

RecurrentDecoder::RecurrentDecoder(const Options& o, Generator& rng)
    : AnyRecurrent(recurrent_of(o.decoder, o.input, o.dropout), rng),
      memory(o.decoder.memory.empty() ? nullptr : make_output_memory(o.decoder.memory, o.decoder.hidden, rng)) {}

Variable RecurrentDecoder::step(const Variable& x, DecoderState& state, const Variable& added) const {
  state.cell = AnyRecurrent::step(x, state.cell, added);
  return top(state);
}
Variable RecurrentDecoder::steps(const Variable& x, DecoderState& state) const {
  Sequence all = (*this)(x, {}, state.cell);
  state.cell = all.last;
  return all.annotations;
}

// ---- the loss of a reader -------------------------------------------------------------------------------------------

namespace {

// The words that the steps predict: target_in moved by one place, with </s> after the last word. [B, T] -> [B, T]
Tensor words_to_predict(const Tensor& target_in) {
  using text::Vocabulary;
  int64_t B = target_in.size(0), T = target_in.size(1);
  Tensor in = target_in.contiguous(), out = Tensor::zeros({B, T}, DType::i64);
  for (int64_t row = 0; row < B; ++row)
    for (int64_t t = 0; t < T; ++t) {
      const int64_t* word = in.data<int64_t>() + row * T + t;
      int64_t next = t + 1 < T ? word[1] : Vocabulary::pad;
      if (*word != Vocabulary::pad)
        out.data<int64_t>()[row * T + t] = next == Vocabulary::pad ? Vocabulary::stop : next;
    }
  return out;
}

}  // namespace

// The training loss is a mean over words and the reader's term a mean over sentences. The weight sentences / words
// makes the term a mean over words, too.
void add_reader_loss(const Reader& reader, const Variable& logits, const Tensor& target_in, const HardRead& read) {
  if (!reader.trains() || !Penalties::active()) return;
  Tensor next = words_to_predict(target_in), padding = equal(next, static_cast<double>(text::Vocabulary::pad));
  Variable words = squeeze(gather(log_softmax(logits.detach(), -1), -1, next.unsqueeze(-1)), -1);  // [B, T]
  auto real = [&](const Variable& x) { return masked_fill(x, padding, 0); };
  double sentences = static_cast<double>(next.size(0)), predicted = sum(logical_not(padding).to(DType::f64)).item();
  Penalties::add("reader", reader.penalty(sum(real(words), {1}), real(read.log_probability), real(read.entropy)),
                 sentences / predicted);
}

}  // namespace heed::nn
