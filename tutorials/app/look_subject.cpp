#include "tutorials/app/look_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/io/file.h"
#include "nn/observe.h"
#include "nn/published/use_lite.h"
#include "tutorials/common/output.h"

namespace heed::app {

namespace published = nn::published;

namespace {

constexpr int64_t kLongest = 512, kWritten = 32;  // tokens of a text; of what an encoder-decoder writes by itself
constexpr int64_t kRows = 32, kTokens = 1024;     // of one pass: texts, and their tokens

void require_published(const std::string& folder) {
  if (!io::is_folder(folder))
    throw InputError(
        fmt::format("look: --model needs the folder of a published model; got \"{}\", which is no folder", folder));
  if (published::is_use_lite(folder)) published::Config{folder};  // refused in its words
  if (!published::is_published(folder))
    throw InputError(
        fmt::format("look: --model needs the folder of a published model, with a config.json that has a model_type; "
                    "got \"{}\"; hint: report.html in the folder of a translator that heed trained shows its attention",
                    folder));
}

// The token as a reader can read it, without the marks of spaces that vocabularies have and with control characters
// escaped.
std::string readable(const tokenizers::PublishedTokenizer& tokenizer, int64_t id, bool special = false) {
  const std::string name = legible(tokenizer.token(id));
  if (special) return name;
  std::string text = tokenizer.decode(std::vector<int64_t>{id}, {.skip_special = false, .clean_up = false});
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return text.find('\n') != std::string::npos ? "⏎" : text.empty() ? name : "␣";
  text = text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
  return text.find("\uFFFD") != std::string::npos ? name : legible(text);  // U+FFFD: a part of a character
}

void add_words(const tokenizers::PublishedTokenizer& tokenizer, const tokenizers::Encoding& encoding,
               LookWords& words) {
  for (const tokenizers::Token& token : encoding.tokens) {
    words.ids.push_back(token.id), words.kinds.push_back(token.type_id);
    words.special.push_back(token.from_template);
    words.shown.push_back(readable(tokenizer, token.id, token.from_template));
  }
}

void require_words(const tokenizers::Encoding& encoding, const char* which) {
  if (std::none_of(encoding.tokens.begin(), encoding.tokens.end(), [](const auto& t) { return t.sequence >= 0; }))
    throw InputError(fmt::format("look: the {} must have at least one word; got an empty one", which));
}

void require_places(const LookWords& words, const published::Tower& tower) {
  const published::TowerOptions& o = tower.options;
  const int64_t most = o.positions > 0 ? std::min(kLongest, o.positions - o.first_place) : kLongest;
  if (words.size() > most)
    throw InputError(fmt::format("look: the text may have at most {} tokens{}; got {}; hint: a shorter text", most,
                                 most < kLongest ? ", for which this model has places" : "", words.size()));
}

Tensor rows_of(const std::vector<int64_t>& ids, int64_t B) {  // [B, T], each row the same
  std::vector<int64_t> all;
  for (int64_t b = 0; b < B; ++b) all.insert(all.end(), ids.begin(), ids.end());
  return Tensor::from(all, {B, static_cast<int64_t>(ids.size())});
}

// A token by its number in config.json, else by its role in the tokenizer's files; -1: neither has it.
int64_t single_id(const published::Config& config, const char* key, const tokenizers::PublishedTokenizer& tokenizer,
                  const char* role) {
  const io::Json* id = config.find(key);
  return id && id->is_integer() ? id->as_integer() : tokenizer.special(role).value_or(-1);
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

LookSubject::LookSubject(const LookOptions& options) {
  require_published(options.folder);
  tokenizer_.emplace(tokenizers::PublishedTokenizer::open(options.folder));
  model_ = published::open(options.folder);
  tokenize(options);
  read();
}

void LookSubject::tokenize(const LookOptions& o) {
  const bool both = model_->encoder && model_->decoder;
  const bool pair = o.second.has_value() && !both;
  const auto first = pair ? tokenizer_->encode(o.text, *o.second) : tokenizer_->encode(o.text);
  require_words(tokenizer_->encode(o.text), "text");
  if (o.second) require_words(tokenizer_->encode(*o.second), "second text");
  LookWords& words = model_->encoder ? source_ : target_;
  add_words(*tokenizer_, first, words);
  require_places(words, model_->encoder ? *model_->encoder : *model_->decoder);
  const auto mask = tokenizer_->special("mask_token");
  const auto masked = mask ? std::find(source_.ids.begin(), source_.ids.end(), *mask) : source_.ids.end();
  const published::Head* classes = model_->head("classes");
  if (model_->decoder && model_->head("next_word")) {
    kind_ = "next_word", asks_target_ = true;
    if (both && o.second) {
      target_tokenizer_.emplace(tokenizers::PublishedTokenizer::open(o.folder, {.target = true}));
      add_words(*target_tokenizer_, target_tokenizer_->encode(*o.second), target_);
      if (target_.ids.back() ==
          single_id(model_->config, "eos_token_id", *tokenizer_, "eos_token"))  // what comes next is asked
        target_.ids.pop_back(), target_.kinds.pop_back(), target_.special.pop_back(), target_.shown.pop_back();
    } else if (both) {
      target_tokenizer_.emplace(tokenizers::PublishedTokenizer::open(o.folder, {.target = true}));
    }
    if (both) translate();
    if (both) require_places(target_, *model_->decoder);
    asking_ = target_.size() - 1;
  } else if (model_->head("masked_words") && masked != source_.ids.end()) {
    kind_ = "masked_words", asking_ = masked - source_.ids.begin();
  } else if (classes && !both && classes->options.out > 1) {
    kind_ = "classes", asks_target_ = !model_->encoder;
    const std::string& reads = classes->options.reads;
    asking_ = reads == "first" || reads == "pooled" ? 0 : reads == "mean" ? -1 : words.size() - 1;
  } else {
    kind_ = "sentence_vector";
  }
}

// The decoder's words begin with its start token. Without a second text the model writes them, the most probable word
// each time; the last one is left out, so that it is the answer.
void LookSubject::translate() {
  NoGrad guard;
  const int64_t start =
      std::max<int64_t>(0, single_id(model_->config, "decoder_start_token_id", *tokenizer_, "pad_token"));
  target_.ids.insert(target_.ids.begin(), start), target_.kinds.insert(target_.kinds.begin(), 0);
  target_.special.insert(target_.special.begin(), true);
  target_.shown.insert(target_.shown.begin(), readable(*target_tokenizer_, start, true));
  if (target_.size() > 1) return;
  const published::Answer source = model_->read({.ids = rows_of(source_.ids, 1)});
  const int64_t end = single_id(model_->config, "eos_token_id", *tokenizer_, "eos_token"),
                places = model_->decoder->options.positions;
  published::TowerMemory memory;
  std::vector<int64_t> written;
  for (int64_t id = start;
       static_cast<int64_t>(written.size()) < (places > 0 ? std::min(kWritten, places - 1) : kWritten);) {
    const auto answer = model_->extend({.ids = {}, .target_ids = rows_of({id}, 1)}, memory, source);
    const std::vector<double> scores = model_->logits("next_word", answer).value().to_vector();
    id = std::max_element(scores.begin(), scores.end()) - scores.begin();
    if (id == end) break;
    written.push_back(id);
  }
  for (size_t i = 0; i + 1 < written.size(); ++i) {
    target_.ids.push_back(written[i]), target_.kinds.push_back(0), target_.special.push_back(false);
    target_.shown.push_back(readable(*target_tokenizer_, written[i]));
  }
}

void LookSubject::read() {
  NoGrad guard;
  const bool encoder = model_->encoder.has_value(), decoder = target_.size() > 0;
  if (encoder)
    attentions_.push_back({.name = "encoder", .source_keys = true, .heads = model_->encoder->options.block().heads});
  if (decoder) {
    const int64_t heads = model_->decoder->options.block().heads;
    attentions_.push_back({.name = "decoder", .causal = true, .targets = true, .heads = heads});
    if (encoder) attentions_.push_back({.name = "cross", .targets = true, .source_keys = true, .heads = heads});
  }
  nn::Observe observe([this](const nn::AttentionSeen& seen) {
    const bool cross = seen.module.find(".cross") != std::string::npos;
    for (LookAttention& one : attentions_) {
      if (one.name != (cross ? "cross" : seen.module.starts_with("encoder") ? "encoder" : "decoder")) continue;
      one.scores.push_back(seen.scores.select(0, 0).to(DType::f32).contiguous());
      one.weights.push_back(seen.weights.select(0, 0).to(DType::f32).contiguous());
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
  if (kind_ == "next_word") return fmt::format("Which word comes after “{}”?", target_.shown.back());
  if (kind_ == "masked_words")
    return fmt::format("Which word stands in the place of {}?", source_.shown[static_cast<size_t>(asking_)]);
  if (kind_ == "classes") return "Which class has the text?";
  return "Where does the sentence vector point, the mean of the last layer?";
}

std::string LookSubject::label(int64_t number) const {
  if (kind_ != "classes") return readable(target_tokenizer_ ? *target_tokenizer_ : *tokenizer_, number);
  const io::Json* names = model_->config.find("id2label");
  const io::Json* name = names ? names->find(std::to_string(number)) : nullptr;
  return name && name->is_string() ? name->as_string() : fmt::format("class {}", number);
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
  const LookWords& own = model_->encoder ? source_ : target_;
  const published::TowerOptions& tower = (model_->encoder ? model_->encoder : model_->decoder)->options;
  published::Inputs in{.ids = rows_of(own.ids, B)};
  in.mask = mask_of(own, model_->encoder ? &LookWithout::source : &LookWithout::target);
  if (tower.kinds > 0) in.kinds = rows_of(own.kinds, B);
  if (tower.places == "mask" && in.mask.defined()) {  // a hidden word keeps its place
    std::vector<int64_t> places(own.ids.size());
    std::iota(places.begin(), places.end(), 0);
    in.places = rows_of(places, B);
  }
  if (model_->encoder && target_.size() > 0) {
    in.target_ids = rows_of(target_.ids, B);
    in.target_mask = mask_of(target_, &LookWithout::target);
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
    best.push_back({label(order[static_cast<size_t>(i)]), p[order[static_cast<size_t>(i)]]});
  return best;
}

std::vector<LookAnswer> LookSubject::answers(const std::vector<LookWithout>& each) const {
  const int64_t tokens = std::max<int64_t>(source_.size() + target_.size(), 1);
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
  if (kind_ == "sentence_vector") {
    const Tensor words = (in.mask.defined() ? in.mask : Tensor::ones({B, x.size(1)}, DType::boolean)).to(x.dtype());
    const Variable shown(words.unsqueeze(2));  // [B, T, 1]
    numbers = sum(x * shown, {1}) / sum(shown, {1});
  } else if (kind_ == "classes") {
    numbers = softmax(model_->logits("classes", seen), -1);
  } else {
    numbers = softmax((*model_->head(kind_))(select(x, 1, asking_)), -1);  // [B, V]
  }
  const std::vector<double> all = numbers.value().to_vector();
  const auto width = static_cast<std::ptrdiff_t>(numbers.size(1));
  std::vector<LookAnswer> out;
  for (std::ptrdiff_t b = 0; b < B; ++b) {
    LookAnswer one{.numbers = {all.begin() + b * width, all.begin() + (b + 1) * width}};
    if (kind_ != "sentence_vector") one.best = best_of(one.numbers.data(), width, 5);
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<std::vector<std::vector<report::Candidate>>> LookSubject::lens(int64_t most) const {
  NoGrad guard;
  const published::Head* head = target_.size() > 0 ? model_->head("next_word") : model_->head("masked_words");
  if (!head) return {};
  const published::Tower& tower = target_.size() > 0 ? *model_->decoder : *model_->encoder;
  const std::vector<Variable>& hidden = seen_.of_heads().hidden;
  std::vector<std::vector<std::vector<report::Candidate>>> out;
  for (size_t layer = 0; layer < hidden.size(); ++layer) {
    out.emplace_back();
    for (int64_t t = 0, T = hidden[layer].size(1); t < T; t += 32) {  // a table of V columns: few words at a time
      Variable x = slice(hidden[layer], 1, t, std::min(t + 32, T));
      if (layer + 1 < hidden.size() && tower.final_norm) x = (*tower.final_norm)(x);
      if (layer + 1 < hidden.size() && tower.output_projection) x = (*tower.output_projection)(x);
      const Tensor p = softmax((*head)(x), -1).value();
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
