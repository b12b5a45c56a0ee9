// Exercise 23.4 in a transformer and a GPT: what is added to the vector of each word. There is nothing to learn in it.
#include "nn/attention/positions/sinusoidal.h"
#include "tutorials/23_positions/exercises/4_sinusoids.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Tensor positions_mine(int64_t T, int64_t D) { return Tensor::from(mine::sinusoids(T, D), {T, D}); }

void check(Comparison& c) {
  for (const auto& [T, D] : {std::pair<int64_t, int64_t>{1, 2}, {7, 6}, {50, 8}})
    c.value("the positions 0 to " + std::to_string(T - 1) + " of width " + std::to_string(D), mine::sinusoids(T, D),
            nn::sinusoidal_positions(T, {.width = D}, 0, DType::f64).to_vector());
}

void use(Pieces& pieces) { pieces.positions = positions_mine; }

const Registered part({.name = "positions", .exercise = "23.4", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
