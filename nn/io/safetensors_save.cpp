// Writing safetensors: the same tensors always give the same bytes, and the file appears only when it is complete.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "nn/io/checksum.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/io/json_scanner.h"
#include "nn/io/safetensors.h"
#include "nn/io/safetensors_header.h"

namespace heed::io {
namespace {

const char* name_in_file(DType dtype) {
  return std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.dtype == dtype; })->name;
}

// JSON is UTF-8: other text would not read back unchanged, so it is refused.
void require_text(const std::string& text) {
  if (!is_utf8(text)) throw ValueError(fmt::format("save: names and metadata must be UTF-8; got {}", shown(text)));
}

void require_valid(const SafeTensors& file) {
  for (const auto& [key, text] : file.metadata) {
    require_text(key);
    require_text(text);
  }
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : file.tensors) {
    require_text(name);
    if (name == kMetadata) throw ValueError(fmt::format("save: the name {} is reserved; got a tensor of it", name));
    if (!names.insert(name).second)
      throw ValueError(fmt::format("save: a name must be given once; got {} twice", name));
    if (!tensor.defined()) throw ValueError(fmt::format("save: tensors must be defined; got {} undefined", name));
  }
  for (size_t n : {file.tensors.size(), file.metadata.size()})
    if (n > kMaxNames)
      throw ValueError(
          fmt::format("save: a file must have at most {} tensors and words of metadata; got {}", kMaxNames, n));
}

int64_t bytes_of(const Tensor& t) { return t.count() * static_cast<int64_t>(size_of(t.dtype())); }

}  // namespace

void save_safetensors(const std::string& path, const SafeTensors& file) {
  require_valid(file);
  std::map<std::string, std::string> metadata = file.metadata;
  bool ours =
      metadata.contains("heed.kind");  // heed's models and checkpoints; files for other programs get no key of ours
  if (ours) metadata[kChecksum] = kNoChecksum;
  // Larger element types first, so that each tensor is aligned to its element size; ties in the given order.
  std::vector<size_t> order(file.tensors.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  auto width = [&](size_t i) { return size_of(file.tensors[i].second.dtype()); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return width(a) > width(b); });
  std::vector<int64_t> begin(order.size());
  int64_t at = 0;
  for (size_t i : order) {
    begin[i] = at;
    at += bytes_of(file.tensors[i].second);
  }

  std::string json = "{";
  auto add = [&](const std::string& name, const Json& value) {
    json += fmt::format("{}{}:{}", json.size() > 1 ? "," : "", Json(name).dump(), value.dump());
  };
  if (!metadata.empty()) {
    std::string words;
    for (const auto& [key, text] : metadata)
      words += fmt::format("{}{}:{}", words.empty() ? "" : ",", Json(key).dump(), Json(text).dump());
    json += fmt::format("\"{}\":{{{}}}", kMetadata, words);
  }
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    const auto& [name, tensor] = file.tensors[i];
    add(name, Json::object({{"dtype", name_in_file(tensor.dtype())},
                            {"shape", Json(std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end()))},
                            {"data_offsets", Json::array({begin[i], begin[i] + bytes_of(tensor)})}}));
  }
  json += "}";
  json.append((8 - json.size() % 8) % 8, ' ');
  if (json.size() > kMaxHeader)
    throw ValueError(fmt::format("save: the header must have at most {} bytes; got {}", kMaxHeader, json.size()));

  auto each_block = [&](const auto& work) {  // of elements
    for (size_t i : order) {
      Tensor dense = file.tensors[i].second.contiguous();
      dispatch(dense.dtype(), [&](auto zero) {
        work(dense.data<decltype(zero)>(), static_cast<size_t>(dense.count()) * sizeof(zero));
      });
    }
  };
  if (ours) {
    Checksum sum;
    sum.add(json.data(), json.size());
    each_block([&](const void* data, size_t bytes) { sum.add(data, bytes); });
    json.replace(checksum_at(json), 16, sum.digits());
  }
  AtomicFile out(path);
  uint64_t length = json.size();
  out.write(&length, 8);
  out.write(json);
  each_block([&](const void* data, size_t bytes) { out.write(data, bytes); });
  out.commit();
}

}  // namespace heed::io
