// Exhibits about heads: an axis that is split in the wrong order, and heads that do not divide the width.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/error.h"
#include "tensor/functions.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

// Four words of width 4, each entry being the number of its word: which words does each head receive?
Shown scrambled_heads() {
  const Tensor ones = Tensor::ones({1, 4, 4}, DType::f64);
  const Variable x(mul(ones, Tensor::from(std::vector<double>{1, 2, 3, 4}, {1, 4, 1})));
  const Variable wrong = reshape(x, {1, 2, 4, 2});                   // [B, H, T, K] at once
  const Variable right = transpose(reshape(x, {1, 4, 2, 2}), 1, 2);  // [B, T, H, K], then the axes are exchanged
  Shown s{.what = "number of the word at each position of each head [H, T K]", .rows = {"head 1", "head 2"}};
  for (int position = 1; position <= 4; ++position)
    for (int entry = 1; entry <= 2; ++entry) s.columns.push_back(fmt::format("{}.{}", position, entry));
  s.wrong = {2, 8, wrong.value().reshape({16}).to_vector()};
  s.right = {2, 8, right.value().contiguous().reshape({16}).to_vector()};
  s.verdict = fmt::format(
      "Position 1 of head 2 holds word {:g} in place of word {:g}; under a causal mask it reads the "
      "future.",
      s.wrong.value(1, 0), s.right.value(1, 0));
  return s;
}

// Heads of width K side by side, without projections: x [B, T, D] -> [B, T, H K]
Variable heads_of(const Variable& x, int64_t heads, int64_t width) {
  std::vector<Variable> parts;
  for (int64_t h = 0; h < heads; ++h) {
    const Variable part = slice(x, 2, h * width, (h + 1) * width);
    parts.push_back(nn::attend(matmul(part, transpose(part, 1, 2)), part).context);
  }
  return concat(parts, 2);
}

// Width 10 and 4 heads: 10 / 4 is 2 in integers, and channels 9 and 10 belong to no head.
Shown cut_heads() {
  const int64_t width = 10;
  const Tensor x = random({1, 3, width}, 1).value();
  auto changes = [&](int64_t heads) {  // of the output, when a channel of the first word grows by 1
    const Tensor before = heads_of(Variable(x), heads, width / heads).value();
    std::vector<double> row;
    for (int64_t c = 0; c < width; ++c) {
      Tensor other = x.clone();
      other.set({0, 0, c}, other.at({0, 0, c}) + 1);
      row.push_back(max_abs_difference(heads_of(Variable(other), heads, width / heads).value(), before));
    }
    return row;
  };
  Shown s{.what = "largest change of the output when a channel of the first word grows by 1 [1, D]",
          .rows = {"change"}};
  s.columns = numbered("channel", width);
  s.wrong = report::Matrix({changes(4)}), s.right = report::Matrix({changes(5)});
  std::string refused;
  Generator rng(3);
  try {
    nn::MultiHeadAttention({.model = width, .heads = 4}, rng);
  } catch (const ValueError& error) { refused = error.what(); }
  int64_t unread = 0;
  for (double change : s.wrong.values) unread += change == 0;
  s.verdict =
      fmt::format("With 4 heads {} of {} channels have no effect; 5 heads read all. The library refuses: \"{}\".",
                  unread, width, refused);
  return s;
}

}  // namespace

std::vector<Exhibit> head_exhibits() {
  return {
      {.name = "scrambled_heads",
       .title = "Heads made by a reshape without a transpose",
       .setting = "Four words of width 4 are split into two heads. Every entry is the number of its word.",
       .wrong_code = "x.view({B, H, T, K})",
       .right_code = "x.view({B, T, H, K}).transpose(1, 2)",
       .suspects = {"the reshape mixes words", "the heads share their weights", "the positions are missing"},
       .culprit = 0,
       .hidden = "The shape is right, nothing is out of range, and a large model learns simple tasks in spite of it.",
       .happened =
           "reczoo/FuxiCTR issue 30, which names three models and the tutorial the code came from; "
           "649453932/Chinese-Text-Classification-Pytorch issue 10; jsbaan/transformer-from-scratch pull request "
           "6, whose copy task passed all the same.",
       .lesson = "22",
       .show = scrambled_heads},
      {.name = "cut_heads",
       .title = "Heads that do not divide the width",
       .setting = "Self-attention of width 10. How much does the output change with each channel of the first word?",
       .wrong_code = "width = model / heads;  // 10 / 4 = 2, and 4 * 2 = 8",
       .right_code = "if (model % heads != 0) throw ValueError(..);",
       .suspects = {"some channels are initialised to 0", "the division rounds down", "dropout removed channels"},
       .culprit = 1,
       .hidden =
           "The following projection accepts any width, so a model that ignores a part of its input still trains.",
       .happened = "labml's multi-head attention computes d_model // heads without a check.",
       .lesson = "22",
       .show = cut_heads},
  };
}

}  // namespace heed::museum
