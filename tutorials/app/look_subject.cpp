#include "tutorials/app/look_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/observe.h"

namespace heed::app {

namespace published = nn::published;

namespace {

constexpr int64_t kRows = 32, kTokens = 1024;  // of one pass: texts, and their tokens

// The largest difference between the rows of weights and the softmax of the scores [H, T, S]. InputError for weights
// that are no shares.
double off_softmax(const Tensor& weights, const Tensor& scores, const std::string& where) {
  const int64_t S = weights.size(2), rows = weights.count() / S;
  double far = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const float *w = weights.data<float>() + row * S, *e = scores.defined() ? scores.data<float>() + row * S : nullptr;
    const double all = std::accumulate(w, w + S, 0.0);
    if (!(std::fabs(all - 1) <= 1e-3) || *std::min_element(w, w + S) < 0)
      throw InputError(fmt::format(
          "look: each row of a head's weights must be shares that sum to 1; got a sum of {:.3g} in {}", all, where));
    if (!e) continue;
    const float top = *std::max_element(e, e + S);
    double sum = 0;
    for (int64_t s = 0; s < S; ++s) sum += std::exp(static_cast<double>(e[s] - top));
    for (int64_t s = 0; s < S; ++s)
      far = std::max(far, std::fabs(std::exp(static_cast<double>(e[s] - top)) / sum - w[s]));
  }
  return scores.defined() ? far : 1;
}

}  // namespace

double change(const LookAnswer& a, const LookAnswer& b) {
  double sum = 0, aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    const double x = a.numbers[i], y = b.numbers[i];
    sum += std::fabs(x - y), aa += x * x, bb += y * y, ab += x * y;
  }
  if (!a.best.empty()) return sum / 2;
  return aa > 0 && bb > 0 ? 1 - ab / std::sqrt(aa * bb) : 0;
}

LookSubject::LookSubject(const LookOptions& options) : model_(look_model(options)) { read(); }

void LookSubject::read() {
  NoGrad guard;
  const bool encoder = source().size() > 0, decoder = target().size() > 0;
  const bool layered = !model_->recurrent;
  if (encoder && layered)
    attentions_.push_back({.name = "encoder", .source_keys = true, .heads = model_->encoder_heads});
  if (decoder) {
    const int64_t heads = model_->decoder_heads;
    if (layered) attentions_.push_back({.name = "decoder", .causal = true, .targets = true, .heads = heads});
    if (encoder) attentions_.push_back({.name = "cross", .targets = true, .source_keys = true, .heads = heads});
  }
  nn::Observe observe([this](const nn::AttentionSeen& seen) {
    const std::string name = model_->attention_of(seen.module);
    for (LookAttention& one : attentions_) {
      if (one.name != name) continue;
      auto first = [](const Tensor& x) { return x.defined() ? x.select(0, 0).to(DType::f32).contiguous() : x; };
      const Tensor weights = first(seen.weights), scores = first(seen.scores);
      const bool softmax =
          off_softmax(weights, scores, fmt::format("layer {} of the {}", one.weights.size(), name)) <= 1e-3;
      const Tensor logits = softmax ? scores : log(weights);
      one.softmax = one.softmax && softmax;
      one.weights.push_back(weights), one.logits.push_back(logits);
      one.scores.push_back(scores.defined() ? scores : logits);
    }
  });
  const std::vector<LookWithout> whole(1);
  seen_ = model_->read(inputs(whole, 0, 1), {.weights = true});
}

const LookAttention& LookSubject::attention(const std::string& name) const {
  for (const LookAttention& one : attentions_)
    if (one.name == name) return one;
  throw InputError(fmt::format("look: the model has no attention of this name; got {}", name));
}

std::string LookSubject::question() const {
  if (kind() == "next_word") return fmt::format("Which word comes after “{}”?", target().shown.back());
  if (kind() == "masked_words")
    return fmt::format("Which word stands in the place of {}?", source().shown[static_cast<size_t>(asking())]);
  if (kind() == "classes") return "Which class does the text have?";
  return "Where does the sentence vector point, the mean of the last layer?";
}

published::Inputs LookSubject::inputs(const std::vector<LookWithout>& each, size_t begin, size_t end) const {
  const auto B = static_cast<int64_t>(end - begin);
  auto mask_of = [&](const LookWords& words, std::vector<int64_t> LookWithout::*hidden) {
    Tensor mask;
    for (size_t i = begin; i < end; ++i)
      for (int64_t word : each[i].*hidden) {
        if (!mask.defined()) mask = Tensor::ones({B, words.size()}, DType::boolean);
        mask.data<bool>()[static_cast<int64_t>(i - begin) * words.size() + word] = false;
      }
    return mask;
  };
  const bool encoder = source().size() > 0;
  const LookWords& own = encoder ? source() : target();
  published::Inputs in{.ids = same_rows(own.ids, B)};
  in.mask = mask_of(own, encoder ? &LookWithout::source : &LookWithout::target);
  in.kinds = same_rows(own.kinds, B);
  if (encoder && target().size() > 0) {
    in.target_ids = same_rows(target().ids, B);
    in.target_mask = mask_of(target(), &LookWithout::target);
  }
  return in;
}

