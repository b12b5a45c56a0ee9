// Exhibits about training: targets that are not shifted, a softmax too many, and the wrong deviation.
#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/data/batches.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

// What a decoder receives and what it must predict: words as numbers, 1 is <s>, 2 is </s>.
Shown unshifted_targets() {
  const std::vector<data::EncodedPair> pairs{{{5, 6, 2}, {7, 8, 9, 4}}};
  const data::Batch batch = data::make_batch(pairs, {0});
  const Variable in(batch.target_in.to(DType::f64)), out(batch.target_out.to(DType::f64));
  Shown s{.what = "numbers of the words that the decoder receives and must predict [2, T]"};
  s.rows = {"receives", "must predict"}, s.columns = numbered("step", batch.target_in.size(1));
  s.wrong = rows_of({out, out}), s.right = rows_of({in, out});
  auto copied = [](const report::Matrix& m) {  // a decoder that repeats what it receives
    std::size_t right = 0;
    for (std::size_t t = 0; t < m.columns; ++t) right += m.value(0, t) == m.value(1, t);
    return 100 * static_cast<double>(right) / static_cast<double>(m.columns);
  };
  s.verdict = fmt::format(
      "A decoder that repeats its input is right for {:.0f} % of the words; with shifted targets for "
      "{:.0f} %.",
      copied(s.wrong), copied(s.right));
  return s;
}

// Ten classes, the right one ahead by `lead`: the loss should go to 0 as the lead grows.
Shown softmax_twice() {
  Shown s{.what = "cross-entropy in nats for a growing lead of the right class, 10 classes [1, 6]", .rows = {"loss"}};
  std::vector<double> wrong, right;
  const Tensor target = Tensor::from(std::vector<int64_t>{0}, {1});
  for (double lead : {0.0, 1.0, 2.0, 5.0, 10.0, 20.0}) {
    Tensor row = Tensor::zeros({1, 10}, DType::f64);
    row.set({0, 0}, lead);
    const Variable logits(row);
    wrong.push_back(cross_entropy(softmax(logits), target).item());
    right.push_back(cross_entropy(logits, target).item());
    s.columns.push_back(fmt::format("lead {:g}", lead));
  }
  s.wrong = report::Matrix({wrong}), s.right = report::Matrix({right});
  s.verdict = fmt::format(
      "The loss of a perfect prediction is {:.3f} in place of {:.1e}: it cannot fall below "
      "ln(e + 9) - 1 = {:.3f}.",
      wrong.back(), right.back(), std::log(std::exp(1.0) + 9) - 1);
  return s;
}

Shown unbiased_deviation() {
  const Variable x = random({3, 8}, 1), centred = x - mean(x, {-1}, true);
  const Variable wrong = centred / sqrt(sum(square(centred), {-1}, true) / 7.0);
  const Variable right = layer_norm(x, {}, {}, {.eps = 0});
  Shown s{.what = "layer normalisation of three words [T, D]", .rows = numbered("word", 3)};
  s.columns = numbered("", 8), s.wrong = numbers(wrong), s.right = numbers(right);
  s.verdict = fmt::format("Every output is too small by the factor {:.4f}, which is sqrt(7/8) = {:.4f}.",
                          s.wrong.value(0, 0) / s.right.value(0, 0), std::sqrt(7.0 / 8));
  return s;
}

}  // namespace

std::vector<Exhibit> training_exhibits() {
  return {
      {.name = "unshifted_targets",
       .title = "Targets that are not shifted",
       .setting = "One sentence of four words as a decoder's training example.",
       .wrong_code = "loss(decoder(target), target);",
       .right_code = "loss(decoder(target_in), target_out);  // <s> y_1 .. y_n  and  y_1 .. y_n </s>",
       .suspects = {"the vocabulary is too small", "the decoder receives the word that it must predict",
                    "the end of the sentence is not in the loss"},
       .culprit = 1,
       .hidden =
           "The loss falls faster than ever and reaches 0. Only decoding shows that the model has learned to copy.",
       .happened = "pytorch/tutorials issue 719.",
       .lesson = "10",
       .show = unshifted_targets},
      {.name = "softmax_twice",
       .title = "A softmax before a loss that has its own",
       .setting = "The loss of a classifier with ten classes that becomes more and more certain of the right one.",
       .wrong_code = "loss = cross_entropy(softmax(logits), target);",
       .right_code = "loss = cross_entropy(logits, target);  // softmax and logarithm are in it",
       .suspects = {"the loss applies a second softmax", "the targets are one-hot", "the mean is taken over classes"},
       .culprit = 0,
       .hidden = "The order of the classes is the same, so the accuracy looks right. Training is slow and stops early, "
                 "which is blamed on the learning rate.",
       .happened = "Lightning-Universe/lightning-bolts issue 654; tflearn/tflearn pull request 562.",
       .lesson = "04",
       .show = softmax_twice},
      {.name = "unbiased_deviation",
       .title = "Layer normalisation by the unbiased deviation",
       .setting = "Three words of width 8 after a layer normalisation without scale and offset.",
       .wrong_code = "y = (x - mean) / std;  // std divides by D - 1",
       .right_code = "y = layer_norm(x);  // variance divided by D",
       .suspects = {"the mean is taken over words", "eps is too large", "the variance is divided by D - 1"},
       .culprit = 2,
       .hidden = "The learned scale absorbs the factor. It shows when weights or golden values are compared between "
                 "programs.",
       .happened =
           "The Annotated Transformer divides by torch's std, which is unbiased, and adds eps to it; the paper is "
           "Ba, Kiros and Hinton (2016), equation 4.",
       .lesson = "24",
       .show = unbiased_deviation},
  };
}

}  // namespace heed::museum
