// Cases of structures that attend to something other than the words of one sentence: neighbours in a store, chunks,
// several sources, episodes, areas, pictures, prefixes, edges.
#include "autograd/cases/layouts.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/dynamic_memory.h"
#include "nn/attention/structures/sagan.h"
#include "nn/attention/structures/squeeze_excite.h"
#include "nn/cases/build.h"
#include "nn/zoo/area_attention.h"
#include "nn/zoo/chunked_cross_attention.h"
#include "nn/zoo/conv_attention.h"
#include "nn/zoo/edge_attention.h"
#include "nn/zoo/knn.h"
#include "nn/zoo/memorizing.h"
#include "nn/zoo/multi_source.h"
#include "nn/zoo/normalised.h"
#include "nn/zoo/prefix.h"
#include "nn/zoo/two_stream.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

Tensor mask() { return Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3}); }

CaseRow conv_attention() {
  auto call = [](nn::ConvAttentionDecoder& m, In in) {
    nn::ConvAttended y = m(in[0], in[1], in[2], mask().unsqueeze(1));
    return nn::together({y.output, y.weights});
  };
  return nn::module_row("ConvAttentionDecoder", {module_case<nn::ConvAttentionDecoder>(
                                                    "T 2, S 3, two layers", {.width = 2, .kernel = 2, .layers = 2},
                                                    {{2, 2, 2}, {2, 3, 2}, {2, 3, 2}}, call)});
}

CaseRow knn() {
  std::vector<BaseCase> bases{
      {.label = "two of three neighbours", .shapes = {{2, 2, 2}, {2, 3, 2}, {2, 3, 2}}, .f = [](In in) {
         nn::Attended y = nn::nearest_attention(in[0], in[1], in[2], {.neighbours = 2, .temperature = 0.7});
         return nn::together({y.context, y.weights});
       }}};
  return nn::module_row("nearest_attention", over_layouts(bases));
}

CaseRow memorizing() {
  auto call = [](nn::MemorizingAttention& m, In in) {
    nn::StoredWords past{Variable(nn::small_values({2, 2, 3, 1}, 8)), Variable(nn::small_values({2, 2, 3, 1}, 9))};
    nn::Attended y = m(in[0], past);
    return nn::together({y.context, y.weights});
  };
  return nn::module_row("MemorizingAttention", {module_case<nn::MemorizingAttention>(
                                                   "two of three stored words",
                                                   {.model = 2, .heads = 2, .neighbours = 2}, {{2, 3, 2}}, call)});
}

CaseRow chunked_cross() {
  auto call = [](nn::ChunkedCrossAttention& m, In in) {
    nn::Attended y = m(in[0], in[1], Tensor::from_bools({1, 1, 1, 0}, {1, 2, 2}));
    return nn::together({y.context, y.weights});
  };
  return nn::module_row("ChunkedCrossAttention", {module_case<nn::ChunkedCrossAttention>(
                                                     "two chunks of two", {.model = 2, .heads = 1, .chunk = 2},
                                                     {{1, 4, 2}, {1, 2, 2, 2}}, call)});
}

CaseRow two_stream() {
  auto call = [](nn::TwoStreamAttention& m, In in) {
    nn::TwoStreams y = m(in[0], in[1], Tensor::from(std::vector<int64_t>{1, 2, 0}, {1, 3}), mask());
    return nn::together({y.content, y.query, y.query_weights});
  };
  return nn::module_row("TwoStreamAttention", {module_case<nn::TwoStreamAttention>("T 3", {.model = 2, .heads = 1},
                                                                                   {{2, 3, 2}, {2, 3, 2}}, call)});
}

CaseRow normalised_layer() {
  using M = nn::NormalisedLayer;
  auto call = [](M& m, In in) { return m(in[0]); };
  auto padded = [](M& m, In in) { return nn::words_only(m(in[0], mask()), mask()); };
  return nn::module_row("NormalisedLayer",
                        {module_case<M>("causal", {.model = 4, .heads = 2, .inner = 3}, {{2, 3, 4}}, call),
                         module_case<M>("an encoder, padding", {.model = 4, .heads = 2, .inner = 3, .causal = false},
                                        {{2, 3, 4}}, padded)});
}