std::vector<report::Candidate> LookSubject::best_of(const double* p, int64_t count, int64_t most) const {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto n = static_cast<std::ptrdiff_t>(std::min(most, count));
  std::partial_sort(order.begin(), order.begin() + n, order.end(),
                    [p](int64_t a, int64_t b) { return p[a] != p[b] ? p[a] > p[b] : a < b; });
  std::vector<report::Candidate> best;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    best.push_back({model_->label(order[static_cast<size_t>(i)]), p[order[static_cast<size_t>(i)]]});
  return best;
}

std::vector<LookAnswer> LookSubject::answers(const std::vector<LookWithout>& each) const {
  const int64_t tokens = std::max<int64_t>(source().size() + target().size(), 1);
  const auto rows = static_cast<size_t>(std::clamp(kTokens / tokens, int64_t{1}, kRows));
  std::vector<LookAnswer> all;
  for (size_t begin = 0; begin < each.size(); begin += rows) {
    auto answers = some(each, begin, std::min(each.size(), begin + rows));
    std::move(answers.begin(), answers.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<LookAnswer> LookSubject::some(const std::vector<LookWithout>& each, size_t begin, size_t end) const {
  NoGrad guard;
  const auto B = static_cast<int64_t>(end - begin);
  published::Wanted wanted;
  for (size_t i = begin; i < end; ++i)
    for (const LookHead& off : each[i].heads) {
      const LookAttention& of = attention(off.attention);
      nn::published::HeadFactors& factors = of.name == "encoder" ? wanted.encoder
                                            : of.name == "cross" ? wanted.cross
                                                                 : wanted.decoder;
      factors.resize(of.weights.size());
      Variable& factor = factors[static_cast<size_t>(off.layer)];
      if (!factor.defined()) factor = Variable(Tensor::ones({B, of.heads}, DType::f32));
      Tensor(factor.value()).set({static_cast<int64_t>(i - begin), off.head}, 0);
    }
  const published::Inputs in = inputs(each, begin, end);
  const published::Answer seen = model_->read(in, wanted);
  const Variable& x = seen.of_heads().last();  // [B, T, D]
  Variable numbers;
  if (kind() == "sentence_vector") {
    const Tensor words = (in.mask.defined() ? in.mask : Tensor::ones({B, x.size(1)}, DType::boolean)).to(x.dtype());
    const Variable shown(words.unsqueeze(2));  // [B, T, 1]
    numbers = sum(x * shown, {1}) / sum(shown, {1});
  } else {
    numbers = softmax(model_->logits(seen), -1);  // [B, V]
  }
  const std::vector<double> all = numbers.value().to_vector();
  const auto width = static_cast<std::ptrdiff_t>(numbers.size(1));
  std::vector<LookAnswer> out;
  for (std::ptrdiff_t b = 0; b < B; ++b) {
    LookAnswer one{.numbers = {all.begin() + b * width, all.begin() + (b + 1) * width}};
    if (kind() != "sentence_vector") one.best = best_of(one.numbers.data(), width, 5);
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<std::vector<std::vector<report::Candidate>>> LookSubject::lens(int64_t most) const {
  NoGrad guard;
  const std::vector<Variable>& hidden = seen_.of_heads().hidden;
  std::vector<std::vector<std::vector<report::Candidate>>> out;
  for (size_t layer = 0; layer < hidden.size(); ++layer) {
    out.emplace_back();
    for (int64_t t = 0, T = hidden[layer].size(1); t < T; t += 32) {  // a table of V columns: few words at a time
      const Variable words =
          model_->words_of(slice(hidden[layer], 1, t, std::min(t + 32, T)), layer + 1 == hidden.size());
      if (!words.defined()) return {};
      const Tensor p = softmax(words, -1).value();
      const std::vector<double> all = p.to_vector();
      for (int64_t i = 0; i < p.size(1); ++i)
        out.back().push_back(best_of(all.data() + i * p.size(2), p.size(2), most));
    }
  }
  return out;
}

std::string LookSubject::name_of(const LookHead& head) const {
  return fmt::format("{}{}.{}", attentions_.size() > 1 ? head.attention + ":" : "", head.layer, head.head);
}

}  // namespace heed::app
