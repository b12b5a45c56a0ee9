// Exhibits about scores: weights that do not depend on the source, and scores without a bound.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scores/additive.h"
#include "tensor/functions.h"
#include "tensor/reduce.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

// Change one key and see which weights follow.
Shown fake_attention() {
  const Variable query = random({1, 3, 4}, 1), keys = random({1, 5, 4}, 2), w = random({4, 5}, 3);
  const Variable other = concat({slice(keys, 1, 0, 2), random({1, 1, 4}, 4), slice(keys, 1, 3, 5)}, 1);  // a new key 3
  auto right = [&](const Variable& k) { return nn::attend(matmul(query, transpose(k, 1, 2)), k).weights; };
  auto fake = [&](const Variable&) { return softmax(matmul(query, w)); };  // as many columns as the longest source
  Shown s{.what = "change of the attention weights [T, S] when key 3 is replaced"};
  s.rows = numbered("query", 3), s.columns = numbered("key", 5);
  s.wrong = numbers(abs(fake(other) - fake(keys))), s.right = numbers(abs(right(other) - right(keys)));
  s.verdict = fmt::format("Replacing a key changes the fake's weights by {:g}, and those of attention by up to {:.2f}.",
                          *std::max_element(s.wrong.values.begin(), s.wrong.values.end()),
                          *std::max_element(s.right.values.begin(), s.right.values.end()));
  return s;
}

Shown relu_for_tanh() {
  Generator rng(1);
  nn::AdditiveScore score({.query = 4, .key = 4}, rng);
  const Variable query = Variable(random({1, 1, 4}, 2).value().to(DType::f32));
  const Variable keys = score.prepare(Variable(random({1, 4, 4}, 3).value().to(DType::f32)));
  Shown s{.what = "scores of one query that grows, one row for each factor [4, S]", .columns = numbered("key", 4)};
  std::vector<Variable> wrong, right;
  for (double factor : {1.0, 10.0, 100.0, 1000.0}) {
    const Variable q = query * factor;
    const Variable hidden = unsqueeze(score.query(q), 2) + unsqueeze(keys, 1);  // W q + U k + b: [B, T, S, A]
    wrong.push_back(matmul(relu(hidden), score.v)), right.push_back(score(q, keys));
    s.rows.push_back(fmt::format("{:g} q", factor));
  }
  s.wrong = rows_of(wrong), s.right = rows_of(right);
  s.verdict = fmt::format("With tanh no score exceeds the sum of |v|, {:.2f}; with ReLU the largest is {:.0f}.",
                          sum(abs(score.v)).item(), amax(abs(wrong.back().value())).item());
  return s;
}

}  // namespace

std::vector<Exhibit> score_exhibits() {
  return {
      {.name = "fake_attention",
       .title = "Weights that never look at the source",
       .setting = "A decoder attends to five encoder outputs. One of them is replaced by another vector.",
       .wrong_code = "w = softmax(matmul(query, W));  // W [D, S]",
       .right_code = "w = softmax(matmul(query, transpose(keys, 1, 2)));",
       .suspects = {"the softmax runs along the wrong axis", "the scores do not contain the keys",
                    "the query is not scaled"},
       .culprit = 1,
       .hidden = "The rows sum to 1, the model trains, the pictures look like alignments, and on short sentences the "
                 "accuracy is that of attention.",
       .happened = "The official PyTorch tutorial on sequence to sequence, 2017 to June 2023: pytorch/tutorials issues "
                   "87, 130, 833, 1098 and 2121, mended by pull request 2452.",
       .lesson = "12",
       .show = fake_attention},
      {.name = "relu_for_tanh",
       .title = "ReLU in the additive score",
       .setting = "The additive score of Bahdanau et al. for a query that is multiplied by 1, 10, 100 and 1000.",
       .wrong_code = "e = matmul(relu(W q + U k + b), v);",
       .right_code = "e = matmul(tanh(W q + U k + b), v);  // |e| <= sum |v|",
       .suspects = {"the keys are projected once per step", "v starts at 0", "the nonlinearity has no bound"},
       .culprit = 2,
       .hidden =
           "Small states give similar scores. Only when states grow does the softmax become a hard choice, and its "
           "gradient vanishes.",
       .happened = "keon/seq2seq, a widely copied implementation; the formula is in Bahdanau, Cho and Bengio (2015), "
                   "appendix A.1.2.",
       .lesson = "14",
       .show = relu_for_tanh},
  };
}

}  // namespace heed::museum
