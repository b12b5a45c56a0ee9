// How good a language model is: its loss on new sentences compared with the entropy of the grammar, the agreement of
// its verbs, and the sentences that it generates.
#pragma once

#include "nn/decode/sampling.h"
#include "tutorials/27_decoder/counts.h"

namespace speaking {

// The mean -log p of sampled sentences under the grammar itself, in nats per word.
inline double drawn_entropy(const Grammar& g, const Sentences& sentences) {
  double total = 0;
  for (const auto& s : sentences) total -= g.log_p(s);
  return total / static_cast<double>(words_of(sentences));
}

struct Speaker {
  std::string name;
  double loss;  // on the test sentences, nats per word
  double late;  // probability given to grammatical words at late verbs, in %
};

// Late verbs are separated from their noun: "the dog that the cats see ..". How much probability does a model give to
// the words that the grammar allows there?
template <class P>  // (sentence, position, word) -> probability
double late_verbs(const Grammar& g, const Sentences& test, const P& p) {
  double share = 0, places = 0;
  for (size_t s = 0; s < test.size(); ++s)
    for (size_t i = 0; i < test[s].size(); ++i) {
      Grammar::Next next = g.next(test[s], i);
      if (next.what != "VerbOne" && next.what != "VerbMany") continue;
      ++places;
      for (size_t w = 0; w < next.p.size(); ++w)
        if (next.p[w] > 0) share += p(s, i, static_cast<int64_t>(w));
    }
  return 100 * share / places;
}

inline Speaker judged(const std::string& name, const LanguageModel& m, const Grammar& g, const Sentences& test) {
  heed::NoGrad guard;
  Tensor p = softmax(m(lines_of(test).in)).value();  // [B, T, V]
  return {name, mean_loss(m, test), late_verbs(g, test, [&](size_t s, size_t i, int64_t w) {
            return p.at({static_cast<int64_t>(s), static_cast<int64_t>(i), w});
          })};
}

inline std::vector<Speaker> counting(const Grammar& g, const Sentences& test, const Training& t) {
  std::vector<Speaker> out;
  for (int64_t order : {1, 2, 3, 5}) {
    Counts counts(order, g.words().classes() + 1);
    heed::Generator dice(t.seed, 1ull << 40);  // the same sentences that the transformers are trained on
    for (int64_t i = 0; i < t.steps * t.batch; ++i) counts.add(g.draw(dice));
    out.push_back({fmt::format("counting, {} in a row", order), counts.mean_loss(test),
                   late_verbs(g, test, [&](size_t s, size_t i, int64_t w) { return counts.p(test[s], i, w); })});
  }
  return out;
}

inline std::vector<nn::Hypothesis> written(const LanguageModel& m, int64_t n, nn::SampleOptions o, uint64_t seed) {
  nn::LanguageModelSearch search(m, std::vector<std::vector<int64_t>>(static_cast<size_t>(n)));
  o.max_lengths.assign(static_cast<size_t>(n), 40);
  heed::Generator dice(seed, 1ull << 45);
  return nn::sample(search, o, dice);
}

struct Quality {
  double right = 0;     // grammatical sentences, in %
  double distinct = 0;  // distinct sentences, in %
  double surprise = 0;  // mean -log p of the grammatical ones, nats per word
};
inline Quality quality(const Grammar& g, const std::vector<nn::Hypothesis>& all) {
  Quality q;
  std::map<std::vector<int64_t>, int> seen;
  double words = 0, right = 0;
  for (const nn::Hypothesis& h : all) {
    std::vector<int64_t> s = h.tokens;
    s.push_back(Vocabulary::stop);
    ++seen[s];
    double log_p = h.finished ? g.log_p(s) : -INFINITY;
    if (!std::isfinite(log_p)) continue;
    ++right, words += static_cast<double>(s.size()), q.surprise -= log_p;
  }
  auto n = static_cast<double>(all.size());
  q.right = 100 * right / n, q.distinct = 100 * static_cast<double>(seen.size()) / n;
  if (words > 0) q.surprise /= words;
  return q;
}

struct Unmasked {
  double loss, honest, right;  // test loss without the mask; with the mask; grammatical, in %
};
inline Unmasked without_mask(const Grammar& g, const Sentences& test, const Training& t,
                             const nn::TransformerOptions& options, std::vector<double>& losses) {
  heed::Generator rng(t.seed);
  LanguageModel m(options, rng);
  set_scope(m, "global", rng);
  losses = learn(m, "without the mask", g, t);
  Unmasked out{.loss = mean_loss(m, test), .honest = 0, .right = 0};
  set_scope(m, "causal", rng);
  out.honest = mean_loss(m, test);
  out.right = quality(g, written(m, 200, {}, t.seed)).right;
  return out;
}

}  // namespace speaking
