// Penalties on attention weights a [B, T, S]: each is one number, a mean over what counts, and goes to nn/penalties.h
// with a weight.
//
//   doubly stochastic   sum_s (1 - sum_t a_ts)^2             every source word is read once in all     Xu et al., 2015
//   entropy             -sum_s a_ts ln a_ts                  small where a row is sharp
//   overlap             sum_s a_ts a_t's, t != t'            small where steps read different words   Lin et al., 2017
//   guided              sum_s a_ts (1 - exp(-(s/S - t/T)^2 / (2 g^2)))      small near the diagonal  Tachibana et al.
//
// (Xu et al., "Show, attend and tell", ICML 2015, section 4.2.1; Lin et al., "A structured self-attentive sentence
// embedding", ICLR 2017: the entries of |A A^T - 1|^2 off the diagonal are squares of these overlaps; Tachibana,
// Uenoyama and Aihara, ICASSP 2018, g = 0.2.) A captioner that need not read every region once has a target other than
// 1. B batch, T target words, S source words.
#pragma once

#include "autograd/variable.h"
#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutAttentionPenalties{
    .names = {"D10", "attention_penalties", "doubly stochastic penalty", "guided attention", "attention entropy"},
    .formula =
        "sum_s (1 - sum_t a_ts)^2;  -sum_s a_ts ln a_ts;  sum_s a_ts a_t's;  sum_s a_ts (1 - exp(-(s/S - t/T)^2 / (2 "
        "g^2)))",
    .paper = {"Xu et al., ICML 2015; Lin et al., ICLR 2017; Tachibana et al., ICASSP 2018", 2015, 2},
    .idea =
        "A term of the loss rewards weights with a wanted property. One asks that each source word is read once in "
        "total, others that rows are sharp, differ from each other, or follow the diagonal. The factor of the term "
        "decides how much this counts compared with predicting the right words.",
    .wrong =
        "Sums over the target must leave out padded steps and padded source words. Otherwise short sentences are "
        "punished for the length of others.",
    .shapes = "a [B, T, S] -> []",
    .cost = "B T S products",
    .own = {"golden_penalties", "penalties_ignore_padding", "penalties_have_gradients", "penalties_are_collected"},
};

// weights [B, T, S], steps [B, T] bool, lengths [B] i64 -> []. ShapeError for other shapes.
// The mean over sentences.
Variable doubly_stochastic_penalty(const Variable& weights, const Tensor& steps, const Tensor& lengths);
Variable mean_entropy(const Variable& weights, const Tensor& steps);  // the mean over steps, in nats
Variable mean_overlap(const Variable& weights, const Tensor& steps);  // the mean over pairs of steps of one sentence
// The mean over steps. T and S are those of each sentence.
Variable guided_penalty(const Variable& weights, const Tensor& steps, const Tensor& lengths, double g = 0.2);

// KL(p || softmax(index)) over the allowed words: the mean over the sentences of the mean over their queries that have
// any. It trains an index of words to predict where attention goes (DeepSeek-V3.2, 2025, equations 3 and 4). index [B,
// T, S]; p is `weights` [B, H, T, S], a constant, summed over the heads and divided by its sum; allowed bool [B, T, S];
// steps bool [B, T], which queries count, or undefined: all.
Variable index_divergence(const Variable& index, const Tensor& weights, const Tensor& allowed,
                          const Tensor& steps = {});

}  // namespace heed::nn
