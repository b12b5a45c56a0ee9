#include "nn/translation_model.h"

#include <fmt/format.h>

#include "nn/decode/seq2seq_search.h"

namespace heed::nn {
namespace {

std::variant<Seq2Seq> make(const TranslationModel::Options& options, Generator& rng) {
  return Seq2Seq(std::get<Seq2SeqOptions>(options), rng);
}

bool has_shape(const io::SafeTensors& file, const char* name, const Shape& shape) {
  const Tensor* t = file.find(name);
  return t && t->shape() == shape;
}

bool fits(const Seq2SeqOptions& o, const io::SafeTensors& file) {
  const Tensor* output = file.find("output.weight");
  int64_t gates = o.cell == "rnn" ? 1 : o.cell == "gru" ? 3 : 4;
  bool direct = o.readout == Seq2SeqOptions::kDirect;
  return output && output->rank() == 2 && output->size(0) == o.target_vocabulary &&
         (direct || output->size(1) == o.readout) &&
         has_shape(file, "encoder.weight_hh_l0", {gates * o.hidden, o.hidden}) &&
         has_shape(file, "source_embedding.weight", {o.source_vocabulary, o.embedding});
}

}  // namespace

TranslationModel::TranslationModel(const Options& options, Generator& rng) : model(make(options, rng)) {}

Variable TranslationModel::operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                                      Tensor* weights) const {
  return std::visit([&](const auto& m) { return m(source, lengths, target_in, weights); }, model);
}

std::unique_ptr<SearchModel> TranslationModel::search(const Tensor& source, const Tensor& lengths) const {
  return std::make_unique<Seq2SeqSearch>(std::get<Seq2Seq>(model), source, lengths);
}

bool TranslationModel::attends() const { return std::get<Seq2Seq>(model).attends(); }
int64_t TranslationModel::max_positions() const { return 0; }
TranslationModel::Options TranslationModel::options() const {
  return std::visit([](const auto& m) { return Options(m.options); }, model);
}

io::Json to_json(const TranslationModel::Options& options) {
  io::Json j = to_json(std::get<Seq2SeqOptions>(options));
  return j.set("model", "seq2seq");
}

TranslationModel::Options translation_options_from(const io::Json& j) {
  std::string name = j.text("model", "seq2seq");
  if (name == "seq2seq") return seq2seq_options_from(j);
  throw IoError(fmt::format("the model must be seq2seq; got \"{}\"", name));
}

TranslationModel::Options sized(TranslationModel::Options options, int64_t source_vocabulary,
                                int64_t target_vocabulary) {
  auto& o = std::get<Seq2SeqOptions>(options);
  o.source_vocabulary = source_vocabulary, o.target_vocabulary = target_vocabulary;
  return options;
}

bool fits(const TranslationModel::Options& options, const io::SafeTensors& file) {
  return fits(std::get<Seq2SeqOptions>(options), file);
}

}  // namespace heed::nn
