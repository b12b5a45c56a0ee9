// heed fill: the most probable words in the place of a mask, by a published model with a head for masked words (BERT,
// RoBERTa, DistilBERT, MPNet, ELECTRA's generator, ALBERT, ModernBERT).
//
//   heed fill --model bert-base-uncased "Paris is the [MASK] of France"
//
// A line for each word: its probability TAB the word. Several masks are filled one by one, each with the others still
// masked; an empty line follows each.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/published/generation.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/translate_prompt.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

namespace published = nn::published;

struct Filler {
  std::unique_ptr<published::Model> model;
  tokenizers::PublishedTokenizer tokenizer;
  int64_t mask, top;

  // A JSON object of the text. `where`: "" or " in line 3"
  io::Json fill(const std::string& text, const std::string& where) const {
    const std::vector<int64_t> ids = tokenizer.encode(text).ids();
    if (std::count(ids.begin(), ids.end(), mask) == 0)
      throw InputError(fmt::format("fill: a text must have the token {} in the place of a word; got \"{}\"{}",
                                   tokenizer.token(mask), text, where));
    const int64_t places = published::places_of(*model, *model->encoder);
    if (places > 0 && std::ssize(ids) > places)
      throw InputError(fmt::format("fill: the model has {} places, and no text may have more tokens; got {}{}", places,
                                   ids.size(), where));
    NoGrad guard;
    const auto S = std::ssize(ids);
    const Variable logits =
        model->logits("masked_words", model->read({.ids = Tensor::from(ids, {1, S})}));  // [1, S, V]
    io::Json masks = io::Json::array();
    for (int64_t s = 0; s < S; ++s) {
      if (ids[static_cast<size_t>(s)] != mask) continue;
      const std::vector<double> p =
          softmax(slice(logits, 1, s, s + 1), -1).value().to_vector();  // the words of this place
      masks.push(io::Json::object({{"token", s}, {"words", best(p)}}));
    }
    return io::Json::object({{"text", text}, {"masks", masks}});
  }

  io::Json best(const std::vector<double>& p) const {
    std::vector<int64_t> order(p.size());
    std::iota(order.begin(), order.end(), 0);
    const auto n = static_cast<size_t>(std::min<int64_t>(top, std::ssize(p)));
    auto better = [&](int64_t a, int64_t b) {
      const double x = p[static_cast<size_t>(a)], y = p[static_cast<size_t>(b)];
      return x != y ? x > y : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(), better);
    io::Json words = io::Json::array();
    for (size_t i = 0; i < n; ++i) {
      std::string word = tokenizer.decode(std::vector{order[i]}, {.skip_special = false});
      if (word.size() > 1 && word[0] == ' ') word.erase(0, 1);  // RoBERTa's words begin with their space
      words.push(
          io::Json::object({{"word", word}, {"id", order[i]}, {"probability", p[static_cast<size_t>(order[i])]}}));
    }
    return words;
  }
};

Filler filler_of(const std::string& folder, int64_t top) {
  std::unique_ptr<published::Model> model = published::open(folder);
  if (!model->head("masked_words") || !model->encoder)
    throw InputError(fmt::format(
        "fill: the model must have a head for masked words, as bert, roberta or mpnet mostly do; got \"{}\", a {} "
        "without one{}",
        folder, model->config.family(), model->decoder ? "; hint: heed generate goes on with a text" : ""));
  auto tokenizer = tokenizers::PublishedTokenizer::open(folder);
  const std::optional<int64_t> mask = tokenizer.special("mask_token");
  if (!mask) throw InputError(fmt::format("fill: the tokenizer must have a mask token; got none in \"{}\"", folder));
  return {std::move(model), std::move(tokenizer), *mask, top};
}

void print(const io::Json& filled) {
  for (const io::Json& mask : filled.list("masks")) {
    for (const io::Json& word : mask.list("words"))
      fmt::print("{:.6f}\t{}\n", word.number("probability"), word.text("word"));
    fmt::print("\n");
  }
  flush_output();
}

}  // namespace

int fill_main(int argc, char** argv) {
  Common common;
  std::string folder, json;
  std::optional<std::string> text;
  int64_t top = 5;
  std::optional<int64_t> threads;
  Options options("heed fill", "Prints the most probable words for each mask of a text, with their probabilities.");
  options.add("--model", &folder, "folder of a published model with a head for masked words")
      .required()
      .placeholder("DIR");
  options.positional("TEXT", &text, "a text with the mask of the model; without it, each line of standard input");
  options.add("--top", &top, "number of words for each mask").between(1, 1000);
  options.add("--json", &json, "write the texts with their words as JSON to the file F, too").placeholder("F");
  options.add("--threads", &threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.epilogue(
      "The mask is a token of the model's tokenizer: [MASK] of BERT, <mask> of\n"
      "RoBERTa and MPNet. An empty line follows the words of each mask. Of several\n"
      "masks, each is filled with the others masked.");
  options.parse(argc, argv);
  common.threads = threads;
  apply_common(common);
  require_place("fill: --json", json);  // before the work
  require_apart("fill: --json", json, {folder});
  const Filler filler = filler_of(folder, top);
  io::Json all = io::Json::array();
  auto answer = [&](const std::string& one, const std::string& where) {
    const io::Json filled = filler.fill(one, where);
    print(filled);
    all.push(filled);
  };
  if (text)
    answer(*text, "");
  else
    for_ready_lines([&](const std::string& line, int64_t number) { answer(line, fmt::format(" in line {}", number)); },
                    [] {});
  if (!json.empty()) io::atomic_write(json, all.dump(2) + "\n");
  return 0;
}

}  // namespace heed::app
