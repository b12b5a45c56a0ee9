#include "tests/nn/published/golden.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/modes.h"
#include "nn/io/file.h"
#include "nn/io/safetensors.h"

namespace heed::published_test {
namespace {

using nn::published::Answer;
using nn::published::Model;

Tensor ids_of(const io::Json& rows) {
  std::vector<int64_t> all;
  for (const io::Json& row : rows.elements())
    for (const io::Json& id : row.elements()) all.push_back(id.as_integer());
  const auto B = static_cast<int64_t>(rows.size());
  return Tensor::from(all, {B, static_cast<int64_t>(all.size()) / B});
}

// Our tensor for a name of the library: hidden_states.2, encoder_attentions.0, pooler_output, ..
Variable ours(const Model& model, const Answer& answer, const std::string& name) {
  static const std::map<std::string, std::string> heads = {{"pooler_output", "pooler"},
                                                           {"prediction_logits", "masked_words"},
                                                           {"seq_relationship_logits", "next_sentence"},
                                                           {"sop_logits", "sentence_order"},
                                                           {"logits", ""}};
  if (auto head = heads.find(name); head != heads.end()) return model.logits(head->second, answer);
  const bool of_encoder = name.starts_with("encoder_");
  const nn::published::Seen& seen = of_encoder ? answer.encoder : answer.of_heads();
  if (name.ends_with("last_hidden_state")) return seen.last();
  const size_t dot = name.find('.');
  REQUIRE_MESSAGE(dot != std::string::npos, "a tensor of another kind: " << name);
  const auto i = static_cast<size_t>(std::stoi(name.substr(dot + 1)));
  if (name.find("hidden_states") != std::string::npos) return seen.hidden.at(i);
  return (name.starts_with("cross_") ? seen.cross : seen.attentions).at(i);
}

// Which queries are words, as the second axis of hidden states and the third of attentions.
double difference(const Tensor& a, const Tensor& b, const Tensor& words) {
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  double most = 0, large = 1;
  const int rank = b.rank();
  const int64_t B = b.size(0), T = rank < 3 ? 1 : b.size(rank - 2), S = b.size(rank - 1),
                heads = rank == 4 ? b.size(1) : 1;
  size_t at = 0;
  for (int64_t i = 0; i < B * heads; ++i)
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < S; ++s, ++at) {
        if (rank > 2 && words.defined() && words.at({i / heads, t}) == 0) continue;
        large = std::max(large, std::fabs(y[at]));
        const double far = std::fabs(x[at] - y[at]);
        most = far <= most ? most : far;  // NaN is the largest
      }
  return most / large;
}

}  // namespace

std::string given_models() {
  const std::string path = "../shared/golden/models";
  if (io::is_folder(path)) return path;
  MESSAGE("not compared: " << path << " is not there");
  return "";
}

nn::published::Inputs inputs_of(const io::Json& one) {
  const io::Json& given = one.inner("inputs");
  auto ids = [&](const char* key) { return given.contains(key) ? ids_of(given.at(key)) : Tensor(); };
  auto mask = [&](const char* key) { return given.contains(key) ? ids(key).to(DType::boolean) : Tensor(); };
  const bool targets = given.contains("decoder_input_ids");
  return {.ids = ids("input_ids"),
          .mask = mask("attention_mask"),
          .kinds = ids("token_type_ids"),
          .places = ids("position_ids"),
          .target_ids = targets ? ids("decoder_input_ids") : Tensor(),
          .target_mask = targets ? mask("decoder_attention_mask") : Tensor()};
}

Difference compared(const std::string& weights, const std::string& inputs, const std::string& answers, DType dtype) {
  NoGrad guard;
  auto model = nn::published::open(weights, {.dtype = dtype});
  const io::Json golden = io::parse(io::read_file(inputs), inputs);
  Difference all;
  for (const io::Json& one : golden.list("cases")) {
    const std::string name = one.text("case");
    std::string path = answers + "/" + name + ".f32.safetensors";
    if (dtype == DType::f64 || !io::exists(path)) path = answers + "/" + name + ".f64.safetensors";
    if (!io::exists(path)) continue;
    const nn::published::Inputs in = inputs_of(one);
    const Answer answer = model->read(in, {.weights = true});
    const Answer plain = model->read(in);  // attention that stores no weights may be another algorithm
    const double other = difference(plain.of_heads().last().value(), answer.of_heads().last().value(),
                                    in.target_ids.defined() ? in.target_mask : in.mask);
    if (!(other <= all.largest)) all.largest = other, all.where = name + " without weights";
    const io::SafeTensors reference = io::load_safetensors(path);
    for (const auto& stored : reference.tensors) {
      const std::string& key = stored.first;
      const Tensor& theirs = stored.second;
      if (theirs.dtype() == DType::i64) continue;  // the inputs
      const Tensor a = ours(*model, answer, key).value();
      CAPTURE(name);
      CAPTURE(key);
      REQUIRE(to_string(a.shape()) == to_string(theirs.shape()));
      const bool of_targets = in.target_ids.defined() && !key.starts_with("encoder_");
      const double far = difference(a, theirs, of_targets ? in.target_mask : in.mask);
      ++all.tensors;
      if (!(far <= all.largest)) all.largest = far, all.where = name + " " + key;
    }
  }
  return all;
}

}  // namespace heed::published_test
