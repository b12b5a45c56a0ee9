// The networks of the forward rows as ONNX models, for the peer ONNX Runtime and for the test that compares it with
// heed. Parameters have heed's names and layouts, so that the test can pass heed's own.
#pragma once

#include <functional>

#include "tests/bench/onnx_graph.h"
#include "tests/bench/subject.h"

namespace bench {

// The values of the parameter of this name and shape.
using Weights = std::function<std::vector<float>(const std::string& name, const onnx::Shape& shape)>;

struct Network {
  std::string model;  // the bytes of the ONNX model
  std::vector<std::string> inputs, outputs;
};

// Encoder layers, norm last, ReLU, no mask: x [B, T, D] -> [B, T, D]. Sizes: B, T, D, H, layers, F
Network encoder_network(const Sizes& s, const Weights& weights);
// One recurrent layer: x [T, B, E] -> [T, directions, B, N]. Sizes: B, T, E, N
Network lstm_network(const Sizes& s, const Weights& weights);
Network gru_network(const Sizes& s, const Weights& weights);  // both directions

// A transformer that writes a translation word by word. Sizes: B, S, V, D, H, layers, F
//   reader   words [B, S] of the source -> for each decoder layer the keys and values that cross-attention reads
//   writer   the last words [B], their place [1], those keys and values, and for each layer the keys and values of the
//            words before -> the next words [B], and the keys and values with the last word's
// All keys and values are [B, H, words, D/H]. One matrix is both embeddings and the output layer.
constexpr int64_t kMaxWords = 512;  // rows of the writer's table of positions
Network reader_network(const Sizes& s, const Weights& weights);
Network writer_network(const Sizes& s, const Weights& weights);

}  // namespace bench
