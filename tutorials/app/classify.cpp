// heed classify: the class of a text, by a published encoder with a head of classes (heed train --from DIR --labels F,
// or any such folder).
//
//   heed classify --model DIR "What films featured the character Popeye Doyle ?"
//   heed classify --model DIR < IN > OUT         label TAB probability, one line for each line
//   heed classify --model DIR --json < IN        {"text": .., "label": .., "probabilities": {label: p, ..}}
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <numeric>

#include "nn/published/new_model.h"
#include "nn/text/reading.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "nn/train/published_fit.h"
#include "tutorials/app/commands.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

class Classifier {
 public:
  explicit Classifier(const std::string& folder)
      : model_(nn::published::open(folder)), tokenizer_(tokenizers::PublishedTokenizer::open(folder)) {
    if (!model_->head("classes") || !model_->encoder || model_->decoder)
      throw InputError(
          fmt::format("classify: needs an encoder with classes; got a {} in \"{}\" without them; hint: heed train "
                      "--from {} --labels F",
                      model_->config.family(), folder, folder));
    labels_ = nn::published::labels_of(*model_);
    const nn::published::TowerOptions& t = model_->encoder->options;
    longest_ = t.positions == 0 ? 0 : t.positions - t.first_place - (t.places == "words" ? 1 : 0);
    pad_ = tokenizer_.special("pad_token").value_or(0);
  }
  const std::vector<std::string>& labels() const { return labels_; }
  std::vector<double> probabilities(const std::string& text) const {  // a text that is too long is cut
    return nn::class_probabilities(*model_, {tokenizer_.encode(text, {.max_length = longest_}).ids()}, pad_)
        .to_vector();
  }

 private:
  std::unique_ptr<nn::published::Model> model_;
  tokenizers::PublishedTokenizer tokenizer_;
  std::vector<std::string> labels_;
  int64_t longest_ = 0, pad_ = 0;
};

void print_json(const Classifier& c, const std::string& text, const std::vector<double>& p, size_t best) {
  io::Json each = io::Json::object();
  for (size_t i = 0; i < p.size(); ++i) each.set(c.labels()[i], p[i]);
  fmt::print("{}\n", io::Json::object({{"text", text}, {"label", c.labels()[best]}, {"probabilities", each}}).dump());
}

// All classes, the most probable first.
void print_all(const Classifier& c, const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
  for (size_t i : order) tell("{:6.2f} %  {}\n", 100 * p[i], legible(c.labels()[i]));
}

}  // namespace

int classify_main(int argc, char** argv) {
  Common common;
  std::string folder;
  std::optional<std::string> text;
  std::optional<int64_t> threads;
  bool json = false;
  Options options("heed classify", "Says which class a text belongs to, or each line of standard input.");
  options.add("--model", &folder, "folder of a published encoder with classes").required().placeholder("DIR");
  options.flag("--json", &json, "one JSON object per text, with the probability of every class");
  options.add("--threads", &threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.positional("TEXT", &text, "the text; without it, the lines of standard input");
  options.parse(argc, argv);
  common.threads = threads;
  apply_common(common);
  const Classifier classifier(folder);
  auto answer = [&](const std::string& one) {
    const std::vector<double> p = classifier.probabilities(one);
    const auto best = static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    if (json)
      print_json(classifier, one, p, best);
    else if (text)
      print_all(classifier, p);
    else
      fmt::print("{}\t{:.4f}\n", classifier.labels()[best], p[best]);
  };
  if (text) {
    answer(*text);
    return 0;
  }
  text::LineReader reader(std::cin, "standard input");
  for (std::string line; reader.next(line);) answer(line);
  return 0;
}

}  // namespace heed::app
