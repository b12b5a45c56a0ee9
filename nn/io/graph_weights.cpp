#include "nn/io/graph_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "nn/io/file.h"
#include "tensor/error.h"

namespace heed::io {
namespace {

struct GraphWeight {
  std::string name;
  Shape shape = {};
  int64_t count = 1;  // elements, of 4 bytes each
  bool real = true;
};

// Is the name the same in quotes, so that a sentence can have it?
bool is_plain(const std::string& name) { return !name.empty() && Json(name).dump() == "\"" + name + "\""; }

GraphWeight graph_weight_of(const Json& entry) {
  constexpr int64_t most = int64_t{1} << 31;
  GraphWeight out{.name = entry.text("name")};
  if (!is_plain(out.name))
    entry.refuse("name", fmt::format("must be letters without quotes and controls; got {}", entry.at("name").dump()));
  if (entry.contains("quantization"))
    entry.refuse("quantization", fmt::format("must not be there, because no quantised weights are read; got {} of the "
                                             "tensor {}; hint: the same model in float32",
                                             entry.at("quantization").dump(), out.name));
  const std::string type = entry.text("dtype");
  out.real = type == "float32";
  if (!out.real && type != "int32")
    entry.refuse("dtype",
                 fmt::format("must be float32 or int32; got {} of the tensor {}", entry.at("dtype").dump(), out.name));
  std::vector<int64_t> sizes;
  bool fits = entry.list("shape").size() <= 8;
  for (const Json& one : entry.list("shape")) {
    sizes.push_back(one.is_integer() ? one.as_integer() : -1);
    fits = fits && sizes.back() >= 0 && sizes.back() <= most && (out.count *= sizes.back()) <= most;
  }
  if (!fits)
    entry.refuse("shape", fmt::format("must be at most 8 sizes of at most {} elements; got {} of the tensor {}", most,
                                      entry.at("shape").dump(), out.name));
  out.shape = Shape(sizes);
  return out;
}

// The bytes of the files, at most one more than there should be.
std::string bytes_of(const Json& group, const std::string& folder, size_t wanted) {
  std::string bytes;
  for (const Json& path : group.list("paths")) {
    const std::string name = path.is_string() ? path.as_string() : "";
    if (!is_plain(name) || name.find('/') != std::string::npos)
      group.refuse("paths", fmt::format("must be names of files of the folder; got {}", path.dump()));
    bytes += read_start(folder + "/" + name, wanted + 1 - std::min(bytes.size(), wanted));
  }
  return bytes;
}

std::string graph_file(const std::string& folder) { return folder + "/model.json"; }
Json graph_of(const std::string& folder) {
  Json graph = parse(read_file(graph_file(folder)), graph_file(folder));
  if (!graph.is_object())
    throw IoError(fmt::format("load: \"{}\": a graph must be an object; got {}", graph_file(folder), graph.kind()));
  return graph;
}

}  // namespace

std::map<std::string, Tensor> load_graph_weights(const std::string& folder) {
  const Json graph = graph_of(folder);
  std::map<std::string, Tensor> out;
  for (const Json& group : graph.list("weightsManifest")) {
    std::vector<GraphWeight> weights;
    size_t wanted = 0;
    for (const Json& entry : group.list("weights")) {
      weights.push_back(graph_weight_of(entry));
      wanted += 4 * static_cast<size_t>(weights.back().count);
    }
    const std::string bytes = bytes_of(group, folder, wanted);
    if (bytes.size() != wanted)
      group.refuse("paths", fmt::format("must be files with the {} bytes of the tensors; got {}{}", wanted,
                                        bytes.size() > wanted ? "at least " : "", bytes.size()));
    const char* at = bytes.data();
    for (const GraphWeight& one : weights) {
      const size_t size = 4 * static_cast<size_t>(one.count);
      if (one.real) {
        Tensor tensor = Tensor::empty(one.shape);
        if (size > 0) std::memcpy(tensor.data<float>(), at, size);
        if (!out.emplace(one.name, tensor).second)
          group.refuse("weights", fmt::format("must name each tensor once; got {} twice", one.name));
      }
      at += size;
    }
  }
  return out;
}

bool graph_has_weight(const std::string& folder, const std::string& name) {
  if (!is_folder(folder) || !exists(graph_file(folder))) return false;
  const Json graph = graph_of(folder);
  if (!graph.contains("weightsManifest")) return false;
  for (const Json& group : graph.list("weightsManifest"))
    for (const Json& entry : group.list("weights"))
      if (entry.text("name") == name) return true;
  return false;
}

}  // namespace heed::io
