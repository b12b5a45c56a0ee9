#include "tutorials/app/mine/model.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/recurrent/gru.h"
#include "nn/text/bleu.h"
#include "nn/text/vocabulary.h"
#include "tensor/elementwise.h"
#include "tutorials/app/mine/transformer_pieces.h"

namespace heed::app {
namespace {

using text::Vocabulary;
using Ids = Pieces::Ids;

// Additive attention for all sentences of the batch at once (Bahdanau, Cho and Bengio, ICLR 2015, appendix A.1.2):
//   e_bs = v . tanh(W_q q_b + W_k h_bs)        w = softmax(e), 0 for padding        c_b = sum_s w_bs h_bs
nn::Attended additive(const Pieces& p, const Lookup& look) {
  Variable query = unsqueeze(linear_of(p, look.query, look.W_q, {}), 1);  // [B, 1, D]
  Variable hidden = tanh(p.add(look.keys, query));                        // [B, S, D]
  Variable scores = squeeze(p.product(hidden, unsqueeze(look.v, 1)), 2);  // [B, S]
  scores = masked_fill(scores, logical_not(look.allowed), -std::numeric_limits<double>::infinity());
  Variable weights = p.softmax(scores);  // [B, S]
  return {squeeze(matmul(unsqueeze(weights, 1), look.values), 1), weights};
}

ForcedRow force(const Ids& symbols, size_t T) {
  ForcedRow row{Ids(T, Vocabulary::pad), Ids(T, Vocabulary::pad), Ids(T, 0)};
  row.input[0] = Vocabulary::start;
  std::copy(symbols.begin(), symbols.end(), row.input.begin() + 1);
  std::copy(symbols.begin(), symbols.end(), row.target.begin());
  row.target[symbols.size()] = Vocabulary::stop;
  std::fill_n(row.mask.begin(), symbols.size() + 1, 1);
  return row;
}

Ids greedy(const Assembled& model, const Tensor& source, const Tensor& lengths, int64_t limit) {
  return nn::greedy(*model.search(source, lengths), {.max_lengths = {limit}}).at(0).tokens;
}

Ids beam(const Assembled& model, const Tensor& source, const Tensor& lengths, int64_t limit, size_t width) {
  nn::SearchOptions options{.max_lengths = {limit}, .length_penalty = 0, .allow_unknown = false};
  return nn::beam_search(*model.search(source, lengths), static_cast<int64_t>(width), options).at(0).tokens;
}

Pieces::Update adam(const std::vector<NamedVariable>& parameters) {
  auto optimiser = std::make_shared<nn::Adam>(parameters, nn::Adam::Options{});
  return [optimiser](double learning_rate) {
    optimiser->learning_rate = learning_rate;
    optimiser->step();
  };
}

std::string joined(const Pieces::Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

double sentence_bleu(const Pieces::Words& hypothesis, const Pieces::Words& reference) {
  text::BleuScore score = text::bleu({joined(hypothesis)}, {joined(reference)}, {.tokens = text::BleuTokens::none});
  return std::ranges::count(score.matches, 0) == 0 ? score.bleu : 0;  // the library smooths an order without a match
}

Variable linear_of(const Pieces& pieces, const Variable& x, const Variable& W, const Variable& b) {
  Variable y = pieces.product(x, transpose(W, 0, 1));
  return b.defined() ? pieces.add(y, b) : y;
}

Pieces library_pieces() {
  Pieces p;
  p.product = [](const Variable& x, const Variable& w) { return matmul(x, w); };
  p.add = [](const Variable& x, const Variable& b) { return x + b; };
  p.softmax = [](const Variable& e) { return softmax(e, -1); };
  p.log_p = [](const Variable& x) { return x; };  // the loss and the searches normalise
  p.gru = [](const Variable& a, const Variable& b, const Variable& h) { return nn::gru_gates(a, b, h); };
  p.attend = additive;
  p.loss = [](const Variable& logits, const Tensor& targets) {
    return cross_entropy(logits, targets, {.ignore_index = Vocabulary::pad});
  };
  p.clip = [](const std::vector<NamedVariable>& parameters, double limit) { nn::clip_grad_norm(parameters, limit); };
  p.optimiser = adam;
  p.force = force;
  p.greedy = greedy;
  p.beam = beam;
  p.bleu = sentence_bleu;
  add_transformer_pieces(p);
  return p;
}

}  // namespace heed::app
