// Exhibits about masks: none, a finite number in place of minus infinity, the wrong axis, the wrong corner.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scopes/masks.h"
#include "nn/padding.h"
#include "tensor/compare.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

const std::vector<std::string> sentence{"the", "cat", "sat", "<pad>", "<pad>"};

Shown no_mask() {
  const Variable query = random({1, 3, 4}, 1), keys = random({1, 5, 4}, 2), e = matmul(query, transpose(keys, 1, 2));
  const Tensor words = nn::length_mask(Tensor::from(std::vector<int64_t>{3}, {1}), 5).unsqueeze(1);  // [B, 1, S]
  const Variable wrong = softmax(e), right = nn::attend(e, keys, words).weights;
  Shown s{.what = "attention weights [T, S]", .rows = numbered("query", 3), .columns = sentence};
  s.wrong = numbers(wrong), s.right = numbers(right);
  s.verdict = fmt::format("The padding receives {:.0f} % of the attention; with the mask it receives {:g}.",
                          100 * sum(slice(wrong, 2, 3, 5)).item() / 3, sum(slice(right, 2, 3, 5)).item());
  return s;
}

Shown minus_1e9() {
  const Variable values(Tensor::from(std::vector<double>{1, 2, 3, 4}, {1, 4, 1})), e = random({1, 2, 4}, 1);
  const Tensor allowed = Tensor::from_bools({1, 1, 0, 0, 0, 0, 0, 0}, {1, 2, 4});
  const Variable wrong = softmax(masked_fill(e, logical_not(allowed), -1e9));
  const nn::Attended right = nn::attend(e, values, allowed);
  Shown s{.what = "attention weights and the context of the values 1, 2, 3, 4: [T, S + 1]",
          .rows = {"keys 1 and 2 allowed", "no key allowed"},
          .columns = {"key 1", "key 2", "key 3", "key 4", "context"}};
  s.wrong = numbers(concat({wrong, matmul(wrong, values)}, 2));
  s.right = numbers(concat({right.weights, right.context}, 2));
  s.verdict = fmt::format(
      "Where no key is allowed, the mask of -1e9 returns {:g}, the mean of all forbidden values; "
      "the library returns {:g}.",
      s.wrong.value(1, 4), s.right.value(1, 4));
  return s;
}

// The gradient of the value projection, which two sentences share. The loss reads the first sentence only; no key of
// the second may be attended to.
Shown empty_row() {
  const Variable x = random({2, 3, 2}, 1);
  const Tensor allowed = Tensor::from_bools({1, 1, 1, 0, 0, 0}, {2, 1, 3});
  auto gradient = [&](bool naive) {
    Variable w(random({2, 2}, 2).value(), Variable::kRequiresGrad);
    const Variable e = matmul(x, transpose(x, 1, 2)), values = matmul(x, w);
    Variable context;
    if (naive) {
      const Variable masked = masked_fill(e, logical_not(allowed), -INFINITY);
      const Variable p = exp(masked - amax(masked, {-1}, true).detach());  // -inf - (-inf) is not a number
      context = matmul(p / sum(p, {-1}, true), values);
    } else {
      context = nn::attend(e, values, allowed).context;
    }
    backward(sum(square(select(context, 0, 0))));
    return Variable(w.grad());
  };
  Shown s{.what = "gradient of the value projection W [D, D]", .rows = {"W row 1", "W row 2"}, .columns = {"1", "2"}};
  s.wrong = numbers(gradient(true)), s.right = numbers(gradient(false));
  s.verdict = fmt::format(
      "One sentence without an allowed key turns {} of {} gradients of the whole batch into NaN, "
      "although the loss does not read that sentence.",
      difference_of(s).not_numbers, s.wrong.values.size());
  return s;
}

Shown query_mask() {
  const Variable x = random({1, 5, 4}, 6), e = matmul(x, transpose(x, 1, 2)) / 2.0;
  const Tensor words = nn::length_mask(Tensor::from(std::vector<int64_t>{3}, {1}), 5);     // [B, S]
  const Variable wrong = softmax(masked_fill(e, logical_not(words.unsqueeze(2)), -1e10));  // hides rows
  const Variable right = nn::attend(e, x, words.unsqueeze(1)).weights;                     // hides columns
  Shown s{.what = "self-attention weights [T, S]", .rows = sentence, .columns = sentence};
  s.wrong = numbers(wrong), s.right = numbers(right);
  s.verdict = fmt::format("The three words give {:.0f} % of their attention to padding (right: {:g}).",
                          100 * sum(slice(slice(wrong, 1, 0, 3), 2, 3, 5)).item() / 3,
                          sum(slice(slice(right, 1, 0, 3), 2, 3, 5)).item());
  return s;
}

