// Exhibits about positions: pairs and columns in another order than the weights expect, a rotation that rotates
// nothing, and a bias without distances.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/sinusoidal.h"
#include "tensor/indexing.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

// Weights that were trained with interleaved pairs: with them, a query finds the word two places before it.
Shown rope_pairs() {
  const int64_t length = 6, width = 8;
  const Tensor one = random({1, 1, 1, width}, 5).value().expand({1, length, 1, width}).contiguous();
  // The query is the key, rotated back by two places in the layout of the training.
  const Variable back = nn::rotate_pairs(
      Variable(one),
      {.layout = nn::RopeLayout::interleaved, .at = Tensor::full({1, length}, 2, DType::i64), .back = true});
  auto weights = [&](nn::RopeLayout layout) {
    const Variable q = reshape(nn::rotate_pairs(back, {.layout = layout}), {length, width});
    const Variable k = reshape(nn::rotate_pairs(Variable(one), {.layout = layout}), {length, width});
    return softmax(matmul(q, transpose(k, 0, 1)));
  };
  Shown s{.what = "attention weights [T, S] of a head that was trained to look two words back"};
  s.rows = numbered("word", length), s.columns = numbered("word", length);
  s.wrong = numbers(weights(nn::RopeLayout::halves)), s.right = numbers(weights(nn::RopeLayout::interleaved));
  s.verdict = fmt::format("Word 6 gives word 4 the weight {}; with the pairs of the training it is {}.",
                          quoted(s.wrong, 5, 3), quoted(s.right, 5, 3));
  return s;
}

// The cosine of a word with the same word at other distances. Each vector is divided by its length after the turn, as
// in the model where this happened.
Shown no_rotation() {
  const int64_t length = 8, width = 4, queries = 4, far = 4;
  const Variable x = expand(random({1, 1, 1, width}, 3), {1, length, 1, width});
  auto units = [&](const Variable& y) {
    return reshape(y, {length, width}) / norm(reshape(y, {length, width}), 2, {1}, true);
  };
  const Variable turned = nn::rotate_pairs(x, {.layout = nn::RopeLayout::interleaved});
  // The angles p theta_i: those of a rotation of (1, 0) in each pair.
  const Variable one(Tensor::from(std::vector<double>{1, 0, 1, 0}, {1, 1, 1, width}));
  const Variable angles = nn::rotate_pairs(expand(one, {1, length, 1, width}), {.layout = nn::RopeLayout::interleaved});
  auto parts = [&](const Variable& y, int64_t i) { return select(reshape(y, {1, length, width / 2, 2}), 3, i); };
  const Variable products = stack({-parts(x, 1) * parts(angles, 0), parts(x, 0) * parts(angles, 1)}, 3);
  auto cosines = [&](const Variable& unit) {
    const Variable all = matmul(unit, transpose(unit, 0, 1));
    std::vector<Variable> rows;
    for (int64_t t = 0; t < queries; ++t) rows.push_back(slice(select(all, 0, t), 0, t, t + far));
    return rows_of(rows);
  };
  Shown s{.what = "cosine of a word's query and the same word's key [position, distance]"};
  for (int64_t p = 0; p < queries; ++p) s.rows.push_back(fmt::format("position {}", p));
  for (int64_t d = 0; d < far; ++d) s.columns.push_back(fmt::format("distance {}", d));
  s.wrong = cosines(units(products)), s.right = cosines(units(turned));
  s.verdict = fmt::format(
      "At distance 1 the cosine is {} for the first word and {} for the third; of a rotation it is {} everywhere.",
      quoted(s.wrong, 0, 1), quoted(s.wrong, 2, 1), quoted(s.right, 0, 1));
  return s;
}

// A head that finds its own position by the product of sinusoids; its weights put more weight on the fast channels.
Shown sinusoid_layout() {
  const int64_t length = 6, width = 8;
  const Variable interleaved(nn::sinusoidal_positions(length, {.width = width}, 0, DType::f64));
  const Variable halves(
      nn::sinusoidal_positions(length, {.width = width, .layout = nn::SinusoidalLayout::halves}, 0, DType::f64));
  // Trained weights: channels 1 to 4 of the interleaved layout, the two fastest pairs, count; the others do not.
  const Variable w(Tensor::from(std::vector<double>{4, 4, 4, 4, 0, 0, 0, 0}, {width}));
  auto weights = [&](const Variable& p) { return softmax(matmul(p * w, transpose(p, 0, 1))); };
  Shown s{.what = "attention weights [T, S] of a head that was trained to look at its own word"};
  s.rows = numbered("word", length), s.columns = numbered("word", length);
  s.wrong = numbers(weights(halves)), s.right = numbers(weights(interleaved));
  s.verdict = fmt::format("Word 3 gives itself the weight {}; with the layout of the training it is {}.",
                          quoted(s.wrong, 2, 2), quoted(s.right, 2, 2));
  return s;
}

