// The subject of heed look: a model, the tokens of one text, and the answer of the model to it.
//
//   LookSubject subject("stories260K", {"Once upon a time"}, ..);
//   LookAnswer before = subject.answer();
//   LookAnswer after = subject.answers({{.heads = {{"decoder", 1, 3}}}})[0];    // with that head switched off
//   double moved = change(before, after);                                      // 0: the same answer, 1: another one
//
// The answer is the next word (a decoder), the word in place of a mask, the classes of a text, or the sentence vector,
// the mean of the last layer: look_model.h knows which. A head is switched off by a factor of 0 for its output
// (published::Wanted); a word is hidden by the mask that hides padding, so no other word can read it. An attention is
// "encoder", "decoder" or "cross"; layers, heads and words are counted from 0. T queries, S keys.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutorials/app/look_model.h"
#include "tutorials/report/attention_panels.h"

namespace heed::app {

struct LookHead {
  std::string attention;
  int64_t layer = 0, head = 0;
  bool operator==(const LookHead&) const = default;
};

struct LookAttention {  // all layers of one attention
  std::string name;
  bool causal = false, targets = false, source_keys = false;  // queries, and keys, are words of which side?
  int64_t heads = 0;
  std::vector<Tensor> scores = {}, weights = {};  // of each layer [H, T, S]; scores are -inf where not allowed
  // Of each layer: numbers whose softmax is the weights. The scores or, where the normaliser is no softmax, log w.
  std::vector<Tensor> logits = {};
  bool softmax = true;  // of all layers
};

struct LookWithout {
  std::vector<LookHead> heads = {};
  std::vector<int64_t> source = {}, target = {};  // words that are hidden; a decoder alone has only target words
};

struct LookAnswer {
  std::vector<double> numbers = {};          // probabilities, or the sentence vector
  std::vector<report::Candidate> best = {};  // the five largest probabilities; none of a vector
};

// How far an answer has moved: half the sum of |p - p'|, the share of the probability that has gone to other words; of
// vectors 1 minus their cosine.
double change(const LookAnswer& before, const LookAnswer& after);

class LookSubject {
 public:
  // InputError of one sentence for a folder or a text that cannot be looked at.
  explicit LookSubject(const LookOptions& options);

  const LookModel& model() const { return *model_; }
  const LookWords& source() const { return model_->source; }  // of the encoder; empty for a decoder alone
  const LookWords& target() const { return model_->target; }
  const std::vector<LookAttention>& attentions() const { return attentions_; }
  const LookAttention& attention(const std::string& name) const;
  const nn::published::Answer& seen() const { return seen_; }

  // next_word, masked_words, classes or sentence_vector; in words; the word that asks, or -1: all words together
  const std::string& kind() const { return model_->kind; }
  std::string question() const;
  int64_t asking() const { return model_->asking; }
  bool asks_target() const { return model_->asks_target; }

  LookAnswer answer() const { return answers({LookWithout{}}).front(); }
  std::vector<LookAnswer> answers(const std::vector<LookWithout>& each) const;

  // After each layer what the words head makes of it: [layer][word], the final norm applied. Empty without such a head.
  std::vector<std::vector<std::vector<report::Candidate>>> lens(int64_t most) const;

  std::string name_of(const LookHead& head) const;  // "3.2", or "cross:3.2" where there are several attentions

 private:
  void read();
  nn::published::Inputs inputs(const std::vector<LookWithout>& each, size_t begin, size_t end) const;
  std::vector<report::Candidate> best_of(const double* p, int64_t count, int64_t most) const;
  std::vector<LookAnswer> some(const std::vector<LookWithout>& each, size_t begin, size_t end) const;

  std::unique_ptr<LookModel> model_;
  std::vector<LookAttention> attentions_;
  nn::published::Answer seen_;
};

}  // namespace heed::app
