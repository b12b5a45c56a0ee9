// A small model with the tensors of Universal Sentence Encoder Lite, drawn at random, and its folder: model.json, three
// files of weights whose borders lie inside tensors, and vocab.json.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tensor/tensor.h"

namespace heed::published_test {

constexpr int64_t kV = 16, kNarrow = 8, kWide = 12, kInner = 10;  // words, d, D, F
using LiteWeights = std::vector<std::pair<std::string, Tensor>>;

// The names of the graph are written out again here, so that a wrong one in nn/published/use_lite.h is found.
inline LiteWeights lite_weights() {
  const std::string A = "module_apply_default/Encoder_en/KonaTransformer/Encode/", cat = "/ConcatPartitions/concat";
  const std::string S = A + "TransformerStack/", B = "module/Encoder_en/KonaTransformer/Encode/";
  std::vector<std::pair<std::string, Shape>> all = {
      {"module/Embeddings_en", {kV, kNarrow}},
      {S + "Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1", {1, kNarrow / 2}},
      {A + "Layer_0/TransformerLayer/dense/kernel" + cat, {kNarrow, kWide}},
      {A + "Layer_0/TransformerLayer/dense/bias" + cat, {kWide}},
      {"module/Encoder_en/hidden_layers/tanh_layer_0/weights", {kWide, kWide}},
      {"module/Encoder_en/hidden_layers/tanh_layer_0/bias", {kWide}}};
  for (int64_t d : {kNarrow, kWide}) {
    const std::string l = d == kNarrow ? "Layer_0/TransformerLayer/" : "Layer_1/TransformerLayer/";
    const std::string seen = l + "MultiheadAttention/", fed = l + "FFN/", norm = "layer_prepostprocess/layer_norm/";
    for (const std::pair<std::string, Shape>& one : std::vector<std::pair<std::string, Shape>>{
             {A + l + norm + "layer_norm_scale" + cat, {d}},
             {A + l + norm + "layer_norm_bias" + cat, {d}},
             {B + seen + "qkv_transform_single/kernel/part_0", {1, 1, d, 3 * d}},
             {A + seen + "qkv_transform_single/bias" + cat, {3 * d}},
             {B + seen + "output_transform_single/kernel/part_0", {1, 1, d, kWide}},
             {A + seen + "output_transform_single/bias" + cat, {kWide}},
             {A + fed + norm + "layer_norm_scale" + cat, {kWide}},
             {A + fed + norm + "layer_norm_bias" + cat, {kWide}},
             {S + fed + "conv1/Tensordot/Reshape_1", {kWide, kInner}},
             {A + fed + "conv1/bias" + cat, {kInner}},
             {S + fed + "conv2/Tensordot/Reshape_1", {kInner, kWide}},
             {A + fed + "conv2/bias" + cat, {kWide}},
             {S + seen + "mul/y", {}}})  // a constant, which is not read
      all.push_back(one);
  }
  LiteWeights out;
  Generator rng(7);
  for (const auto& [name, shape] : all) {
    Tensor t = Tensor::empty(shape);
    for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = static_cast<float>(rng.normal());
    out.emplace_back(name, t);
  }
  return out;
}

inline io::Json lite_entry(const std::string& name, const std::string& type, const std::vector<int64_t>& shape) {
  return io::Json::object({{"name", name}, {"shape", io::Json(shape)}, {"dtype", type}});
}

// Writes the folder; `more` are further entries of the manifest, of int32 numbers that are 0 in the files.
inline void write_lite(const std::string& folder, const LiteWeights& weights, const std::vector<io::Json>& more = {},
                       int64_t int32s = 0) {
  io::Json entries = io::Json::array();
  std::string bytes(static_cast<size_t>(4 * int32s), '\0');
  for (const io::Json& one : more) entries.push(one);
  for (const auto& [name, tensor] : weights) {
    std::vector<int64_t> shape;
    for (int axis = 0; axis < tensor.rank(); ++axis) shape.push_back(tensor.size(axis));
    entries.push(lite_entry(name, "float32", shape));
    bytes.append(reinterpret_cast<const char*>(tensor.data<float>()), static_cast<size_t>(4 * tensor.count()));
  }
  io::make_folder(folder);
  const size_t cuts[] = {0, 1001, 2 * bytes.size() / 3, bytes.size()};
  io::Json paths = io::Json::array();
  for (size_t i = 0; i < 3; ++i) {
    paths.push("shard" + std::to_string(i));
    io::atomic_write(folder + "/shard" + std::to_string(i), bytes.substr(cuts[i], cuts[i + 1] - cuts[i]));
  }
  const io::Json group = io::Json::object({{"paths", paths}, {"weights", entries}});
  io::atomic_write(folder + "/model.json", io::Json::object({{"weightsManifest", io::Json::array({group})}}).dump());
  io::atomic_write(folder + "/vocab.json", R"([["?", 0], ["<s>", 0], ["</s>", 0], ["x1", 0], ["x2", 0], ["x3", 0],
      ["▁", -2], ["a", -3], ["b", -1], ["ab", -4], ["▁a", -5], [":", null], ["▁:", null], ["c", -1], ["c", -9],
      ["xy", -2]])");
}

}  // namespace heed::published_test