Shown alibi_by_place() {
  const int64_t length = 6;
  Generator rng(1);
  const Variable bias = nn::AlibiBias({.heads = 1}, rng)({.queries = length, .keys = length}, DType::f64);
  const double slope = nn::alibi_slopes(1)[0] * 64;  // a steeper one, so that six words show it
  const Variable right = reshape(bias, {length, length}) * 64.0;
  const Variable by_place(
      mul(Tensor::arange(length).to(DType::f64), slope).unsqueeze(0).expand({length, length}).contiguous());
  Shown s{.what = "attention weights [T, S] of an encoder whose scores are all equal"};
  s.rows = numbered("word", length), s.columns = numbered("word", length);
  s.wrong = numbers(softmax(by_place)), s.right = numbers(softmax(right));
  s.verdict = fmt::format("Word 1 gives the last word the weight {}; by distance it is {}.", quoted(s.wrong, 0, 5),
                          quoted(s.right, 0, 5));
  return s;
}

}  // namespace

std::vector<Exhibit> position_exhibits() {
  return {
      {.name = "rope_pairs",
       .title = "Rotary pairs in the other layout",
       .setting = "A head with rotary positions was trained to look two words back. Its weights are loaded elsewhere.",
       .wrong_code = "x1 = x[..., :K/2]; x2 = x[..., K/2:];  // pair i is (x_i, x_(i + K/2))",
       .right_code = "x1 = x[..., 0::2]; x2 = x[..., 1::2];  // pair i is (x_2i, x_(2i + 1)), as in the training",
       .suspects = {"the values are rotated, too", "the base is not 10000", "other entries form the pairs"},
       .culprit = 2,
       .hidden = "Both layouts are right if a model is trained and used with the same one. Shapes and parameter names "
                 "are equal, and the text that comes out is almost fluent.",
       .happened =
           "huggingface/transformers issue 25199 and TinyLlama issue 24: weights must be permuted between the two "
           "layouts. The layout of the paper (Su et al., 2021) is interleaved.",
       .lesson = "23",
       .show = rope_pairs},
      {.name = "no_rotation",
       .title = "A rotation that does not rotate",
       .setting = "Rotary positions, followed by a division by the length. All words are the same.",
       .wrong_code = "y1 = -x2 * cos; y2 = x1 * sin;",
       .right_code = "y1 = x1 * cos - x2 * sin; y2 = x2 * cos + x1 * sin;",
       .suspects = {"the keys are rotated backwards", "each entry has one product in place of a sum of two",
                    "the base is too small"},
       .culprit = 1,
       .hidden = "Every position changes the vectors differently, so a model learns order from it. The division by the "
                 "length hides that lengths change, and a word still has the cosine 1 with itself.",
       .happened =
           "NVIDIA/ngpt, model.py: apply_rotary_position_embeddings multiplies (-x2, x1) by (cos, sin) and adds "
           "nothing. The rotation is that of Su et al. (2021).",
       .lesson = "23",
       .show = no_rotation},
      {.name = "sinusoid_layout",
       .title = "Sines and cosines in the other order",
       .setting = "A head was trained to find its own position by the product of sinusoidal positions.",
       .wrong_code = "P = concat({sin(angles), cos(angles)}, 1);  // all sines first",
       .right_code = "P[p, 2i] = sin(p f_i); P[p, 2i + 1] = cos(p f_i);  // as in the training and in the paper",
       .suspects = {"the columns are permuted", "positions begin at 1", "the embeddings are not scaled by sqrt(D)"},
       .culprit = 0,
       .hidden = "Neither order is wrong by itself: they differ by a permutation, which training absorbs. Only weights "
                 "that change the program are hurt.",
       .happened = "tensor2tensor concatenates sines and cosines, the paper (Vaswani et al., 2017, section 3.5) "
                   "interleaves them: tensorflow/tensor2tensor issues 177 and 391.",
       .lesson = "23",
       .show = sinusoid_layout},
      {.name = "alibi_by_place",
       .title = "ALiBi without the distance",
       .setting = "An encoder with ALiBi, in which all words have the same score.",
       .wrong_code = "e[t][s] += slope * s;",
       .right_code = "e[t][s] -= slope * abs(t - s);",
       .suspects = {"the slope has the wrong size", "the bias knows the key's position only",
                    "the causal mask is missing"},
       .culprit = 1,
       .hidden = "Under a causal mask both are the same, because a softmax does not change when a row is shifted by a "
                 "constant. The fault appears when the code is used in an encoder.",
       .happened = "labml's ALiBi adds the slope times the key's position; the paper is Press, Smith and Lewis (2022).",
       .lesson = "23",
       .show = alibi_by_place},
  };
}

}  // namespace heed::museum
