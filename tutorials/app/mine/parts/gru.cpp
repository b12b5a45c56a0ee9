// Exercise 08.1 in the translator: every step of the encoder, in both directions, and of the decoder. The engine
// differentiates it, because the exercise is written with differentiable operations.
#include "nn/recurrent/gru.h"
#include "tutorials/08_recurrent/exercises/1_gru.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

void check(Comparison& c) {
  Generator rng(1);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  for (int64_t N : {4, 1})
    c.functions(
        "a step of the GRU", [](const auto& in) { return mine::gru_step(in[0], in[1], in[2]); },
        [](const auto& in) { return nn::gru_gates(in[0], in[1], in[2]); },
        {normal({3, 3 * N}), normal({3, 3 * N}), normal({3, N})});
}

void use(Pieces& pieces) { pieces.gru = mine::gru_step; }

const Registered part({.name = "gru", .exercise = "08.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
