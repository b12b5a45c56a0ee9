#include "nn/models/attention_decoder.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "autograd/attach.h"
#include "autograd/shorthand.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/attention/scores/additive_score_rows.h"
#include "nn/padding.h"
#include "nn/recurrent/gru_rule.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

struct Sizes {
  int64_t B, T, S, N, E, C, A;
  explicit Sizes(const DecoderInputs& in)
      : B(in.words.size(0)),
        T(in.words.size(1)),
        S(in.keys.size(1)),
        N(in.state.size(1)),
        E(in.words.size(2)),
        C(in.annotations.size(2)),
        A(in.keys.size(2)) {}
  int64_t joined() const { return N + C + E; }
  int64_t step_weights() const { return N * A + 3 * N * (N + C); }  // number of weights that each step reads
  int64_t sentences_of_a_thread() const { return std::max<int64_t>(1, 16384 / std::max<int64_t>(S * (A + C), 1)); }
  double loop_work() const {
    return static_cast<double>(B * T) * static_cast<double>(N * A + 3 * N * (N + C) + 2 * S * C);
  }
};

DecoderInputs checked(DecoderInputs in) {
  std::string got;
  auto rank = [&](const Variable& v, int wanted) {
    got += (got.empty() ? "" : ", ") + (v.defined() ? to_string(v.shape()) : std::string("none"));
    return v.defined() && v.rank() == wanted;
  };
  bool fits = rank(in.words, 3);
  fits &= rank(in.state, 2);
  fits &= rank(in.annotations, 3);
  fits &= rank(in.keys, 3);
  fits &= rank(in.query, 2);
  fits &= rank(in.v, 1);
  fits &= rank(in.weight_ih, 2);
  fits &= rank(in.weight_hh, 2);
  fits &= rank(in.bias_ih, 1);
  fits &= rank(in.bias_hh, 1);
  if (fits) {
    Sizes n(in);
    auto is = [](const Variable& v, const Shape& shape) { return v.shape() == shape; };
    fits =
        n.T > 0 && is(in.state, {n.B, n.N}) && is(in.annotations, {n.B, n.S, n.C}) && is(in.keys, {n.B, n.S, n.A}) &&
        is(in.query, {n.A, n.N}) && is(in.v, {n.A}) && is(in.weight_ih, {3 * n.N, n.E + n.C}) &&
        is(in.weight_hh, {3 * n.N, n.N}) && is(in.bias_ih, {3 * n.N}) && is(in.bias_hh, {3 * n.N}) &&
        (!in.allowed.defined() || (in.allowed.shape() == Shape{n.B, 1, n.S} && in.allowed.dtype() == DType::boolean));
  }
  if (!fits)
    throw ShapeError(
        fmt::format("attention_decoder: needs words [B, T, E] with T at least 1, state [B, N], annotations [B, S, C], "
                    "keys [B, S, A], query [A, N], v [A], weight_ih [3N, E + C], weight_hh [3N, N], biases [3N] and "
                    "allowed [B, 1, S] bool; got {}{}",
                    got, in.allowed.defined() ? " and " + to_string(in.allowed.shape()) : ""));
  for (const Variable* v :
       {&in.state, &in.annotations, &in.keys, &in.query, &in.v, &in.weight_ih, &in.weight_hh, &in.bias_ih, &in.bias_hh})
    require_same_dtype("attention_decoder", in.words.value(), v->value());
  if (!in.allowed.defined()) return in;
  in.keys = without_padding(in.keys, in.allowed.squeeze(1));
  in.annotations = without_padding(in.annotations, in.allowed.squeeze(1));
  return in;
}

// The values that the forward loop saves for backward, time-major; `states` starts with s_0.
struct Trace {
  Tensor gates, states, queries, contexts, weights;  // [T, B, 4N], [T + 1, B, N], [T, B, A], [T, B, C], [T, B, S]
};

