// Lesson 34: from text to tokens. A model reads numbers; which part of a text is a number of its own? The answer is
// learned from a text, and what it cannot do later was decided here.
//
//   1  merges         byte-pair encoding of the reader's text, one merge after the other
//   2  vocabularies   the same sentence in five kinds of vocabulary of the same size; unknown words; the way back
//   3  size           vocabulary size against the length of a text
//   4  spaces         a space is part of a token, numbers are cut in unlike ways, offsets lead back into the text
//   5  languages      what a language costs that the text does not contain
//   6  numbers        a small language model learns to add: digits as tokens, or whole numbers
//
//   ./heed run 34 --text my_book.txt --tokenizer FOLDER_OF_A_PUBLISHED_MODEL
#include <fmt/format.h>

#include "nn/train/progress.h"
#include "tutorials/34_tokens/addition.h"
#include "tutorials/34_tokens/spaces.h"
#include "tutorials/common/main.h"

using namespace from_text;
using namespace heed;

namespace {

// ---- 6  numbers -----------------------------------------------------------------------------------------------------
std::vector<Added> the_numbers(app::Lesson& lesson, const AdditionSetting& setting) {
  report::TablePanel table{
      .title = "Learning to add",
      .text = fmt::format("{} sums of two numbers of three digits, {} steps of {}. Sums with all digits right.",
                          setting.sums, setting.steps, setting.batch),
      .header = {"numbers are", "tokens", "parameters", "sums of the training", "new sums"}};
  nn::Progress progress(setting.steps * 3, {.label = "training", .unit = "steps"});
  std::vector<Added> results;
  for (const NumberCut& cut : number_cuts()) {
    const Added one = add(cut, setting, [&] { progress.step({.items = 1}); });
    const std::vector<int64_t> shown = cut.of(471);
    table.rows.push_back({fmt::format("{}: {}", cut.name, cut.shown), std::to_string(cut.used),
                          std::to_string(one.parameters), fmt::format("{:.1f} %", one.trained),
                          fmt::format("{:.1f} %", one.asked)});
    results.push_back(one);
  }
  progress.finish();
  show(lesson, table);
  return results;
}

struct Knobs {
  int64_t vocabulary = 2000, merges = 300, sums = 1500, steps = 1500;
  std::string text;
  std::vector<std::string> tokenizers;
};

int lesson_34(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("34_tokens", "From text to tokens: what is a unit of text?");
  lesson.knob("vocabulary", &k.vocabulary, "tokens of each vocabulary").between(1000, 8000);
  lesson.knob("merges", &k.merges, "merges that part 1 learns one by one").between(50, 1000);
  lesson.knob("sums", &k.sums, "sums that part 6 trains with").between(100, 100'000);
  lesson.knob("steps", &k.steps, "training steps of each model of part 6").between(10, 20'000);
  lesson.options().add("--text", &k.text, "learn from your own text, UTF-8, at least 100 lines").placeholder("F");
  lesson.options()
      .add("--tokenizer", &k.tokenizers, "the folder of a published model, to compare; may be given several times")
      .whole()
      .placeholder("DIR");
  lesson.question(
      {"A small model learns to add from 1,500 sums such as 471 + 385. In one run, each digit is a token. In another, "
       "each number is one token, so that the input is shorter. How many new sums are right?",
       {"both nearly all", "digits nearly all, whole numbers nearly none", "whole numbers more, they are fewer tokens"},
       2,
       "471 as one token is a name without parts. What was learned about 470 and 472 does not help."});
  lesson.start(argc, argv);
  const Texts texts = texts_of(k.text);
  std::vector<Kind> published;
  for (const std::string& folder : k.tokenizers) {
    PublishedTokenizer opened = PublishedTokenizer::open(folder);
    const int64_t size = opened.vocabulary_size();
    const std::optional<int64_t> unknown = opened.special("unk_token");
    const std::string name = std::filesystem::path(folder + "/.").lexically_normal().parent_path().filename().string();
    published.push_back({name, std::move(opened), size, unknown});
  }

  heading(
      fmt::format("1  Merges: {}, {} lines, and {} held out", texts.name, texts.learned.size(), texts.held_out.size()));
  const Merging merging = the_merges(lesson, texts, lesson.quick() ? std::min<int64_t>(k.merges, 50) : k.merges);

  heading(fmt::format("2  Five vocabularies of at most {} tokens", k.vocabulary));
  const std::vector<Kind> kinds = five_kinds(texts, k.vocabulary);
  const Kind bytes = byte_vocabulary(texts.learned, 256, "bytes");
  the_sentence(lesson, kinds, bytes, published, texts.held_out);

  heading("3  Size against length");
  const Sizes sizes = the_sizes(lesson, texts, lesson.quick() ? 1000 : 4000, lesson.seed());

  heading("4  Spaces, numbers, and the way back");
  const Spaces spaces = the_spaces(lesson, kinds, bytes, texts);

  heading("5  Languages");
  const Languages languages = the_languages(lesson, kinds, lesson.seed());

  std::vector<Added> added;
  if (!lesson.quick()) {
    heading("6  Numbers: a small language model learns to add");
    added = the_numbers(lesson, {.sums = k.sums, .steps = k.steps, .seed = lesson.seed()});
  }

  heading("Claims");
  std::vector<std::string> hard = texts.held_out;
  for (const Translation& t : translations()) hard.emplace_back(t.sentence);
  const OnLines merged = on_lines(kinds[2], hard), pieces = on_lines(kinds[1], hard),
                unigram = on_lines(kinds[3], hard);
  lesson.claim(
      {.name = "held-out lines and ten languages: lines that byte-level BPE changes on the way back",
       .measured = static_cast<double>(merged.changed),
       .comparator = "==",
       .threshold = 0,
       .control = fmt::format("of {}: WordPiece {}, unigram {}", merged.lines, pieces.changed, unigram.changed)});
  if (!added.empty())
    lesson.claim({.name = "new sums: points of digits above whole numbers",
                  .measured = added[0].asked - added[2].asked,
                  .comparator = ">=",
                  .threshold = 80,
                  .control = fmt::format("sums of the training: {:.1f}", added[0].trained - added[2].trained)});
  if (!k.text.empty()) {
    app::item("", "The other bounds were set for the chapters of this course, and are left out for your text.");
    return lesson.finish();
  }
  lesson.claim({.name = fmt::format("letters per token, {} tokens, held-out lines", lesson.quick() ? 1000 : 4000),
                .measured = sizes.learned,
                .comparator = ">=",
                .threshold = lesson.quick() ? 2.0 : 2.5,
                .control = fmt::format("letters shuffled inside words: {:.2f}", sizes.shuffled)});
  lesson.check({.name = fmt::format("merges that are not those of the library, of {}", merging.merges),
                .measured = static_cast<double>(merging.unlike),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("counted across the ends of words: {} of 30", merging.unlike_across)});
  lesson.check({.name = "held-out lines: words whose space is a token of its own, in %",
                .measured = share(spaces.after, spaces.places),
                .comparator = "<=",
                .threshold = 1,
                .control = fmt::format("bytes: 100.0, {} words", spaces.places)});
  lesson.check({.name = "offsets of WordPiece that point to another part of the text",
                .measured = static_cast<double>(spaces.misplaced),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("lengths added up: {:.1f} % of {}", share(spaces.added_up, spaces.tokens),
                                       spaces.tokens)});
  lesson.check({.name = "ways in which numbers of three digits are cut",
                .measured = static_cast<double>(spaces.shapes),
                .comparator = ">=",
                .threshold = 3,
                .control = "bytes: 1"});
  lesson.check({.name = "tokens per letter, English = 1: the least of six languages in other scripts",
                .measured = languages.far,
                .comparator = ">=",
                .threshold = 2,
                .control = fmt::format("the most of three in Latin script: {:.2f}", languages.near)});
  lesson.check({.name = "toy grammar: tokens of French by those of English, learned from French",
                .measured = languages.learned_french,
                .comparator = "<=",
                .threshold = 1.2,
                .control = fmt::format("learned from English: {:.2f}", languages.learned_english)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_34); }