// Two new words are decoded after three that are in the cache.
Shown causal_corner() {
  const Variable query = random({1, 2, 4}, 1), keys = random({1, 5, 4}, 2), e = matmul(query, transpose(keys, 1, 2));
  const Tensor corner = nn::causal_mask({.queries = 2, .keys = 5});  // counts from 0
  const Tensor places = nn::causal_mask({.queries = 2, .keys = 5, .first_query = 3});
  Shown s{.what = "attention weights [T, S] of words 4 and 5, with five keys in the cache"};
  s.rows = {"word 4", "word 5"}, s.columns = numbered("word", 5);
  s.wrong = numbers(nn::attend(e, keys, corner).weights), s.right = numbers(nn::attend(e, keys, places).weights);
  std::size_t read = 0;
  for (std::size_t j = 0; j < s.columns.size(); ++j) read += s.wrong.value(0, j) > 0;
  s.verdict = fmt::format("Word 4 may read 4 words and reads {}: the first one has the weight {:g}.", read,
                          s.wrong.value(0, 0));
  return s;
}

}  // namespace

std::vector<Exhibit> mask_exhibits() {
  return {
      {.name = "no_mask",
       .title = "Padding that is read",
       .setting = "A sentence of three words in a batch whose longest sentence has five.",
       .wrong_code = "w = softmax(e);",
       .right_code = "w = softmax(masked_fill(e, !words, -INFINITY));  // words [B, 1, S]",
       .suspects = {"there is no key padding mask", "the temperature is too high", "the queries are all alike"},
       .culprit = 0,
       .hidden = "With batches of one sentence there is no padding. In larger batches the loss falls all the same, and "
                 "the translation of a sentence depends on its neighbours in the batch.",
       .happened = "TensorFlow's tutorial on translation with attention has no mask before the softmax: "
                   "tensorflow/tensorflow issue 43941. keon/seq2seq has none either.",
       .lesson = "04",
       .show = no_mask},
      {.name = "minus_1e9",
       .title = "A large negative number in place of a mask",
       .setting = "Two queries and four keys. The first query may attend to keys 1 and 2, the second to none.",
       .wrong_code = "w = softmax(masked_fill(e, !allowed, -1e9));",
       .right_code = "w = attend(e, values, allowed).weights;  // -inf, and 0 where no key is allowed",
       .suspects = {"the values are not normalised", "forbidden scores are finite", "the mask is transposed"},
       .culprit = 1,
       .hidden = "Where at least one key is allowed, the weights are exactly right.",
       .happened = "d2l.ai masks with -1e6, the Annotated Transformer with -1e9.",
       .lesson = "04",
       .show = minus_1e9},
      {.name = "empty_row",
       .title = "One empty row, and every gradient is NaN",
       .setting = "The gradient of the value projection for two sentences, of which the loss reads the first only.",
       .wrong_code = "p = exp(e - amax(e, {-1}, true)); w = p / sum(p, {-1}, true);",
       .right_code = "w = attend(e, values, allowed).weights;  // a row without a key is 0",
       .suspects = {"the learning rate is too large", "the loss divides by 0", "a row of the scores is all -inf"},
       .culprit = 2,
       .hidden =
           "The forward pass of all other sentences is right. In the backward pass 0 times NaN is NaN, and shared "
           "parameters carry it everywhere.",
       .happened =
           "torch.nn.MultiheadAttention: pytorch/pytorch issue 41508, open since 2020; the same fault was mended "
           "in burn (4697), rten (1321), mlx (2395) and iree (24175).",
       .lesson = "04",
       .show = empty_row},
      {.name = "query_mask",
       .title = "The mask on the queries in place of the keys",
       .setting = "Self-attention over three words and two paddings.",
       .wrong_code = "w = softmax(masked_fill(e, !words.unsqueeze(2), -1e10));  // [B, T, 1]",
       .right_code = "w = softmax(masked_fill(e, !words.unsqueeze(1), -INFINITY));  // [B, 1, S]",
       .suspects = {"the mask has its axes exchanged", "the scores are not scaled", "the padding is not embedded as 0"},
       .culprit = 0,
       .hidden =
           "In self-attention T = S, so the shape fits. The rows that look odd belong to padding, which nobody reads.",
       .happened = "lsdefine/attention-is-all-you-need-keras, issue 16.",
       .lesson = "26",
       .show = query_mask},
      {.name = "causal_corner",
       .title = "A causal mask that begins in the wrong corner",
       .setting = "A decoder with a cache of three words computes words 4 and 5.",
       .wrong_code = "allowed[t][s] = s <= t;  // t counts from 0",
       .right_code = "allowed[t][s] = s <= first_query + t;  // t counts from the cache's end",
       .suspects = {"the cache holds old values", "query positions start again at 0", "the mask is strict: s < t"},
       .culprit = 1,
       .hidden = "Training has T = S, where both masks are the same. Only decoding with a cache is wrong.",
       .happened = "PyTorch's is_causal is aligned to the top left corner (pytorch/pytorch issues 103082, 108108 and "
                   "144858); the Attention operator of ONNX had the same rule (onnx/onnx issue 8054, mended by pull "
                   "request 8068).",
       .lesson = "27",
       .show = causal_corner},
  };
}

}  // namespace heed::museum