CaseRow multi_source() {
  using M = nn::MultiSourceAttention;
  auto call = [](M& m, In in) {
    nn::MultiSourceAttended y = m(in[0], {{in[1], mask().unsqueeze(1)}, {in[2], {}}});
    return nn::together({y.context, y.weights[0], y.weights[1], y.sources});
  };
  std::vector<Shape> data{{2, 2, 2}, {2, 3, 3}, {2, 2, 2}};
  return nn::module_row(
      "MultiSourceAttention",
      {module_case<M>("flat", {.query = 2, .keys = {3, 2}, .width = 2}, data, call),
       module_case<M>("hierarchical", {.query = 2, .keys = {3, 2}, .width = 2, .hierarchical = true}, data, call)});
}

CaseRow dynamic_memory() {
  auto call = [](nn::DynamicMemory& m, In in) {
    nn::Episodes y = m(in[0], in[1], mask());
    return nn::together({y.memory, y.episodes, y.gates});
  };
  return nn::module_row("DynamicMemory",
                        {module_case<nn::DynamicMemory>("two passes over three facts", {.width = 2, .passes = 2},
                                                        {{2, 3, 2}, {2, 2}}, call)});
}

CaseRow area() {
  std::vector<BaseCase> bases{{.label = "runs of two", .shapes = {{2, 2, 2}, {2, 3, 2}, {2, 3, 2}}, .f = [](In in) {
                                 nn::AreaAttended y = nn::area_attention(in[0], in[1], in[2], 2, mask().unsqueeze(1));
                                 return nn::together({y.context, y.weights, y.shares});
                               }}};
  return nn::module_row("area_attention", over_layouts(bases));
}

std::vector<CaseRow> pictures() {
  auto places = [](nn::SaganAttention& m, In in) {
    nn::ImageAttended y = m(in[0]);
    return nn::together({y.output, y.read, y.weights});
  };
  auto channels = [](nn::SqueezeExcite& m, In in) { return m(in[0], mask()); };
  return {nn::module_row("SaganAttention",
                         {module_case<nn::SaganAttention>("T 3", {.width = 4, .reduction = 2}, {{2, 3, 4}}, places)}),
          nn::module_row("SqueezeExcite",
                         {module_case<nn::SqueezeExcite>("T 3", {.width = 4, .reduction = 2}, {{2, 3, 4}}, channels)})};
}

CaseRow prefix() {
  auto call = [](nn::PrefixAttention& m, In in) {
    nn::MultiHeadOutput y = m(in[0], in[0], mask().unsqueeze(1));
    return nn::together({y.output, y.weights});
  };
  return nn::module_row(
      "PrefixAttention",
      {module_case<nn::PrefixAttention>("two prefixes", {.model = 2, .heads = 2, .prefixes = 2}, {{2, 3, 2}}, call)});
}

CaseRow edges() {
  auto call = [](nn::EdgeAttention& m, In in) {
    Tensor labels = Tensor::from(std::vector<int64_t>{0, 1, 2, 2, 0, 0, 1, 1, 0}, {1, 3, 3}).expand({2, 3, 3});
    nn::Attended y = m(in[0], labels.contiguous(), mask().unsqueeze(1));
    return nn::together({y.context, y.weights});
  };
  return nn::module_row(
      "EdgeAttention",
      {module_case<nn::EdgeAttention>("three labels", {.model = 2, .heads = 1, .labels = 3}, {{2, 3, 2}}, call)});
}

}  // namespace

std::vector<CaseRow> other_keys_cases() {
  std::vector<CaseRow> rows{conv_attention(), knn(),  memorizing(), chunked_cross(), two_stream(),      multi_source(),
                            dynamic_memory(), area(), prefix(),     edges(),         normalised_layer()};
  for (CaseRow& row : pictures()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace heed
