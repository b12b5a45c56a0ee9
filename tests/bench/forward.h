// Forward passes without gradients, as a trained model runs them. The same workloads in heed (heed_forward.cpp), in
// libtorch (libtorch_forward.cpp) and in ONNX Runtime (onnxruntime_subject.cpp):
//
//   encoder_forward   transformer encoder, norm last, no mask      B, T, D, H, layers, F
//   lstm_forward      one layer, one direction                     B, T, E, N
//   gru_forward       one layer, both directions                   B, T, E, N
#pragma once

#include "tests/bench/subject.h"

namespace bench {

std::map<std::string, Maker> forward_passes();

}  // namespace bench
