#include "nn/attention/around/pruned_heads.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/registry.h"
#include "tensor/error.h"

namespace heed::nn {

std::vector<std::pair<int64_t, int64_t>> pruned_from(const std::string& text) {
  std::vector<std::pair<int64_t, int64_t>> heads;
  for (const std::string& item : text.empty() ? std::vector<std::string>{} : stage_texts(text)) {
    size_t dot = item.find('.');
    bool number = item.size() < 10 && item.find_first_not_of("0123456789.") == std::string::npos;
    if (!number || dot == std::string::npos || dot == 0 || dot + 1 == item.size() || item.rfind('.') != dot)
      throw ValueError(fmt::format(
          "Transformer: pruned heads must be layer.head, separated by commas; got `{}`; hint: 0.3,2.1", text));
    heads.emplace_back(std::stoll(item.substr(0, dot)), std::stoll(item.substr(dot + 1)));
  }
  return heads;
}

void PrunedHeads::require(const std::string& text, int64_t layers, int64_t heads) {
  for (const auto& [layer, head] : pruned_from(text))
    if (layers > 0 && (layer >= layers || head >= heads))
      throw ValueError(fmt::format("Transformer: a pruned head must be one of {} layers of {} heads; got {}.{}", layers,
                                   heads, layer, head));
}

PrunedHeads::PrunedHeads(const AroundOptions& o, Generator&) {
  for (const auto& [layer, head] : pruned_from(o.text)) {
    if (layer != o.layer) continue;
    if (head >= o.heads)
      throw ValueError(
          fmt::format("MultiHeadAttention: a pruned head must be one of the {} heads, from 0; got {}", o.heads, head));
    if (!kept.defined()) kept = Tensor::full({o.heads, 1, 1}, 1, DType::f32);
    kept.set({head, 0, 0}, 0);
  }
}

}  // namespace heed::nn
