// The translator of the playground: what the page and the command-line tool call, natively and in WebAssembly.
//
//   Playground p({.sentences = 12000});         the toy grammar's English-French pairs and an untrained model
//   p.load(f16 numbers)                        or p.train(10): ten more steps
//   p.translate("the dog sleeps", {})          greedy decoding, with every weight and score, as JSON
//   p.explain("the dog sleeps", {}, {..})      one number down to its multiply-adds and its gradient, as JSON
//
// The model is that of lesson 12: Bahdanau, Cho and Bengio, ICLR 2015. B batch (here 1), S source words with </s>, A
// width of a score's hidden layer, V vocabulary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/data/alignment.h"
#include "nn/data/batches.h"
#include "nn/io/json.h"
#include "nn/models/bahdanau.h"
#include "nn/text/vocabulary.h"
#include "nn/train/fit.h"

namespace heed::playground {

struct Options {
  int sentences = 12000;
  int64_t epochs = 6, batch_size = 32, embedding = 32, hidden = 64;
  double learning_rate = 5e-3;
  uint64_t seed = 1;
};

// At step t the weights become (1 - share) w + share on source word s: with share 1 the decoder sees that word alone.
struct Forced {
  int64_t step = 0, source = 0;
  double share = 1;
};

// Which number to explain: kind is weight, score, context or probability; `at` a source word, a component of the
// context, or the id of a target word.
struct Question {
  std::string kind;
  int64_t step = 0, at = 0;
};

// What a step of greedy decoding leaves behind, each a handle into the graph.
struct Step {
  Variable query, scores, weights, context, features, logits, log_p;  // [1, ..]
  int64_t word = 0;
  bool forced = false;
};

class Playground {
 public:
  explicit Playground(const Options& options);
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  io::Json translate(const std::string& sentence, const std::vector<Forced>& forced) const;
  io::Json explain(const std::string& sentence, const std::vector<Forced>& forced, const Question& question) const;
  io::Json examples() const;
  io::Json train(int64_t steps);  // of FitRun, the trainer of the lessons
  io::Json alignment() const;     // of the agreement sentence, by teacher forcing, beside the gold links
  double exact(int64_t pairs) const;

  std::vector<uint16_t> save() const;  // all parameters as f16, in the order of named_parameters
  void load(const std::vector<uint16_t>& numbers);

 private:
  std::vector<int64_t> ids(const std::string& sentence, std::vector<std::string>* words,
                           std::vector<std::string>* unknown) const;
  std::vector<Step> decode(const std::vector<int64_t>& source, const std::vector<Forced>& forced, int64_t limit,
                           nn::Source* read) const;

  Options options_;
  std::vector<data::AlignedPair> samples_;
  data::AlignedPair agreement_;
  text::Vocabulary source_, target_;
  std::vector<data::EncodedPair> train_, valid_;
  std::vector<std::vector<std::string>> test_source_, test_target_;
  std::unique_ptr<nn::Bahdanau> model_;
  std::unique_ptr<nn::FitRun> run_;
};

uint16_t narrow_f16(float x);  // rounds to the nearest, ties to even

}  // namespace heed::playground
