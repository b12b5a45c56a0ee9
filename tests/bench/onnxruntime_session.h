// Models in ONNX Runtime, through its C API. The library may be newer than the header: it is asked for the version of
// the API that the header describes. A call that fails throws std::runtime_error with the library's message.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "onnxruntime_c_api.h"
#include "tests/bench/onnx_networks.h"

namespace bench {

using OrtTensor = std::shared_ptr<OrtValue>;

// Wraps the values without copying them: they must outlive the tensor.
OrtTensor tensor_of(const std::vector<float>& values, const std::vector<int64_t>& shape);
OrtTensor tensor_of(const std::vector<int64_t>& values, const std::vector<int64_t>& shape);
template <class T>
std::vector<T> values_of(const OrtTensor& tensor);  // a copy

// One network, on this many threads. It calls one operation after another, each of which uses all threads.
class Session {
 public:
  Session(const Network& network, int threads);
  std::vector<OrtTensor> operator()(const std::vector<OrtTensor>& inputs) const;  // in the order of the network

 private:
  std::vector<std::string> inputs_, outputs_;
  std::shared_ptr<OrtSession> session_;
};

// Greedy search by source_network and step_network. Sizes: B, S, V, D, H, layers, F
class GreedySearch {
 public:
  GreedySearch(const Sizes& sizes, const Weights& weights, int threads);
  // source [B, S], the word that begins a sentence, number of words (at most kMaxWords) -> the words [T, B]
  std::vector<int64_t> operator()(const std::vector<int64_t>& source, int64_t start, int64_t T) const;

 private:
  Sizes sizes_;
  Session read_source_, step_;
};

}  // namespace bench
