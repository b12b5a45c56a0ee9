// The networks of the rows of forward passes and greedy decoding as ONNX models, for the peer ONNX Runtime and for the
// test that compares it with heed. Parameters have heed's names and layouts, so that the test can pass heed's own.
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
// A published encoder of BERT's shape (nn/published/tower.h), norm last, exact GELU, all words shown: ids [B, T] ->
// [B, T, D]. Sizes: B, T, V, D, H, layers, F
constexpr int64_t kPlaces = 512;
Network published_network(const Sizes& s, const Weights& weights);
// One recurrent layer: x [T, B, E] -> [T, directions, B, N]. Sizes: B, T, E, N
Network lstm_network(const Sizes& s, const Weights& weights);
Network gru_network(const Sizes& s, const Weights& weights);  // both directions

// A transformer that writes a translation word by word. Sizes: B, S, V, D, H, layers, F
//   source   words [B, S] -> the keys and values of the source for the cross-attention of each decoder layer
//   step     the last words [B], their position [1] (less than kMaxWords), those keys and values, and for each layer a
//            cache of the keys and values of earlier words -> the next words [B] (the largest logit), and the caches
//            with the last words
// All keys and values are [B, H, words, D/H]. One matrix is both embeddings and the output layer.
constexpr int64_t kMaxWords = 512;
Network source_network(const Sizes& s, const Weights& weights);
Network step_network(const Sizes& s, const Weights& weights);

}  // namespace bench
