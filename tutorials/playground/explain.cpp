// One number of the page down to its multiply-adds, and its gradient.
//
//   score        e_s = sum_a v_a tanh(q_a + k_sa)            nn/attention/scores/additive_score.cpp
//   weight       w_s = exp(e_s - m) / sum_r exp(e_r - m)     nn/attention/normalisers/softmax.h; m the largest score
//   context      c_j = sum_s w_s h_sj                        nn/attention/attend.cpp
//   probability  p_i = exp(o_i) / sum_v exp(o_v), o_i = sum_f W_if r_f + b_i     nn/models/bahdanau.cpp
//
// The gradient is that of log p of the word that the decoder wrote at this step: by how much log p grows when the
// number grows by one. The terms are computed here, one by one, from the numbers that the engine used; `total` is what
// the engine itself computed, so that the page can show that the sum agrees.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/attention/scores/additive.h"
#include "tensor/reduce.h"
#include "tutorials/playground/engine.h"

namespace heed::playground {
namespace {

// "the sum of `terms`, each a product": name, left, right.
struct Terms {
  io::Json rows = io::Json::array();
  double sum = 0;
  void add(const std::string& name, double left, double right) {
    io::Json row = io::Json::object({});
    row.set("name", name), row.set("left", left), row.set("right", right), row.set("product", left * right);
    rows.push(row);
    sum += left * right;
  }
};

double gradient_at(const Variable& log_p, const Variable& of, std::initializer_list<int64_t> index, bool* known) {
  *known = false;
  if (!of.requires_grad()) return 0;
  auto found = grad({log_p}, {of}, {.retain_graph = true, .allow_unused = true});
  if (!found[0].defined()) return 0;
  *known = true;
  return found[0].value().at(index);
}

}  // namespace

io::Json Playground::explain(const std::string& sentence, const std::vector<Forced>& forced, const Question& q) const {
  std::vector<std::string> words, unknown;
  auto source = ids(sentence, &words, &unknown);
  words.push_back("</s>");
  nn::Source read;
  std::vector<Step> steps = decode(source, forced, q.step + 1, &read);
  if (q.step < 0 || q.step >= static_cast<int64_t>(steps.size()))
    throw ValueError(fmt::format("explain: step must be in [0, {}); got {}", steps.size(), q.step));
  nn::Evaluating evaluating;
  const Step& s = steps.back();
  auto S = static_cast<int64_t>(source.size());
  int64_t size = q.kind == "probability" ? target_.size() : q.kind == "context" ? s.context.size(1) : S;
  if (q.at < 0 || q.at >= size)
    throw ValueError(fmt::format("explain: the place of a {} must be in [0, {}); got {}", q.kind, size, q.at));
  Variable log_p = select(select(s.log_p, 0, 0), 0, s.word);
  Terms terms;
  io::Json out = io::Json::object({});
  bool known = false;
  double value = 0, total = 0, gradient = 0;
  if (q.kind == "score") {
    const auto& score = dynamic_cast<const nn::AdditiveScore&>(*model_->attention.score);
    Tensor query = score.query(s.query).value(), v = score.v.value(), keys = read.keys.value();
    for (int64_t a = 0; a < v.size(0); ++a)
      terms.add(fmt::format("a = {}", a), v.at({a}), std::tanh(query.at({0, a}) + keys.at({0, q.at, a})));
    value = total = s.scores.value().at({0, 0, q.at});
    gradient = gradient_at(log_p, s.scores, {0, 0, q.at}, &known);
  } else if (q.kind == "weight") {
    Tensor e = s.scores.value();
    double largest = amax(e).item(), below = 0;
    for (int64_t r = 0; r < S; ++r) below += std::exp(e.at({0, 0, r}) - largest);
    for (int64_t r = 0; r < S; ++r) terms.add(words[static_cast<size_t>(r)], std::exp(e.at({0, 0, r}) - largest), 1);
    out.set("above", std::exp(e.at({0, 0, q.at}) - largest)), out.set("below", below), out.set("largest", largest);
    value = s.weights.value().at({0, 0, q.at});
    total = below;
    gradient = gradient_at(log_p, s.weights, {0, 0, q.at}, &known);
  } else if (q.kind == "context") {
    for (int64_t r = 0; r < S; ++r)
      terms.add(words[static_cast<size_t>(r)], s.weights.value().at({0, 0, r}), read.values.value().at({0, r, q.at}));
    value = total = s.context.value().at({0, q.at});
    gradient = gradient_at(log_p, s.context, {0, q.at}, &known);
  } else {
    const nn::Linear& words_of = model_->output;
    Tensor r = model_->hidden(s.features).value();
    for (int64_t f = 0; f < r.size(1); ++f)
      terms.add(fmt::format("f = {}", f), words_of.weight.value().at({q.at, f}), r.at({0, f}));
    terms.add("bias", words_of.bias.value().at({q.at}), 1);
    total = s.logits.value().at({0, q.at});
    value = std::exp(s.log_p.value().at({0, q.at}));
    double normaliser = total - s.log_p.value().at({0, q.at});  // log sum_v exp(o_v)
    out.set("log_normaliser", normaliser), out.set("name", target_.token(q.at));
    gradient = gradient_at(log_p, s.logits, {0, q.at}, &known);
  }
  out.set("kind", q.kind), out.set("value", value), out.set("total", total), out.set("sum", terms.sum);
  out.set("terms", terms.rows), out.set("forced", s.forced);
  if (known) out.set("gradient", gradient);
  out.set("word", s.word == text::Vocabulary::stop ? "</s>" : target_.token(s.word));
  return out;
}

}  // namespace heed::playground
