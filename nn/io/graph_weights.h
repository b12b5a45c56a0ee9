// The weights of a graph of TensorFlow.js. Its model.json lists the files that hold them, and their names and shapes;
// the elements are little-endian, in the order of the list, without gaps:
//
// clang-format off
//   {"modelTopology": .., "weightsManifest": [
//       {"paths": ["group1-shard1of2", "group1-shard2of2"],
//        "weights": [{"name": "a/b", "shape": [2, 3], "dtype": "float32"}, ..]}]}
//
//   | a/b: 24 bytes | the next tensor        ..        |    a tensor may begin in one file
//   | group1-shard1of2       | group1-shard2of2        |    and end in the next
// clang-format on
//
// The graph itself is not read: the tensors say what a model is by their names (nn/published/use_lite.h).
#pragma once

#include <map>
#include <string>

#include "nn/io/json.h"
#include "tensor/tensor.h"

namespace heed::io {

// The tensors in float32; those in int32, which are constants of the graph, are passed over. IoError of one sentence
// for another type, weights that are quantised, a file that is not there, and files that are too short or too long.
std::map<std::string, Tensor> load_graph_weights(const std::string& folder);
// Does the manifest list a tensor of this name? False for a folder without model.json.
bool graph_has_weight(const std::string& folder, const std::string& name);

}  // namespace heed::io
