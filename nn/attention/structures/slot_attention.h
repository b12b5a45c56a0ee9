// Slot attention ("Object-centric learning with slot attention", algorithm 1): R slots compete for the words of an
// input.
//
//   k, v = norm(x) W_k, norm(x) W_v,     q = norm(slots) W_q                for each of the iterations
//   slots <- GRU(sum_s w_rs v_s, slots),   slots <- slots + mlp(norm(slots))
//
// The first softmax is the normaliser `slots` of the pipeline (normalisers/slots.h). All slots have the same weights,
// so slots that begin alike stay alike. The paper draws their beginnings from one learned Gaussian; here each begins
// with a learned vector, and a caller may give others.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/normalisers/slots.h"
#include "nn/attention/stage.h"
#include "nn/feed_forward.h"
#include "nn/init.h"
#include "nn/norm.h"
#include "nn/padding.h"
#include "nn/recurrent/gru.h"

namespace heed::nn {

struct SlotAttentionOptions {
  int64_t input, width;     // I, D
  int64_t slots = 4;        // R
  int64_t iterations = 3;   // as in the paper
  int64_t feedforward = 0;  // hidden width of the mlp; 0: D
};

struct SlotAttention : Module {
  static constexpr About about{
      .names = {"E14", "slot_attention", "object-centric slots"},
      .formula = "A_rs = softmax over the slots of q_r . k_s / sqrt(D);  w = A / sum_s A;  slots <- GRU(w v, slots)",
      .paper = {"Locatello et al., NeurIPS 2020", 2020, 4},
      .idea =
          "A few slots divide the words of an input among themselves, in three rounds. After each round a recurrent "
          "cell updates a slot with the mean of the words that it won. Slots have no fixed task: they differ only in "
          "where they begin.",
      .wrong =
          "The softmax runs over the slots. Over the words, as usual, the slots would not compete, and could all read "
          "the same.",
      .shapes = "x [B, S, I] -> slots [B, R, D], w [B, R, S]",
      .cost = "2 R S D products and a GRU step for R slots per iteration; 2 I D + 9 D^2 parameters",
      .own = {"slots_share_each_word_out", "slots_permuted_permute_the_output", "an_iteration_by_its_lines",
              "input_has_no_order"},
      .exempt = {{"empty_row_reads_zero", "a slot that reads nothing still goes through its GRU and its network"}},
      .cases = "SlotAttention",
      .more = "the vector of --context every_step, and the decoder's first state: R times as wide as the words",
  };

  using Options = SlotAttentionOptions;
  SlotAttention(const Options& o, Generator& rng)
      : options(o),
        start(normal_parameter({o.slots, o.width}, 1, rng)),
        query({.in = o.width, .out = o.width, .bias = false}, rng),
        key({.in = o.input, .out = o.width, .bias = false}, rng),
        value({.in = o.input, .out = o.width, .bias = false}, rng),
        update({.input = o.width, .hidden = o.width}, rng),
        mlp({.model = o.width, .inner = o.feedforward > 0 ? o.feedforward : o.width}, rng),
        input_norm({.shape = {o.input}}, rng),
        slot_norm({.shape = {o.width}}, rng),
        mlp_norm({.shape = {o.width}}, rng),
        share({}, rng) {}
  // x [B, S, I], words bool [B, S] -> slots [B, R, D], w of the last iteration [B, R, S]. `from` [B, R', D]: where the
  // slots begin; undefined: at the learned vectors.
  Attended operator()(const Variable& x_, const Tensor& words = {}, const Variable& from = {}) const {
    Call call(*this);
    Variable x = input_norm(without_padding(x_, words)), k = transpose(key(x), 1, 2), v = value(x), weights;
    int64_t B = x.size(0), D = options.width;
    Variable slots = from.defined() ? from : expand(unsqueeze(start, 0), {B, options.slots, D});
    Tensor allowed = words.defined() ? words.unsqueeze(1) : Tensor();
    for (int64_t i = 0; i < options.iterations; ++i) {
      Variable e = matmul(query(slot_norm(slots)), k) / std::sqrt(static_cast<double>(D));
      Attended read = attend(e, v, AttendOptions{.allowed = allowed, .normaliser = &share});
      int64_t rows = B * slots.size(1);
      slots = reshape(update(reshape(read.context, {rows, D}), reshape(slots, {rows, D})), slots.shape());
      slots = slots + mlp(mlp_norm(slots));
      weights = read.weights;
    }
    return {call.result("context", slots), call.result("weights", weights)};
  }
  void visit(Visitor& v) {
    v.parameter("start", start);
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("update", update), v.child("mlp", mlp);
    v.child("input_norm", input_norm), v.child("slot_norm", slot_norm), v.child("mlp_norm", mlp_norm);
  }
  Options options;
  Variable start;  // [R, D]
  Linear query, key, value;
  GRUCell update;
  FeedForward mlp;
  LayerNorm input_norm, slot_norm, mlp_norm;
  SlotNormaliser share;
};

}  // namespace heed::nn
