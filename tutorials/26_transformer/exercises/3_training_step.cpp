#include "tutorials/26_transformer/exercises/3_training_step.h"

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"

namespace mine {

using namespace heed;

// | // With the gaps open, the batch is one <pad>, the loss is that of nothing, and no step is taken.
Batch make_batch(const Sentences& sources, const Sentences& targets) {
  // ---- the gap, first part: about 20 lines ----
  // | // 1. S is the length of the longest source; T that of the longest target plus 1, for <s> or </s>.
  // | // 2. For each sentence: its source with its mask, <s> and the target, the target and </s>; fill all up with
  // | //    padding.
  // | // 3. allowed: row i has ones up to column i.
  // | Tensor none = Tensor::from(std::vector<int64_t>{kPad}, {1, 1}), one = Tensor::from_bools({1}, {1, 1});
  // | return {none, one, none, none, one};
  // ---- filled ----
  std::size_t S = 0, T = 0;
  for (const auto& source : sources) S = std::max(S, source.size());
  for (const auto& target : targets) T = std::max(T, target.size() + 1);
  std::vector<int64_t> source, input, output;
  std::vector<int> words, allowed;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    source.insert(source.end(), sources[b].begin(), sources[b].end());
    source.resize((b + 1) * S, kPad);
    words.resize(b * S + sources[b].size(), 1);
    words.resize((b + 1) * S, 0);
    input.push_back(kStart);
    input.insert(input.end(), targets[b].begin(), targets[b].end());
    input.resize((b + 1) * T, kPad);
    output.insert(output.end(), targets[b].begin(), targets[b].end());
    output.push_back(kStop);
    output.resize((b + 1) * T, kPad);
  }
  for (std::size_t i = 0; i < T; ++i)
    for (std::size_t j = 0; j < T; ++j) allowed.push_back(j <= i);
  const auto B = std::ssize(sources), s = static_cast<int64_t>(S), t = static_cast<int64_t>(T);
  return {Tensor::from(source, {B, s}), Tensor::from_bools(words, {B, s}), Tensor::from(input, {B, t}),
          Tensor::from(output, {B, t}), Tensor::from_bools(allowed, {t, t})};
  // ---- end of the first part ----
}

Variable smoothed_loss(const Variable& logits, const Tensor& output, double smoothing) {
  // ---- the gap, second part: about 8 lines ----
  // | // log p of all words; of the right word (gather), and the mean over all words. Mix them, and average over the
  // | // positions that are not <pad>. (cross_entropy can do this, too; here you write it yourself.)
  // | return sum(logits) * 0.0;
  // ---- filled ----
  Variable log_p = log_softmax(logits, -1);                                    // [B, T, V]
  Variable right = squeeze(gather(log_p, output.unsqueeze(2)), 2);             // [B, T]
  Variable loss = -(right * (1 - smoothing) + mean(log_p, {-1}) * smoothing);  // [B, T]
  std::vector<int> padding;
  double count = 0;
  for (double id : output.to_vector()) padding.push_back(id == kPad), count += id != kPad;
  return sum(masked_fill(loss, Tensor::from_bools(padding, output.shape()), 0)) / count;
  // ---- end of the second part ----
}

double rate(int64_t step, const Settings& settings) {
  // ---- the gap, third part: about 2 lines ----
  // | return 0;
  // ---- filled ----
  const auto s = static_cast<double>(step), D = static_cast<double>(settings.width);
  return std::pow(D, -0.5) * std::min(std::pow(s, -0.5), s * std::pow(static_cast<double>(settings.warmup), -1.5));
  // ---- end of the third part ----
}

double train_step(const Model& model, nn::Adam& adam, const Sentences& sources, const Sentences& targets,
                  const Settings& settings) {
  // ---- the gap, fourth part: about 7 lines ----
  // | // Batch, loss, gradients from zero, the rate of this step, the step.
  // | return 0;
  // ---- filled ----
  Batch batch = make_batch(sources, targets);
  Variable loss = smoothed_loss(model(batch), batch.output, settings.smoothing);
  adam.zero_grad();
  backward(loss);
  adam.learning_rate = rate(adam.steps() + 1, settings);
  adam.step();
  return loss.item();
  // ---- end of the gap ----
}

}  // namespace mine
