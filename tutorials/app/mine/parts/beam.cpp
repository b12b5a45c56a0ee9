// Exercise 13.2 in the translator: beam search with the trained model. The exercise asks a riddle for log p of the next
// word after any history; here the riddle is answered by the model, one step of the decoder for each new history.
#include <limits>
#include <map>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/text/vocabulary.h"
#include "tutorials/13_search_and_score/exercises/2_beam.h"
#include "tutorials/app/mine/model.h"

namespace heed::app {
namespace {

using text::Vocabulary;
using Ids = Pieces::Ids;

// The states of the decoder after each history of one sentence, so that a longer one costs one step.
class Histories {
 public:
  Histories(const Assembled& model, const Tensor& source, const Tensor& lengths)
      : model_(model), encoded_(model.encode(source, lengths)) {}

  const std::vector<double>& log_p(const Ids& history) { return after(history).log_p; }

 private:
  struct After {
    nn::DecoderState state;
    std::vector<double> log_p;  // [V], -inf for <pad>, <unk> and <s>
  };
  const After& after(const Ids& history) {
    if (auto known = known_.find(history); known != known_.end()) return known->second;
    nn::DecoderState before = encoded_.state;
    if (!history.empty()) before = after({history.begin(), history.end() - 1}).state;
    const int64_t last = history.empty() ? Vocabulary::start : history.back();
    Variable word = model_.embed(Tensor::from(Ids{last}, {1}));
    nn::Step step = model_.step(word, before, encoded_.source);
    std::vector<double> p = log_softmax(model_.logits(step.features)).value().to_vector();
    for (int64_t never : {Vocabulary::pad, Vocabulary::unk, Vocabulary::start})
      p[static_cast<size_t>(never)] = -std::numeric_limits<double>::infinity();
    return known_.emplace(history, After{step.state, std::move(p)}).first->second;
  }
  const Assembled& model_;
  nn::Encoded encoded_;
  std::map<Ids, After> known_;
};

Ids beam_mine(const Assembled& model, const Tensor& source, const Tensor& lengths, int64_t limit, size_t width) {
  NoGrad guard;
  Histories histories(model, source, lengths);
  Riddle riddle{.words = model.target_words() - Vocabulary::specials,
                .answer = [&](const Ids& history) { return histories.log_p(history); }};
  return mine::beam_search(riddle, width, limit).words;
}

void check(Comparison& c) {
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (size_t width : {1U, 2U, 3U, 40U}) {
      Riddle riddle{.words = 3, .seed = seed};
      RiddleSearch model(riddle);
      nn::SearchOptions options{.max_lengths = {4}, .length_penalty = 0};
      nn::Hypothesis wanted = nn::beam_search(model, static_cast<int64_t>(width), options).at(0);
      if (!wanted.finished) continue;  // the two searches treat a sentence at the limit differently
      mine::Partial found = mine::beam_search(riddle, width, 4);
      const std::string name = " that a beam of " + std::to_string(width) + " finds";
      c.value("log p of the sentence" + name, {found.log_p}, {wanted.log_probability}, 1e-6);
      c.value("the sentence" + name, std::vector<double>(found.words.begin(), found.words.end()),
              std::vector<double>(wanted.tokens.begin(), wanted.tokens.end()), 0);
    }
}

void use(Pieces& pieces) { pieces.beam = beam_mine; }

const Registered part({.name = "beam", .exercise = "13.2", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
