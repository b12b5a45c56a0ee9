#include "nn/published/sentence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/data/batches.h"
#include "nn/norm.h"
#include "nn/pool.h"
#include "nn/text/unicode.h"
#include "tensor/indexing.h"

namespace heed::nn::published {
namespace {

constexpr int64_t kTokensAtOnce = 8192;  // of a batch, with its padding

const TowerOptions& tower_of(const Model& model) {
  return model.encoder ? model.encoder->options : model.decoder->options;
}

// Without white space at both ends, as Python's str.strip().
std::string stripped(const std::string& text) {
  size_t begin = text.size(), end = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    if (text::is_space(text::next(text, at))) continue;
    begin = std::min(begin, from), end = at;
  }
  return begin < end ? text.substr(begin, end - begin) : "";
}

}  // namespace

int64_t SentenceEncoder::width() const {
  int64_t out = tower_of(*model).out();
  for (const SentenceModule& one : modules) {
    if (!one.modes.empty()) out *= std::ssize(one.modes);
    if (one.layer) out = one.layer->options.out;
  }
  return out;
}

std::vector<int64_t> SentenceEncoder::ids(const std::string& text) const {
  const std::string bare = strips ? stripped(text) : text;
  if (lowercase && !text::invalid_utf8(bare))
    return tokenizer.encode(text::lower(bare), {.max_length = max_tokens}).ids();
  return tokenizer.encode(bare, {.max_length = max_tokens}).ids();
}

int64_t SentenceEncoder::tokens_of_prompt(const std::string& prompt) const {
  const std::string bare = strips ? stripped(prompt) : prompt;
  const std::vector<int64_t> special = tokenizer.encode(lowercase ? text::lower(bare) : bare).special_mask();
  return std::ssize(special) - (!special.empty() && special.back() == 1 ? 1 : 0);
}

std::string SentenceEncoder::prompt(const std::string& name) const {
  const auto found = prompts.find(name.empty() ? default_prompt : name);
  if (found != prompts.end()) return found->second;
  if (name.empty()) return "";
  std::vector<std::string> names;
  for (const auto& one : prompts) names.push_back(one.first);
  throw InputError(fmt::format("encode: a prompt must be one of those of the model ({}); got \"{}\"",
                               names.empty() ? "it has none" : fmt::format("{}", fmt::join(names, ", ")), name));
}
std::string SentenceEncoder::prompt_of_queries() const { return prompt(prompts.contains("query") ? "query" : ""); }
std::string SentenceEncoder::prompt_of_documents() const {
  for (const char* name : {"document", "passage", "corpus"})
    if (prompts.contains(name)) return prompt(name);
  return prompt();
}

Tensor SentenceEncoder::batch(const std::vector<std::vector<int64_t>>& rows, int64_t of_prompt) const {
  const auto B = std::ssize(rows);
  int64_t S = 0;
  for (const auto& row : rows) S = std::max(S, std::ssize(row));
  // Padding is masked. Where places count the tokens that are no padding, it must be that token.
  const TowerOptions& tower = tower_of(*model);
  const auto padding = static_cast<double>(tower.padding >= 0 ? tower.padding : 0);
  Tensor ids = Tensor::full({B, S}, padding, DType::i64);                         // [B, S]
  Tensor words = Tensor::zeros({B, S}, DType::boolean), without = words.clone();  // [B, S]
  for (int64_t b = 0; b < B; ++b) {
    const std::vector<int64_t>& row = rows[static_cast<size_t>(b)];
    std::copy(row.begin(), row.end(), ids.data<int64_t>() + b * S);
    std::fill_n(words.data<bool>() + b * S, row.size(), true);
    for (int64_t s = of_prompt; s < std::ssize(row); ++s) without.data<bool>()[b * S + s] = true;
  }
  const Answer seen = model->read({.ids = ids, .mask = words});
  Variable x = seen.of_heads().last();  // [B, S, D], then [B, width]
  for (const SentenceModule& one : modules) {
    std::vector<Variable> parts;
    for (const std::string& mode : one.modes)  // the first token is that of the whole
      parts.push_back(pool(mode, x, one.pools_prompt || mode == "cls" ? words : without));
    if (!parts.empty())
      x = parts.size() == 1 ? parts[0] : concat(parts, 1);
    else
      x = one.layer ? activation(one.activation, (*one.layer)(x)) : unit_rows(x);
  }
  return x.value().contiguous();
}

Tensor SentenceEncoder::encode(const std::vector<std::string>& texts, const EncodeTexts& options) const {
  NoGrad guard;
  std::vector<data::EncodedPair> encoded;
  std::vector<int64_t> place;  // of each in the result
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<int64_t> row = ids(options.prompt + texts[i]);
    if (row.empty()) continue;
    encoded.push_back({std::move(row), {}}), place.push_back(static_cast<int64_t>(i));
  }
  const int64_t of_prompt = options.prompt.empty() ? 0 : tokens_of_prompt(options.prompt), P = width();
  std::vector<Tensor> batches;
  std::vector<int64_t> from(texts.size(), 0);  // the row of each text among those of all batches; 0: the zeros
  int64_t next = 1;
  const DType dtype = (model->encoder ? model->encoder : model->decoder)->words.weight.dtype();
  batches.push_back(Tensor::zeros({1, P}, dtype));
  for (const auto& members : data::sorted_batches(encoded, options.batch_size, kTokensAtOnce)) {
    std::vector<std::vector<int64_t>> rows;
    for (int64_t one : members) {
      rows.push_back(encoded[static_cast<size_t>(one)].source);
      from[static_cast<size_t>(place[static_cast<size_t>(one)])] = next++;
    }
    batches.push_back(batch(rows, of_prompt));
  }
  return index_select(concat(batches, 0), 0, Tensor::from(from, {std::ssize(texts)}));  // [N, P]
}

}  // namespace heed::nn::published
