// Forward passes without gradients, as a trained model runs them. The same workloads in heed (heed_forward.cpp), in
// libtorch (libtorch_forward.cpp) and in ONNX Runtime (onnxruntime_subject.cpp):
//
//   encoder_forward   transformer encoder, norm last, no mask      B, T, D, H, layers, F
//   lstm_forward      one layer, one direction                     B, T, E, N
//   gru_forward       one layer, both directions                   B, T, E, N
//
// and published models, of the shapes that people run (heed_published.cpp):
//
//   published_encoder   BERT's: words, places, kinds, norm last, GELU        B, T, V, D, H, layers, F
//   published_prefill   GPT-2's reads T words, and says the next one         T, V, D, H, layers, F, bits of a weight
//   published_decode    one word after T others; no figure of a peer         the same
//   read                bytes of memory, by all threads                      bytes
#pragma once

#include "tests/bench/subject.h"

namespace bench {

std::map<std::string, Maker> forward_passes();
std::map<std::string, Maker> published_models();

}  // namespace bench
