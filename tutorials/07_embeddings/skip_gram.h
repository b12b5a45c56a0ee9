// Skip-gram with negative sampling: given a word, distinguish its neighbours in the text from words drawn at random.
//
//   L = - log sigmoid(u_o . v_c)  -  sum_k log sigmoid(- u_k . v_c)
//
//   v [V, D]: vectors of all words as centre; u [V, D]: as context word; c: the centre; o: a word at most `window`
//   positions away; k: one of K words (negatives) drawn with p(w) proportional to count(w)^(3/4)
//
// (Mikolov, Sutskever, Chen, Corrado and Dean, "Distributed representations of words and phrases and their
// compositionality", NIPS 2013, eq. 4.)
#pragma once

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/train/progress.h"
#include "tutorials/07_embeddings/text.h"

namespace heed {

struct SkipGram : nn::Module {
  struct Options {
    int64_t vocabulary, width;
  };
  SkipGram(const Options& o, Generator& rng)
      : options(o),
        centre({.vocabulary = o.vocabulary, .width = o.width, .std = 0.1}, rng),
        context({.vocabulary = o.vocabulary, .width = o.width, .std = 0.1}, rng) {}

  // u_w . v_c for each pair: centres [B], words [B, 1 + K] -> [B, 1 + K]
  Variable operator()(const Tensor& centres, const Tensor& words) const {
    Variable v = centre(centres), u = context(words);  // [B, D], [B, 1 + K, D]
    return sum(u * unsqueeze(v, 1), {-1});
  }
  void visit(nn::Visitor& v) {
    v.child("centre", centre);
    v.child("context", context);
  }
  Options options;
  nn::Embedding centre, context;
};

struct PairOptions {
  int64_t window = 2;
  double often = 1e-3;  // t: words with a larger share of the text are sometimes skipped
};
struct WordPair {
  int64_t centre, other;
};
// All pairs of words at most `window` positions apart, after each word w was left out with the probability
// 1 - sqrt(often / share(w)). (Ibid., eq. 5.)
inline std::vector<WordPair> neighbours_in(const Sentences& sentences, const std::vector<double>& share,
                                           const PairOptions& o, Generator& rng) {
  std::vector<WordPair> pairs;
  for (const auto& sentence : sentences) {
    std::vector<int64_t> kept;
    for (int64_t w : sentence)
      if (rng.uniform() < std::sqrt(o.often / share[static_cast<size_t>(w)])) kept.push_back(w);
    auto n = std::ssize(kept);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = std::max<int64_t>(0, i - o.window); j < std::min(n, i + o.window + 1); ++j)
        if (j != i) pairs.push_back({kept[static_cast<size_t>(i)], kept[static_cast<size_t>(j)]});
  }
  return pairs;
}

// Draws words with a probability proportional to share^power: cumulative sums and a binary search.
class Noise {
 public:
  Noise(const std::vector<double>& share, double power) {
    for (double p : share) sums_.push_back((sums_.empty() ? 0 : sums_.back()) + (p > 0 ? std::pow(p, power) : 0));
  }
  int64_t draw(Generator& rng) const {
    return std::upper_bound(sums_.begin(), sums_.end(), rng.uniform() * sums_.back()) - sums_.begin();
  }

 private:
  std::vector<double> sums_;
};

inline std::vector<double> shares_of(const Text& text) {
  std::vector<double> share(static_cast<size_t>(text.words.size()));
  double one = 1 / static_cast<double>(text.tokens());
  for (const auto& s : text.sentences)
    for (int64_t w : s) share[static_cast<size_t>(w)] += one;
  return share;
}

struct SkipGramTraining {
  std::string name = "skip-gram";
  int64_t epochs = 4, batch = 512, negatives = 5;
  PairOptions pairs = {};
  double rate = 0.01;
};
// Returns the mean loss of each epoch.
inline std::vector<double> learn(SkipGram& model, const Text& text, const Sentences& sentences,
                                 const SkipGramTraining& t, Generator& rng) {
  std::vector<double> share = shares_of(text), losses;
  Noise noise(share, 0.75);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = t.rate});
  Tensor labels = Tensor::zeros({t.batch, 1 + t.negatives});
  for (int64_t b = 0; b < t.batch; ++b) labels.set({b, 0}, 1);
  for (int64_t epoch = 0; epoch < t.epochs; ++epoch) {
    std::vector<WordPair> pairs = neighbours_in(sentences, share, t.pairs, rng);
    rng.shuffle(pairs);
    int64_t steps = std::ssize(pairs) / t.batch;
    nn::Progress progress(steps, {.label = t.name + " epoch " + std::to_string(epoch + 1), .unit = "pairs"});
    double total = 0;
    for (int64_t step = 0; step < steps; ++step) {
      Tensor centres = Tensor::empty({t.batch}, DType::i64),
             words = Tensor::empty({t.batch, 1 + t.negatives}, DType::i64);
      for (int64_t b = 0; b < t.batch; ++b) {
        const WordPair& pair = pairs[static_cast<size_t>(step * t.batch + b)];
        centres.data<int64_t>()[b] = pair.centre;
        int64_t* row = words.data<int64_t>() + b * (1 + t.negatives);
        row[0] = pair.other;
        for (int64_t k = 1; k <= t.negatives; ++k) row[k] = noise.draw(rng);
      }
      double done = static_cast<double>(epoch * steps + step) / static_cast<double>(t.epochs * steps);
      adam.learning_rate = t.rate * (1 - done);
      adam.zero_grad();
      Variable loss = bce_with_logits_loss(model(centres, words), Variable(labels), {.reduction = Reduction::sum}) /
                      static_cast<double>(t.batch);
      backward(loss);
      adam.step();
      total += loss.item();
      progress.step({.loss = loss.item(), .items = t.batch});
    }
    losses.push_back(total / static_cast<double>(steps));
  }
  return losses;
}

}  // namespace heed
