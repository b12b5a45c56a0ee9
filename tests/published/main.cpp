// Published small tasks under their published conditions, so that a figure of ours can be laid beside theirs:
//
//   reverse   JoeyNMT's tutorial (docs/source/tutorial.rst): up to 25 numbers, tested up to 30. Best dev BLEU 95.42,
//             after 7,000 updates of 24 sequences; 61.1 s an epoch of 40,000 sequences on a GPU
//   copy      "The Annotated Encoder-Decoder" (Bastings 2018): 10 symbols, dev perplexity 1.089 after 1,000 updates
//   dates     human dates to ISO 8601: exact matches on 1,000 held-out dates. No figure is published
//   trec      questions to 6 classes, a tenth of the training file held out; no pretrained vectors
//   reviews   movie reviews to 2 classes, the first --folds of ten: hierarchical attention beside a flat mean and flat
//             attention of its size and with its first word vectors, and a linear bag of words
//   pieces    parallel files as a trained translator's numbers, "3 14 15 | 9 2 6" a line: what multi30k_pytorch.py, the
//             same transformer trained by PyTorch, reads
//   orders    not published: how far another order of summation moves the loss curve of a preset of heed train, on one
//             rank and on two
//
// trec and reviews read files that heed does not ship: --data FOLDER, with trec/train.tsv ("class TAB fine TAB
// question") and movie_reviews/all.tsv ("label TAB fold TAB id TAB document", sentences joined by " <s> ").
//
//   cmake --build build/release --target published && build/release/bin/published reverse --seed 1
#include "tests/published/published.h"

#include <fmt/format.h>

#include <cstdio>

#include "nn/models/translator.h"
#include "tutorials/common/main.h"
#include "tutorials/common/options.h"

namespace {

using namespace heed;

void pieces(const std::string& model, const std::string& source, const std::string& target) {
  nn::Translator t = nn::Translator::load(model);
  for (const auto& pair : t.encode(text::tokenize(text::read_parallel(source, target).pairs, t.parts.tokenizers)))
    fmt::print("{} | {}\n", fmt::join(pair.source, " "), fmt::join(pair.target, " "));
}

int run(int argc, char** argv) {
  std::string what, folder = "data", model, source, target;
  published::OrdersOptions of_orders;
  int64_t folds = 3;
  app::Common common;
  app::Options options("published", "Published small tasks under their published conditions.");
  options.positional("TASK", &what, "which one")
      .one_of({"reverse", "copy", "dates", "trec", "reviews", "pieces", "orders"})
      .required();
  options.add("--folds", &folds, "reviews: how many of the ten").between(1, 10);
  options.add("--data", &folder, "where trec/ and movie_reviews/ are").placeholder("FOLDER");
  options.add("--model", &model, "pieces: a model.safetensors of heed train").placeholder("F");
  options.add("--src", &source, "pieces, orders: the source side").placeholder("F");
  options.add("--tgt", &target, "pieces, orders: the target side").placeholder("F");
  options.add("--preset", &of_orders.preset, "orders: of heed train").placeholder("P");
  options.add("--activation", &of_orders.activation, "orders: instead of the preset's").placeholder("A");
  options.add("--precision", &of_orders.precision, "orders: of the products").placeholder("P");
  options.add("--steps", &of_orders.steps, "orders: of training").between(20, 10000);
  app::add_common(options, &common);
  options.parse(argc, argv);
  app::apply_common(common);
  setvbuf(stdout, nullptr, _IOLBF, 0);  // a line as soon as it is known, into files too
  auto seed = static_cast<uint64_t>(common.seed);
  if (what == "reverse") published::reverse(seed);
  if (what == "copy") published::copy(seed);
  if (what == "dates") published::dates(seed);
  if (what == "trec") published::trec(seed, folder);
  if (what == "reviews") published::reviews(seed, folder, folds);
  of_orders.source = source, of_orders.target = target;
  if (what == "orders") published::orders(seed, of_orders);
  if (what == "pieces") pieces(model, source, target);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, run); }
