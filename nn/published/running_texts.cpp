#include "nn/published/running_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tensor/error.h"
#include "tensor/indexing.h"

namespace heed::nn::published {
namespace {

// Rows of one length [B, S], with padding before or after shorter ones, and their mask: undefined if there are none.
Inputs padded(const std::vector<std::vector<int64_t>>& texts, bool before) {
  size_t longest = 0, shortest = texts[0].size();
  for (const auto& one : texts) longest = std::max(longest, one.size()), shortest = std::min(shortest, one.size());
  std::vector<int64_t> ids, shown;
  for (const auto& one : texts) {
    const size_t more = longest - one.size();
    auto pad = [&] { ids.insert(ids.end(), more, 0), shown.insert(shown.end(), more, 0); };
    if (before) pad();
    ids.insert(ids.end(), one.begin(), one.end()), shown.insert(shown.end(), one.size(), 1);
    if (!before) pad();
  }
  const Shape shape{std::ssize(texts), static_cast<int64_t>(longest)};
  Inputs in{.ids = Tensor::from(ids, shape)};
  if (shortest < longest) in.mask = Tensor::from(shown, shape).to(DType::boolean);
  return in;
}

}  // namespace

RunningTexts::RunningTexts(const Model& model, const std::vector<std::vector<int64_t>>& texts,
                           const GenerationOptions& o)
    : model_(model) {
  if (!model.decoder || !model.head("next_word"))
    throw ValueError(fmt::format(
        "generate: the model must be one that writes, a decoder with a head for the next word; got \"{}\", a {}",
        model.folder, model.config.family()));
  if (model.encoder && o.start < 0)
    throw IoError(fmt::format(
        "generate: \"{}\": generation_config.json must have decoder_start_token_id, the token that a text begins with",
        model.folder));
  const int64_t places = places_of(model, *model.decoder);
  for (size_t i = 0; i < texts.size(); ++i) {
    TextSoFar text{.ids = model.encoder ? std::vector<int64_t>{o.start} : texts[i]};
    if (texts[i].empty()) throw InputError(fmt::format("generate: a text must have a token; got none in text {}", i));
    text.prompt = text.ids.size();
    const auto given = static_cast<int64_t>(text.prompt);
    text.most = o.max_new > 0 ? o.max_new : o.length > 0 ? o.length - given : kUsualLength;
    if (places > 0) text.most = std::min(text.most, places - given);
    if (text.most < 1)
      throw InputError(fmt::format(
          "generate: a text must leave a place to write; got {} tokens, where the model has {} places and a text may "
          "have {} tokens",
          given, places, o.length > 0 && o.max_new == 0 ? o.length : places));
    begun.push_back(std::move(text)), text_of_.push_back(static_cast<int64_t>(i));
  }
  if (texts.empty()) return;
  first_ = padded(texts, !model.encoder);
  mask_ = first_.mask;
  if (!model.encoder) return;
  NoGrad guard;
  source_ = model.read(first_);
  first_.target_ids = Tensor::full({std::ssize(texts), 1}, static_cast<double>(o.start), DType::i64);
}

std::vector<std::vector<double>> RunningTexts::next(const std::vector<int64_t>& last) {
  NoGrad guard;
  Inputs in = first_;
  if (!last.empty()) {
    const auto R = std::ssize(last);
    (model_.encoder ? in.target_ids : in.ids) = Tensor::from(last, {R, 1});
    if (!model_.encoder && mask_.defined()) mask_ = concat({mask_, Tensor::ones({R, 1}, DType::boolean)}, 1);
  }
  in.mask = mask_;
  Answer answer = model_.extend(in, memory_, source_);
  Variable& seen = answer.decoder.hidden.back();  // [R, n, D]: only the last one is asked for its next token
  seen = slice(seen, 1, seen.size(1) - 1, seen.size(1));
  const Tensor logits = model_.logits("next_word", answer).value().to(DType::f64).contiguous();  // [R, 1, V]
  const int64_t V = logits.size(2);
  std::vector<std::vector<double>> rows;
  for (int64_t r = 0; r < logits.size(0); ++r)
    rows.emplace_back(logits.data<double>() + r * V, logits.data<double>() + (r + 1) * V);
  return rows;
}

void RunningTexts::keep(const std::vector<int64_t>& rows) {
  bool moved = rows.size() != text_of_.size(), others = moved;
  std::vector<int64_t> texts;
  for (size_t i = 0; i < rows.size(); ++i) {
    texts.push_back(text_of_.at(static_cast<size_t>(rows[i])));
    moved = moved || rows[i] != static_cast<int64_t>(i), others = others || texts[i] != text_of_[i];
  }
  if (!moved) return;
  const Tensor chosen = Tensor::from(rows, {std::ssize(rows)});
  text_of_ = texts;
  if (!others) return memory_.keep_words(chosen);  // the beams of a text have its source in common
  memory_.keep(chosen);
  if (mask_.defined()) mask_ = index_select(mask_, chosen);
  if (model_.encoder) source_.inputs.mask = mask_;
}

}  // namespace heed::nn::published