template <class F>
void forward(const DecoderInputs& in, Trace& trace) {
  Sizes n(in);
  int64_t rows = n.T * n.B;
  DType dtype = in.words.dtype();
  Tensor words = in.words.value().transpose(0, 1).contiguous(), w = in.weight_ih.value().contiguous();
  Tensor annotations = in.annotations.value().contiguous(), keys = in.keys.value().contiguous();
  Tensor v = in.v.value().contiguous(), past = Tensor::empty({n.B, 3 * n.N}, dtype);
  PackedMatrix w_context(w.slice(1, n.E, n.E + n.C).transpose(0, 1));  // [C, 3N]
  PackedMatrix w_past(in.weight_hh.value().transpose(0, 1)),
      w_query(in.query.value().transpose(0, 1));  // [N, 3N], [N, A]
  Tensor bias_in = in.bias_ih.value().contiguous(), bias_past = in.bias_hh.value().contiguous();
  Tensor allowed;  // [B, 1, S]
  if (in.allowed.defined()) allowed = in.allowed.contiguous();
  product<F>(rows, 3 * n.N, n.E, columns(words.data<F>(), n.E, 0), transposed(columns(w.data<F>(), n.E + n.C, 0)),
             columns(trace.gates.data<F>(), 4 * n.N, 0), /*accumulate=*/false);
  Tensor first_state = trace.states.select(0, 0);
  copy_into(first_state, in.state.value());
  Kernel kernel("attention_decoder", Kernel::Product{}, n.loop_work());
  each_row_group(n.B, n.step_weights() * static_cast<int64_t>(sizeof(F)), [&](int64_t first, int64_t last) {
    int64_t group = last - first;
    Tensor scores = Tensor::empty({group, n.S}, dtype);
    F* from_past = past.data<F>() + first * 3 * n.N;
    for (int64_t t = 0; t < n.T; ++t) {
      int64_t at = t * n.B + first;
      F *old = trace.states.data<F>() + at * n.N, *gates = trace.gates.data<F>() + at * 4 * n.N;
      F *query = trace.queries.data<F>() + at * n.A, *context = trace.contexts.data<F>() + at * n.C;
      F* weights = trace.weights.data<F>() + at * n.S;
      step_product<F>(group, columns(old, n.N, 0), w_query, columns(query, n.A, 0), /*accumulate=*/false);
      parallel_for(0, group, n.sentences_of_a_thread(), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          F* row = scores.data<F>() + b * n.S;
          additive_scores<F>(1, n.S, n.A, query + b * n.A, keys.data<F>() + (first + b) * n.S * n.A, v.data<F>(), row);
          for (int64_t s = 0; allowed.defined() && s < n.S; ++s)
            if (!allowed.data<bool>()[(first + b) * n.S + s]) row[s] = -std::numeric_limits<F>::infinity();
        }
      });
      Tensor soft = softmax_rows(scores);
      std::copy(soft.data<F>(), soft.data<F>() + group * n.S, weights);
      parallel_for(0, group, n.sentences_of_a_thread(), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b)  // c_b = w_b h_b: [1, S] times [S, C]
          gemm<F>(1, n.C, n.S, {weights + b * n.S, n.S, 1}, {annotations.data<F>() + (first + b) * n.S * n.C, n.C, 1},
                  {context + b * n.C, n.C, 1}, /*accumulate=*/false);
      });
      step_product<F>(group, columns(context, n.C, 0), w_context, columns(gates, 4 * n.N, 0), /*accumulate=*/true);
      step_product<F>(group, columns(old, n.N, 0), w_past, columns(from_past, 3 * n.N, 0), /*accumulate=*/false);
      forward_step<GRURule>(ForwardStep<F>{group,
                                           n.N,
                                           gates,
                                           from_past,
                                           bias_in.data<F>(),
                                           bias_past.data<F>(),
                                           {old, nullptr},
                                           {old + n.B * n.N, nullptr},
                                           nullptr});
    }
  });
}

// The gradient of the scores, for one sentence: w [S], h [S, C], dc [C] -> de [S]. de = w (dw - sum w dw), with
// dw_s = dc . h_s, is the gradient through the weighted sum and the softmax. It is 0 where the weight is 0.
template <class F>
void weights_backward(const Sizes& n, const F* w, const F* h, const F* dc, F* de) {
  constexpr int64_t L = kLanes<F>;
  vectorised([&]<int R>() {
    F total = 0;
    for (int64_t s = 0; s < n.S; ++s) {
      Lanes<F, R> dot = {};
      for (int64_t c = 0; c < n.C && w[s] != 0; c += L) {
        int64_t m = std::min(L, n.C - c);
        dot += take<R>(dc + c, m) * take<R>(h + s * n.C + c, m);
      }
      de[s] = add_lanes(dot);
      total += w[s] * de[s];
    }
    for (int64_t s = 0; s < n.S; ++s) de[s] = w[s] * (de[s] - total);
  });
}

