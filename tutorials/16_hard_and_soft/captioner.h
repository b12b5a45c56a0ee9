// A captioner: a decoder that writes a sentence about a picture and attends to the picture before each word (a small
// version of Xu et al. 2015).
//
//   a_s = tanh(W [patch_s; row_s; column_s])            encoded patches ("annotations")         [B, S, D]
//   w_t = softmax(score(h_{t-1}, a))                    attention weights                       [B, S]
//   c_t = read(w_t, a)                                  context; the only difference, see below [B, D]
//   h_t = GRU([E y_{t-1}; c_t], h_{t-1}),  h_0 = 0      [B, N]
//   log p(y_t | ..) = log softmax(W_o [h_t; c_t])       [B, V]
//
//   soft       sum_s w_ts a_s
//   reinforce  a_z, z drawn from w_t; trained with the score-function estimator
//   gumbel     a_z, z drawn from w_t; trained with the derivative of the soft weights (straight-through)
//   uniform    the mean of all a_s: the control, which has no attention
//
// The decoder receives the picture through c_t only: h_0 = 0. (In the paper, h_0 is computed from the mean of all a_s.)
// B pictures, S patches, T words.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/attention/normalisers/hard.h"
#include "nn/attention/readers/hard.h"
#include "nn/attention/scores/additive.h"
#include "nn/data/tasks/pictures.h"
#include "nn/layers.h"
#include "nn/recurrent/gru.h"
#include "tensor/indexing.h"

namespace hard_soft {

namespace nn = heed::nn;
using heed::Tensor, heed::Variable;

struct CaptionerOptions {
  int64_t vocabulary, channels;
  int64_t annotation = 32, hidden = 64;
  std::string reading = "soft";
  double sometimes_soft = 0;              // reinforce: the share of readings that take the weighted mean
  double temperature = 1;                 // gumbel
  nn::NormaliserOptions normaliser = {};  // of the scores; all but gumbel, which has its own
};

// The position of each patch of the grid: its row and its column, one-hot. [64, 16]
inline Tensor places() {
  constexpr int64_t side = heed::data::kPictureSide;
  Tensor out = Tensor::zeros({side * side, 2 * side});
  for (int64_t s = 0; s < side * side; ++s) {
    out.set({s, s / side}, 1);
    out.set({s, side + s % side}, 1);
  }
  return out;
}

struct Captioner : nn::Module {
  using Options = CaptionerOptions;
  Captioner(const Options& o, heed::Generator& rng)
      : options(o),
        annotate({.in = o.channels + 2 * heed::data::kPictureSide, .out = o.annotation}, rng),
        attention(
            {.score = nn::chosen<nn::AdditiveScore>({.width = o.annotation}, {.query = o.hidden, .key = o.annotation}),
             .normaliser = o.reading == "gumbel" ? nn::chosen<nn::GumbelNormaliser>({.temperature = o.temperature})
                                                 : o.normaliser},
            rng),
        reader({.soft = o.sometimes_soft}, rng),
        embedding({.vocabulary = o.vocabulary, .width = o.annotation}, rng),
        cell({.input = 2 * o.annotation, .hidden = o.hidden}, rng),
        say({.in = o.hidden + o.annotation, .out = o.vocabulary}, rng) {}

  Variable annotations(const Tensor& patches) const {  // [B, 64, C] -> [B, 64, D]
    Tensor where = places().to(patches.dtype()).unsqueeze(0).expand({patches.size(0), 64, 16});
    return tanh(annotate(Variable(heed::concat(std::vector{patches, where}, -1))));
  }

  // One step: the logits of the word after y, and the attention weights.
  struct Step {
    Variable logits = {}, h = {};  // [B, V], [B, N]
    Variable log_probability;      // [B], of the drawn patch; 0 if nothing was drawn
    Variable entropy;              // [B], of the weights
    Tensor weights;                // [B, S], the attention weights before a patch is drawn
  };
  // chosen [B]: read this patch instead of drawing one (reinforce); for the exact expectation.
  Step step(const nn::Memory& memory, const Tensor& y, const Variable& h, const Tensor& chosen = {}) const {
    nn::Attended seen = attention(unsqueeze(h, 1), memory);  // weights [B, 1, S]
    Variable zero(Tensor::zeros({y.size(0)}, h.dtype()));
    Step out{.log_probability = zero, .entropy = zero, .weights = seen.weights.value().select(1, 0)};
    Variable context = seen.context;  // [B, 1, D]
    if (options.reading == "uniform") context = mean(memory.values, {1}, true);
    if (options.reading == "reinforce") {
      nn::HardRead read = chosen.defined() ? nn::read_chosen(seen.weights, memory.values, chosen.unsqueeze(1))
                                           : reader(seen.weights, memory.values);
      context = read.context;
      out.log_probability = squeeze(read.log_probability, 1);
      out.entropy = squeeze(read.entropy, 1);
    }
    Variable c = squeeze(context, 1);  // [B, D]
    out.h = cell(heed::concat({embedding(y), c}, 1), h);
    out.logits = say(heed::concat({out.h, c}, 1));
    return out;
  }

  nn::Memory look(const Variable& a) const { return attention.remember(a, a); }
  Variable start(const Variable& a) const { return Variable(Tensor::zeros({a.size(0), options.hidden}, a.dtype())); }

  void visit(nn::Visitor& v) {
    v.child("annotate", annotate);
    v.child("attention", attention);
    v.child("reader", reader);
    v.child("embedding", embedding);
    v.child("cell", cell);
    v.child("say", say);
  }
  Options options;
  nn::Linear annotate;
  nn::Attention attention;
  nn::HardReader reader;
  nn::Embedding embedding;
  nn::GRUCell cell;
  nn::Linear say;
};

// The likelihood of a given caption, word by word (teacher forcing).
struct Told {
  Variable log_likelihood;            // [B], log p(y | z), without the padding
  Variable log_probability, entropy;  // [B, T], of the drawn patches; 0 after the end of a caption
  std::vector<Tensor> weights;        // T of [B, S]
};
constexpr int64_t kPad = 0;

inline Told tell(const Captioner& m, const Variable& a, const Tensor& target_in, const Tensor& target_out,
                 const Tensor& chosen = {}) {  // chosen [B, T]
  nn::Memory memory = m.look(a);
  Variable h = m.start(a);
  std::vector<Variable> logits, log_z, entropy;
  Told out;
  for (int64_t t = 0; t < target_in.size(1); ++t) {
    auto s = m.step(memory, target_in.select(1, t).contiguous(), h,
                    chosen.defined() ? chosen.select(1, t).contiguous() : Tensor());
    h = s.h;
    logits.push_back(s.logits);
    log_z.push_back(s.log_probability);
    entropy.push_back(s.entropy);
    out.weights.push_back(s.weights);
  }
  Tensor over = equal(target_out, kPad);  // [B, T]
  Variable nll = cross_entropy(stack(logits, 1), target_out,
                               {.ignore_index = kPad, .reduction = heed::Reduction::none});  // [B, T]
  out.log_likelihood = -sum(nll, {1});
  out.log_probability = masked_fill(stack(log_z, 1), over, 0);
  out.entropy = masked_fill(stack(entropy, 1), over, 0);
  return out;
}

}  // namespace hard_soft
