// The peer ONNX Runtime: forward passes and greedy decoding. It only runs networks, so training has no figure of it.
//
// Models are made in memory (onnx_graph.h) with random weights. onnxruntime_test.cpp has the same networks with heed's
// weights, and compares the results.
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>

#include "tests/bench/onnxruntime_session.h"

namespace {

using namespace bench;

int threads = 1;

// Uniform within 1 / sqrt(columns). Only the time is measured, so it is enough that all values stay finite and normal.
std::vector<float> random_weights(const std::string&, const onnx::Shape& shape) {
  static std::mt19937 random(1);
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  float limit = 1 / std::sqrt(static_cast<float>(shape.back()));
  std::uniform_real_distribution<float> uniform(-limit, limit);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = uniform(random);
  return values;
}

Work forward(const Network& network, const onnx::Shape& shape) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  auto x = std::make_shared<std::vector<float>>(static_cast<size_t>(shape[0] * shape[1] * shape[2]));
  for (float& v : *x) v = normal(random);
  return [session = Session(network, threads), x, in = tensor_of(*x, shape)] { session({in}); };
}

Work encoder(const Sizes& s) { return forward(encoder_network(s, random_weights), {s[0], s[1], s[2]}); }
Work published_encoder(const Sizes& s) {  // B, T, V, D, H, layers, F
  std::mt19937 random(2);
  std::uniform_int_distribution<int64_t> word(0, s[2] - 1);
  auto ids = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(s[0] * s[1]));
  for (int64_t& id : *ids) id = word(random);
  return [session = Session(published_network(s, random_weights), threads), ids, in = tensor_of(*ids, {s[0], s[1]})] {
    session({in});
  };
}
// [T, B, E], as these operators want it
Work lstm(const Sizes& s) { return forward(lstm_network(s, random_weights), {s[1], s[0], s[2]}); }
Work gru(const Sizes& s) { return forward(gru_network(s, random_weights), {s[1], s[0], s[2]}); }

// B, T, V, D, H, layers, F, hypotheses: greedy search only. Each step reads the keys and values that earlier steps
// kept.
Work decode(const Sizes& s) {
  if (s[7] != 1) return {};
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> word(4, s[2] - 1);
  std::vector<int64_t> source(static_cast<size_t>(s[0] * s[1]));
  for (int64_t& w : source) w = word(random);
  GreedySearch search({s.begin(), s.end() - 1}, random_weights, threads);
  return [=] { search(source, /*start=*/2, s[1]); };
}

}  // namespace

int main(int argc, char** argv) {
  Subject onnxruntime;
  onnxruntime.kinds = {{"encoder_forward", encoder},
                       {"lstm_forward", lstm},
                       {"gru_forward", gru},
                       {"decode", decode},
                       {"published_encoder", published_encoder}};
  onnxruntime.set_threads = [](int n) { threads = n; };
  try {
    return serve(onnxruntime, argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
}