// The gradients of the inputs of attention_decoder, in the order of the inputs.
template <class F>
void backward(Grads& grads, const DecoderInputs& in, const Trace& trace, const Tensor& dy) {
  Sizes n(in);
  int64_t rows = n.T * n.B, J = n.joined(), I = n.E + n.C;
  DType dtype = dy.dtype();
  Tensor w = in.weight_ih.value().contiguous(), annotations = in.annotations.value().contiguous();
  Tensor keys = in.keys.value().contiguous(), v = in.v.value().contiguous();
  Tensor a = Tensor::empty({n.T, n.B, 4 * n.N}, dtype), carry = Tensor::zeros({n.B, n.N}, dtype);
  Tensor dc = Tensor::empty({n.T, n.B, n.C}, dtype), dq = Tensor::empty({n.T, n.B, n.A}, dtype);
  Tensor de = Tensor::empty({n.B, n.S}, dtype);
  Tensor dkeys = Tensor::zeros({n.B, n.S, n.A}, dtype), dv = Tensor::zeros({n.B, n.A}, dtype);
  copy_into(dc, dy.slice(2, n.N, n.N + n.C).transpose(0, 1));  // the gradient of the contexts that bypasses the cell
  {
    PackedMatrix w_past(in.weight_hh.value()), w_query(in.query.value());  // [3N, N], [A, N]
    std::vector<PackedMatrix> w_context;                                   // one matrix per piece of the gates
    for (GatePiece p : GRURule::kInput)
      w_context.emplace_back(w.slice(0, p.gate * n.N, (p.gate + p.gates) * n.N).slice(1, n.E, I));
    Kernel kernel("attention_decoder_backward", Kernel::Product{}, n.loop_work());
    each_row_group(n.B, n.step_weights() * static_cast<int64_t>(sizeof(F)), [&](int64_t first, int64_t last) {
      int64_t group = last - first;
      F* up = carry.data<F>() + first * n.N;  // the gradient of s_t, then of s_{t-1}
      for (int64_t t = n.T - 1; t >= 0; --t) {
        int64_t at = t * n.B + first;
        F *a_t = a.data<F>() + at * 4 * n.N, *dc_t = dc.data<F>() + at * n.C, *dq_t = dq.data<F>() + at * n.A;
        F* old = trace.states.data<F>() + at * n.N;
        backward_step<GRURule>(BackwardStep<F>{group,
                                               n.N,
                                               trace.gates.data<F>() + at * 4 * n.N,
                                               {old, nullptr},
                                               {old + n.B * n.N, nullptr},
                                               dy.data<F>() + (first * n.T + t) * J,
                                               n.T * J,
                                               a_t,
                                               {up, nullptr},
                                               nullptr});
        past_gradient<GRURule>(group, n.N, a_t, w_past, up);
        for (size_t i = 0; i < w_context.size(); ++i)
          step_product<F>(group, columns(a_t, 4 * n.N, GRURule::kInput[i].column * n.N), w_context[i],
                          columns(dc_t, n.C, 0), /*accumulate=*/true);
        parallel_for(0, group, n.sentences_of_a_thread(), [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b) {
            int64_t s0 = (first + b) * n.S;
            F* de_b = de.data<F>() + s0;
            weights_backward<F>(n, trace.weights.data<F>() + (at + b) * n.S, annotations.data<F>() + s0 * n.C,
                                dc_t + b * n.C, de_b);
            additive_scores_backward<F>(1, n.S, n.A, trace.queries.data<F>() + (at + b) * n.A,
                                        keys.data<F>() + s0 * n.A, v.data<F>(), de_b,
                                        {dq_t + b * n.A, dkeys.data<F>() + s0 * n.A, dv.data<F>() + (first + b) * n.A});
          }
        });
        step_product<F>(group, columns(dq_t, n.A, 0), w_query, columns(up, n.N, 0), /*accumulate=*/true);
      }
    });
  }
  F *a_all = a.data<F>(), *states = trace.states.data<F>();
  if (grads.needs(0)) {
    Tensor dx = dy.slice(2, n.N + n.C, J).transpose(0, 1).contiguous();  // [T, B, E]
    input_gradient<GRURule>(rows, n.N, n.E, a_all, columns(w.data<F>(), I, 0), columns(dx.data<F>(), n.E, 0),
                            /*accumulate=*/true);
    grads.add(0, dx.transpose(0, 1));
  }
  grads.add(1, carry);
  if (grads.needs(2)) {
    Tensor dh = Tensor::empty({n.B, n.S, n.C}, dtype);  // dh_bs = sum_t w_tbs dc_tb
    parallel_for(0, n.B, std::max<int64_t>(1, 65536 / (n.T * n.S * n.C + 1)), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        gemm<F>(n.S, n.C, n.T, {trace.weights.data<F>() + b * n.S, 1, n.B * n.S},
                {dc.data<F>() + b * n.C, n.B * n.C, 1}, {dh.data<F>() + b * n.S * n.C, n.C, 1}, /*accumulate=*/false);
    });
    grads.add(2, dh);
  }
  grads.add(3, dkeys);
  if (grads.needs(4)) {
    Tensor dw = Tensor::empty({n.A, n.N}, dtype);
    product<F>(n.A, n.N, rows, transposed(columns(dq.data<F>(), n.A, 0)), columns(states, n.N, 0),
               columns(dw.data<F>(), n.N, 0), /*accumulate=*/false);
    grads.add(4, dw);
  }
  grads.add(5, sum(dv, {0}));
  if (grads.needs(6)) {
    Tensor dw = Tensor::empty({3 * n.N, I}, dtype), words = in.words.value().transpose(0, 1).contiguous();
    input_weight_gradient<GRURule>(rows, n.N, n.E, a_all, columns(words.data<F>(), n.E, 0),
                                   columns(dw.data<F>(), I, 0));
    input_weight_gradient<GRURule>(rows, n.N, n.C, a_all, columns(trace.contexts.data<F>(), n.C, 0),
                                   columns(dw.data<F>(), I, n.E));
    grads.add(6, dw);
  }
  if (grads.needs(7)) grads.add(7, past_weight_gradient<GRURule>(rows, n.N, a_all, states, dtype));
  auto [db_ih, db_hh] = bias_gradients<GRURule>(a);
  grads.add(8, db_ih);
  grads.add(9, db_hh);
}

}  // namespace

