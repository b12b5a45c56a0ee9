#include "nn/train/published_fit.h"

#include <algorithm>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

using data::Batch;
using data::EncodedPair;
using published::Inputs;
using published::Model;

constexpr int64_t kIgnored = -100;

// Rows of a batch whose padding is the model's own token: places of RoBERTa count what is not this token.
Inputs inputs_of(const Batch& b, int64_t pad) {
  const int64_t B = b.source.size(0), S = b.source.size(1);
  Tensor ids = b.source.clone(), mask = Tensor::zeros({B, S}, DType::boolean);
  for (int64_t i = 0; i < B; ++i)
    for (int64_t s = 0, n = b.lengths.data<int64_t>()[i]; s < S; ++s) {
      mask.data<bool>()[i * S + s] = s < n;
      if (s >= n) ids.data<int64_t>()[i * S + s] = pad;
    }
  return {.ids = ids, .mask = mask};
}

// The parameters that are trained, under their names.
Part trained_part(const std::vector<NamedVariable>& parameters) {
  detail::Collector c;
  c.parameters = parameters;
  return {"model", [c] { return detail::save(c); },
          [c](const io::SafeTensors& s, const std::string& what) { detail::load(c, s, what); }};
}

FitModel fit_published(Model& model, const PublishedFit& o, std::function<Variable(const Batch&)> loss) {
  FitModel fit;
  fit.parameters = o.lora ? o.lora->trained() : named_parameters(model);
  fit.set_training = [&model](bool training) { set_training(model, training); };
  fit.parts = Parts{trained_part(fit.parameters), generators_part("generators", model)};
  fit.loss = [loss = std::move(loss), lora = o.lora](const Batch& b) {
    if (lora) lora->apply();
    return loss(b);
  };
  return fit;
}

}  // namespace

FitModel fit_masked_words(Model& model, const data::MaskingOptions& masking, const PublishedFit& o) {
  FitModel fit = fit_published(model, o, [&model, pad = o.pad](const Batch& b) {
    const published::Answer seen = model.read(inputs_of(b, pad));
    const Variable& x = seen.of_heads().last();  // [B, S, D]
    const Variable asked = index_select(reshape(x, {-1, x.size(2)}), b.target_in);
    return cross_entropy((*model.head("masked_words"))(asked), b.target_out);  // [N, V]
  });
  fit.batch = [masking](const std::vector<EncodedPair>& texts, const std::vector<int64_t>& members,
                        const std::vector<int64_t>& whole, int64_t epoch) {
    return data::masked_batch(texts, members, masking, epoch, data::widths_of(texts, whole));
  };
  return fit;
}

FitModel fit_next_word(Model& model, const PublishedFit& o) {
  FitModel fit = fit_published(model, o, [&model, pad = o.pad](const Batch& b) {
    const Inputs whole = inputs_of(b, pad);
    const int64_t B = whole.ids.size(0), T = whole.ids.size(1) - 1;
    const Tensor in = whole.ids.slice(1, 0, T).contiguous(), next = whole.mask.slice(1, 1, T + 1).contiguous();
    Tensor words = whole.ids.slice(1, 1, T + 1).contiguous().clone();
    for (int64_t i = 0; i < B * T; ++i)
      if (!next.data<bool>()[i]) words.data<int64_t>()[i] = kIgnored;
    const Variable logits = model.logits("next_word", model.read({.ids = in, .mask = next}));  // [B, T, V]
    return cross_entropy(logits, words, {.ignore_index = kIgnored});
  });
  fit.batch = [](const std::vector<EncodedPair>& windows, const std::vector<int64_t>& members,
                 const std::vector<int64_t>& whole, int64_t) {
    Batch b = data::make_batch(windows, members, data::widths_of(windows, whole));
    b.tokens = 0;
    for (int64_t i = 0; i < b.lengths.count(); ++i) b.tokens += b.lengths.data<int64_t>()[i] - 1;
    return b;
  };
  return fit;
}

FitModel fit_classes(Model& model, const PublishedFit& o) {
  FitModel fit = fit_published(model, o, [&model, pad = o.pad](const Batch& b) {
    return cross_entropy(model.logits("classes", model.read(inputs_of(b, pad))), b.target_out);  // [B, C]
  });
  fit.batch = [](const std::vector<EncodedPair>& texts, const std::vector<int64_t>& members,
                 const std::vector<int64_t>& whole, int64_t) {
    Batch b = data::make_batch(texts, members, data::widths_of(texts, whole));
    b.tokens = b.source.size(0);
    b.target_out = b.target_out.slice(1, 0, 1).contiguous().view({b.tokens});
    return b;
  };
  return fit;
}

Tensor class_probabilities(const Model& model, const std::vector<std::vector<int64_t>>& texts, int64_t pad) {
  NoGrad guard;
  Evaluating evaluating;
  std::vector<EncodedPair> pairs;
  for (const auto& text : texts) pairs.push_back({text, {}});
  Tensor all;  // [texts, C]
  for (const std::vector<int64_t>& members : data::sorted_batches(pairs, 64)) {
    const Variable logits = model.logits("classes", model.read(inputs_of(data::make_batch(pairs, members), pad)));
    const Tensor p = softmax(logits, -1).value().to(DType::f32).contiguous();
    const int64_t C = p.size(1);
    if (!all.defined()) all = Tensor::zeros({static_cast<int64_t>(texts.size()), C});
    for (size_t i = 0; i < members.size(); ++i)
      std::copy_n(p.data<float>() + static_cast<int64_t>(i) * C, C, all.data<float>() + members[i] * C);
  }
  return all;
}

std::vector<EncodedPair> windows_of(const std::vector<int64_t>& tokens, int64_t length, int64_t begin) {
  std::vector<EncodedPair> windows;
  const auto n = std::ssize(tokens);
  for (int64_t at = begin >= 0 ? 0 : 1; at < n; at += length) {
    EncodedPair one;
    one.source.push_back(begin >= 0 ? begin : tokens[static_cast<size_t>(at - 1)]);
    one.source.insert(one.source.end(), tokens.begin() + at, tokens.begin() + std::min(n, at + length));
    windows.push_back(std::move(one));
  }
  return windows;
}

std::vector<int64_t> continued(const Model& model, const std::vector<int64_t>& tokens, int64_t most, double temperature,
                               int64_t end, Generator& rng) {
  NoGrad guard;
  Evaluating evaluating;
  published::TowerMemory memory;
  std::vector<int64_t> written, now = tokens;
  for (int64_t all = std::ssize(tokens); std::ssize(written) < most; ++all) {
    const Inputs in{.ids = Tensor::from(now, {1, std::ssize(now)}), .mask = Tensor::ones({1, all}, DType::boolean)};
    const Variable logits = model.logits("next_word", model.extend(in, memory));  // [1, n, V]
    const Variable last = select(select(logits, 0, 0), 0, logits.size(1) - 1);
    int64_t word = static_cast<int64_t>(argmax(last.value(), -1).item());
    if (temperature > 0) {
      const std::vector<double> p = softmax(last / temperature, -1).value().to_vector();
      double chance = rng.uniform();
      for (word = 0; word + 1 < std::ssize(p) && chance >= p[static_cast<size_t>(word)]; ++word)
        chance -= p[static_cast<size_t>(word)];
    }
    if (word == end) break;
    written.push_back(word), now = {word};
  }
  return written;
}

}  // namespace heed::nn
