// The average attention network ("Accelerating neural Transformer via an average attention network"): attention with
// equal weights, which need no scores. Without `causal` the mean is of all words; padding is not counted. What the mean
// cannot do, pick one word out of many, is left to the gates. The FFN has a ReLU and F = `inner` times D units inside.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct AverageMixer final : Mixer {
  struct Settings {
    int64_t inner = 2;
    void fields(OptionFields& f) {
      f("inner", inner, "width inside the feed-forward network, in widths of the model", {1, 16});
    }
  };
  static constexpr About about{
      .names = {"E17", "average", "average attention network", "AAN"},
      .formula = "m_t = (1/t) sum_(s <= t) x_s,  g = FFN(m),  [i; f] = sigmoid(W [x; g] + b),  y = i x + f g",
      .paper = {"Zhang, Xiong and Su, ACL 2018", 2018, 2},
      .idea =
          "Every word reads the mean of the words so far, as attention with equal weights would. The mean of one more "
          "word follows from a running sum, so a step of decoding costs the same however long the text is. Two learned "
          "gates decide how much of the word itself and how much of the mean goes on.",
      .wrong =
          "The mean at position t is over t words, and not over all words of the row. With padding, the count of each "
          "row is its own.",
      .cost = "2 T D F + 4 T D^2 products; 2 D F + 4 D^2 parameters and biases; decoding keeps D + 1 numbers",
      .own = {"uniform_weights_are_the_mean", "a_step_keeps_one_vector", kLinearCost},
  };

  AverageMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;  // the sum and the count
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("linear1", linear1);
    v.child("linear2", linear2);
    v.child("gates", gates);
  }
  MixerOptions options;
  Linear linear1, linear2;  // FFN(m) = linear2(relu(linear1(m)))
  Linear gates;             // [i; f], 2 D rows

 private:
  Variable gated(const Variable& x, const Variable& mean) const;
};

}  // namespace heed::nn