DecoderOutputs attention_decoder_composed(const DecoderInputs& given) {
  DecoderInputs in = checked(given);
  Variable state = in.state;
  std::vector<Variable> joined;
  std::vector<Tensor> rows;
  for (const Variable& word : unstack(in.words, 1)) {
    Variable scores = additive_score(unsqueeze(linear(state, in.query, {}), 1), in.keys, in.v);  // [B, 1, S]
    if (in.allowed.defined()) scores = masked_fill(scores, logical_not(in.allowed), -INFINITY);
    Variable weights = softmax(scores, -1), context = squeeze(matmul(weights, in.annotations), 1);  // [B, C]
    Variable input = linear(concat({word, context}, -1), in.weight_ih, in.bias_ih);                 // [B, 3N]
    state = gru_gates(input, linear(state, in.weight_hh, in.bias_hh), state);
    joined.push_back(concat({state, context, word}, -1));
    rows.push_back(squeeze(weights, 1).value());
  }
  return {stack(joined, 1), heed::stack(rows, 0)};
}

DecoderOutputs attention_decoder(const DecoderInputs& given) {
  DecoderInputs in = checked(given);
  Sizes n(in);
  DType dtype = in.words.dtype();
  Trace trace{Tensor::empty({n.T, n.B, 4 * n.N}, dtype), Tensor::empty({n.T + 1, n.B, n.N}, dtype),
              Tensor::empty({n.T, n.B, n.A}, dtype), Tensor::empty({n.T, n.B, n.C}, dtype),
              Tensor::empty({n.T, n.B, n.S}, dtype)};
  dispatch_float(dtype, "attention_decoder", [&](auto zero) { forward<decltype(zero)>(in, trace); });
  Tensor y = Tensor::empty({n.B, n.T, n.joined()}, dtype);
  auto put = [&](int64_t first, const Tensor& x) {
    Tensor part = y.slice(2, first, first + x.size(2));
    copy_into(part, x);
  };
  put(0, trace.states.slice(0, 1, n.T + 1).transpose(0, 1));
  put(n.N, trace.contexts.transpose(0, 1));
  put(n.N + n.C, in.words.value());

  std::vector<Variable> read{in.words, in.state,     in.annotations, in.keys,    in.query,
                             in.v,     in.weight_ih, in.weight_hh,   in.bias_ih, in.bias_hh};
  std::vector<Saved> saved;
  for (const Variable& v : read) saved.push_back(save(v));
  auto gradient = [in, saved, allowed = save_optional(in.allowed), weights = save_output(trace.weights), trace,
                   dtype](Grads& grads) {
    // Checks that no saved tensor that this pass reads was overwritten. The mask, the biases and the first state are
    // read only by a replay.
    for (size_t i = 0; i < saved.size(); ++i)
      if (grads.recording() || (i != 1 && i < 8)) grads[saved[i]];
    if (grads.recording()) {
      allowed.in(grads);
      return grads.replay({attention_decoder_composed(in).joined});
    }
    grads[weights];  // checked too, since the caller received them
    Tensor dy = grads.dy(0).value().contiguous();
    dispatch_float(dtype, "attention_decoder", [&](auto zero) { backward<decltype(zero)>(grads, in, trace, dy); });
  };
  return {attach_many("attention_decoder", {read.begin(), read.end()}, {y}, gradient)[0], trace.weights};
}

}  // namespace heed::nn
