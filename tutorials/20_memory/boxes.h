// Two facts about memories that need no training: an LSTMN with a tape of one entry is an LSTM, and the head of a
// neural Turing machine walks through a memory as through a list.
#pragma once

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/structures/lstmn.h"
#include "nn/attention/structures/ntm_head.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace memory {

namespace nn = heed::nn;
using heed::DType, heed::Generator, heed::Tensor, heed::Variable;

// The largest difference between the states of an LSTMN and those of an LSTM with the same weights. 3 sentences of 12
// words. The weights of the attention have no counterpart in the LSTM; with a single entry they do not matter.
inline double lstmn_minus_lstm(int64_t tape, DType dtype, uint64_t seed) {
  heed::NoGrad guard;
  Generator rng(seed), words(seed + 1);
  nn::LSTMN lstmn({.input = 5, .hidden = 7, .tape = tape}, rng);
  nn::LSTM lstm({.input = 5, .hidden = 7}, rng);
  nn::convert(lstmn, dtype);
  nn::convert(lstm, dtype);
  lstm.cells[0].weight_ih = lstmn.cell.weight_ih, lstm.cells[0].weight_hh = lstmn.cell.weight_hh;
  lstm.cells[0].bias_ih = lstmn.cell.bias_ih, lstm.cells[0].bias_hh = lstmn.cell.bias_hh;
  Variable x(Tensor::normal({3, 12, 5}, words, 0, 1, dtype));
  return heed::amax(heed::abs(heed::sub(lstmn(x).h.value(), lstm(x).annotations.value()))).item();
}

// The weights of a head that finds cell 0 by its content and then moves on by one cell in every step, [steps + 1, N].
// The shift is not sharp: 0.1 of the weight stays where it is, and 0.1 moves two cells.
inline Tensor walking_head(int64_t cells, int64_t steps, double power, uint64_t seed) {
  heed::NoGrad guard;
  Generator rng(seed);
  Variable memory(Tensor::normal({1, cells, 16}, rng, 0, 1, DType::f64));
  auto number = [](double x) { return Variable(Tensor::full({1, 1}, x, DType::f64)); };
  Variable shift(Tensor::from(std::vector<double>{0, 0, 0.1, 0.8, 0.1}, {1, 5}));  // by -2, -1, 0, 1, 2 cells
  Variable w = nn::ntm_content(heed::select(memory, 1, 0), number(50), memory);    // eq. 5
  std::vector<Tensor> rows{w.value()};
  for (int64_t t = 0; t < steps; ++t) {                               // the gate is 0: content plays no part any more
    w = nn::ntm_sharpened(nn::ntm_shifted(w, shift), number(power));  // eq. 8 and 9
    rows.push_back(w.value());
  }
  return heed::concat(rows, 0);
}

}  // namespace memory
