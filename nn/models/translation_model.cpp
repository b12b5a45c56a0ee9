#include "nn/models/translation_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/evaluators/by_blocks.h"
#include "nn/attention/registry.h"
#include "nn/attention/structures/output_memory.h"
#include "nn/models/seq2seq_search.h"
#include "nn/models/small_models.h"
#include "nn/transformer/transformer_search.h"

namespace heed::nn {
namespace {

std::variant<Seq2Seq, Transformer> make(const TranslationModel::Options& options, Generator& rng) {
  if (const auto* o = std::get_if<TransformerOptions>(&options)) return Transformer(*o, rng);
  return Seq2Seq(std::get<Seq2SeqOptions>(options), rng);
}

bool has_shape(const io::SafeTensors& file, const char* name, const Shape& shape) {
  const Tensor* t = file.find(name);
  return t && t->shape() == shape;
}

bool fits(const Seq2SeqOptions& o, const io::SafeTensors& file) {
  const Tensor* output = file.find("output.weight");
  auto [weights, shape] = first_weights(o.cell, o.hidden);
  bool direct = o.readout == Seq2SeqOptions::kDirect;
  bool words = output && output->rank() == 2 && output->size(0) == o.target_vocabulary &&
               (direct || output->size(1) == o.readout);
  return (words || o.output == "pointer") &&  // the output "pointer" has no output matrix
         has_shape(file, "target_embedding.weight", {o.target_vocabulary, o.embedding}) &&
         has_shape(file, ("encoder." + weights).c_str(), shape) &&
         has_shape(file, "source_embedding.weight", {o.source_vocabulary, o.embedding});
}

bool fits(const TransformerOptions& o, const io::SafeTensors& file) { return heed::nn::fits(o, true, file); }

}  // namespace

namespace {

TranslationModel::Options small(const TransformerOptions& options) { return small_model(options); }

TranslationModel::Options small(const Seq2SeqOptions& options) {
  Seq2SeqOptions o = completed(options);
  Generator unused(0);
  if (!o.memory.empty()) make_output_memory(o.memory, o.hidden, unused);  // do they fit the widths as they are?
  if (!o.pooling.empty()) {
    Pooling({.modes = stage_texts(o.pooling), .width = o.hidden * (o.bidirectional ? 2 : 1)}, unused);
    std::string names;  // the settings may be too large for a small model
    for (const std::string& text : stage_texts(o.pooling))
      names += (names.empty() ? "" : ",") + text.substr(0, text.find(':'));
    o.pooling = names;
  }
  o.embedding = 4, o.hidden = 6, o.layers = o.decoder_layers = 1;
  if (o.readout != Seq2SeqOptions::kDirect) o.readout = 6;
  return o;
}

}  // namespace

void try_out(const TranslationModel::Options& options) {
  Generator rng(1);
  // The score with its own widths first: what it says of them must be true of the model, not of the trial.
  if (const auto* o = std::get_if<Seq2SeqOptions>(&options); o && o->context == "attention")
    make_score(completed(*o).attention.score, rng);
  TranslationModel model(std::visit([](const auto& o) { return small(o); }, sized(options, kTrialWords, kTrialWords)),
                         rng);
  Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6}, {1, 3}),
         lengths = Tensor::from(std::vector<int64_t>{3}, {1});
  Tensor target = Tensor::from(std::vector<int64_t>{2, 5, 6}, {1, 3});
  backward(sum(model(source, lengths, target)));
  Evaluating evaluating;
  NoGrad guard;
  greedy(*model.search(source, lengths), {.max_lengths = {3}});
}

TranslationModel::TranslationModel(const Options& options, Generator& rng) : model(make(options, rng)) {}

Variable TranslationModel::operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                                      Tensor* weights) const {
  if (const Seq2Seq* m = seq2seq()) return (*m)(source, lengths, target_in, weights);
  Variable alignment, logits = std::get<Transformer>(model)(source, lengths, target_in, weights ? &alignment : nullptr);
  if (weights) *weights = alignment.value();
  return logits;
}

std::unique_ptr<SearchModel> TranslationModel::search(const Tensor& source, const Tensor& lengths) const {
  if (const auto* m = std::get_if<Transformer>(&model)) return std::make_unique<TransformerSearch>(*m, source, lengths);
  return std::make_unique<Seq2SeqSearch>(std::get<Seq2Seq>(model), source, lengths);
}

void TranslationModel::set_checkpoint(int64_t layers) {
  if (auto* m = std::get_if<Transformer>(&model)) return m->set_checkpoint(layers);
  if (layers > 0)
    throw ValueError(fmt::format(
        "TranslationModel: checkpointing computes layers of a transformer again; got a Seq2Seq and checkpoint {}",
        layers));
}

bool TranslationModel::attends() const { return !seq2seq() || seq2seq()->attends(); }

std::string TranslationModel::output() const { return output_of(options()); }

int64_t TranslationModel::max_positions() const {
  if (const Seq2Seq* s = seq2seq(); s && s->attends()) {
    const Pipeline& a = *s->attention;
    // The words of the source may be any number of words after that of the decoder.
    const int64_t words = most_words(*a.position, *a.score, a.evaluator.get(), /*ahead=*/!a.scope->causal(),
                                     s->source_embedding.weight.dtype());
    const Settings& settings = a.stages.score.settings;  // a score with a table of the source's positions
    if (!settings.contains("max_source")) return words;
    const int64_t table = settings.whole("max_source");
    return words > 0 ? std::min(words, table) : table;
  }
  const auto* m = std::get_if<Transformer>(&model);
  return m ? position_limit(m->options) : 0;
}

TranslationModel::Options TranslationModel::options() const {
  return std::visit([](const auto& m) { return Options(m.options); }, model);
}

io::Json to_json(const TranslationModel::Options& options) {
  io::Json j = std::visit([](const auto& o) { return to_json(o); }, options);
  return j.set("architecture", std::holds_alternative<TransformerOptions>(options) ? "transformer" : "seq2seq");
}

TranslationModel::Options translation_options_from(const io::Json& j, std::vector<std::string> others) {
  std::string name = j.text("architecture", "seq2seq");
  others.emplace_back("architecture");
  if (name == "seq2seq") return seq2seq_options_from(j, others);
  if (name == "transformer") return transformer_options_from(j, others);
  throw IoError(fmt::format("the architecture must be seq2seq or transformer; got \"{}\"", name));
}

std::string output_of(const TranslationModel::Options& options) {
  return std::visit([](const auto& o) { return o.output; }, options);
}

TranslationModel::Options sized(TranslationModel::Options options, int64_t source_vocabulary,
                                int64_t target_vocabulary) {
  std::visit([&](auto& o) { o.source_vocabulary = source_vocabulary, o.target_vocabulary = target_vocabulary; },
             options);
  return options;
}

bool fits(const TranslationModel::Options& options, const io::SafeTensors& file) {
  return std::visit([&](const auto& o) { return fits(o, file); }, options);
}

}  // namespace heed::nn
