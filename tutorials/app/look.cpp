// heed look: one page, for one text, that looks inside a published model, or one that heed has trained.
//
//   heed look --model stories260K "Once upon a time"              out/look/report.html
//   heed look --model bert "The cat sat on the [MASK]."           the answer: the word in the place of the mask
//   heed look --model marian "the cat" "le chat"                  an encoder-decoder, with a given translation
//   heed look --model bert "a question" "and its text"            two texts for an encoder
//   heed look --model gpt2 "The cat" --without 3.2,1.0            the answer with all heads and without these two
//   heed look --model out/translate "the cat sleeps"              a translator of heed, and its translation
//   heed look "Attention is"                                      in the small model of heed generate
//
// look_subject.h says what the answer is and how heads are switched off, look_heads.h what is measured, and look_page.h
// what the page has. With --without or --hide only the two answers are computed, unless --out asks for the page, too.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "nn/io/file.h"
#include "nn/io/owned_folder.h"
#include "nn/text/unicode.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/look_page.h"
#include "tutorials/app/look_without.h"
#include "tutorials/app/writer.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/common/show.h"

namespace heed::app {
namespace {

struct LookChoice {
  std::string without, hide, json;
  int64_t words = 64;
};

const std::vector<std::string> kPageFiles = {"report.html", "figures.json"};  // of the page

void require_beside_page(const std::string& json, const std::string& folder) {
  std::error_code failed;
  for (const std::string& file : kPageFiles)
    if (!json.empty() && std::filesystem::weakly_canonical(json, failed) ==
                             std::filesystem::weakly_canonical(folder + "/" + file, failed))
      throw InputError(fmt::format("look: --json must be another file than those of the page, {}; got \"{}\"",
                                   fmt::join(kPageFiles, " and "), json));
}

std::string best_in_words(const LookAnswer& answer) {
  std::string text;
  for (const report::Candidate& one : answer.best)
    text += fmt::format("{}{} {:.4f}", text.empty() ? "" : ", ", one.word, one.probability);
  return text;
}

io::Json answer_json(const LookAnswer& answer) {
  io::Json best = io::Json::array();
  for (const report::Candidate& one : answer.best) best.push(io::Json::array({one.word, one.probability}));
  return best;
}

void tell_question(const LookSubject& subject) {
  for (const std::string& word : subject.model().unknown)
    say(fmt::format("the vocabulary of the model lacks {}, which is <unk>", text::in_quotes(word)));
  if (const auto& written = subject.model().written) item("translation:", written->empty() ? "(empty)" : *written);
  item("question:", subject.question());
}

// Prints the answer before and after, and returns it as JSON.
io::Json compare(const LookSubject& subject, const LookChoice& choice, const LookWithout& without) {
  const std::vector<LookAnswer> answers = subject.answers({LookWithout{}, without});
  const double moved = change(answers[0], answers[1]);
  std::string what;
  if (!choice.without.empty()) what += " without head " + choice.without;
  if (!choice.hide.empty()) what += (what.empty() ? " with word " : " and with word ") + choice.hide + " hidden";
  what.erase(0, 1);
  tell_question(subject);
  io::Json out = io::Json::object(
      {{"kind", subject.kind()}, {"without", choice.without}, {"hide", choice.hide}, {"change", moved}});
  if (answers[0].best.empty()) {
    item(what + ":", fmt::format("the cosine of the sentence vectors before and after is {:.6f}", 1 - moved));
    out.set("cosine", 1 - moved);
  } else {
    item("before:", best_in_words(answers[0]));
    item(what + ":", best_in_words(answers[1]));
    item("change:", fmt::format("{:.4f} of the probability has moved to other {}", moved,
                                subject.kind() == "classes" ? "classes" : "words"));
    out.set("before", answer_json(answers[0])).set("after", answer_json(answers[1]));
  }
  return out;
}

io::Json effects_json(const LookSubject& subject, const Effects& effects) {
  io::Json heads = io::Json::array(), words = io::Json::array();
  for (const Switched& one : effects.heads)
    heads.push(io::Json::object({{"attention", one.head.attention},
                                 {"layer", one.head.layer},
                                 {"head", one.head.head},
                                 {"change", one.change}}));
  for (const auto& [list, side] : {std::pair{&effects.source, "source"}, {&effects.target, "target"}})
    for (const Switched& one : *list)
      words.push(io::Json::object({{"side", side}, {"word", one.word}, {"change", one.change}}));
  io::Json out = io::Json::object({{"kind", subject.kind()},
                                   {"question", subject.question()},
                                   {"source", subject.source().shown},
                                   {"target", subject.target().shown},
                                   {"before", answer_json(effects.whole)},
                                   {"heads", heads},
                                   {"words", words}});
  if (const auto& written = subject.model().written) out.set("translation", *written);
  return out;
}

void tell_effects(const LookSubject& subject, const Effects& effects) {
  tell_question(subject);
  item("answer:", effects.whole.best.empty() ? fmt::format("a vector of {} numbers", effects.whole.numbers.size())
                                             : best_in_words(effects.whole));
  std::vector<Switched> heads = effects.heads;
  std::stable_sort(heads.begin(), heads.end(),
                   [](const Switched& a, const Switched& b) { return a.change > b.change; });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(5, heads.size()); ++i)
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", subject.name_of(heads[i].head), heads[i].change);
  item("heads that matter most:", text);
}

}  // namespace

int look_main(int argc, char** argv) {
  Common common;
  LookOptions of;
  LookChoice choice;
  std::optional<std::string> model, text;
  std::string folder = "out/look";
  Options options("heed look",
                  "Writes one page, for one text, that looks inside a model, and switches off heads and words.");
  options.positional("TEXT", &text,
                     "the text, of at most 512 tokens; with a mask in it the answer is the word in its place");
  options.positional("MORE", &of.second,
                     "a second text for an encoder or decoder; the translation for an encoder-decoder");
  options
      .add("--model", &model,
           "folder of a published model (config.json, model.safetensors, the tokenizer's files), of a translator of "
           "heed "
           "train or heed translate, or of the encoder of lesson 25; default: out/generate, the small model of heed "
           "generate, which is trained first if it is not there")
      .placeholder("DIR");
  options
      .add("--without", &choice.without,
           "print the answer before and after these heads are switched off: layer.head, counted from 0, as in 3.2,1.0; "
           "cross:3.2 for a head that reads the encoder")
      .placeholder("HEADS");
  options
      .add("--hide", &choice.hide,
           "print the answer before and after these words are hidden: their numbers, counted from 0; target:2 for the "
           "decoder's words")
      .placeholder("WORDS");
  options
      .add("--words", &choice.words,
           "words that are hidden one by one for the page; of a longer text every second one, or third, ..")
      .between(1, 512);
  options.add("--out", &folder, "folder that receives report.html").placeholder("DIR");
  options.add("--json", &choice.json, "also write what was computed to the file F").placeholder("F");
  options.add("--seed", &common.seed, "of the shuffled controls").at_least(0);
  options.add("--threads", &common.threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.parse(argc, argv);
  apply_common(common);
  if (!text)
    throw InputError(fmt::format("look: needs a text; got {}; hint: ./heed look --model DIR \"text\"",
                                 model ? "a model alone" : "none"));
  require_place("look: --json", choice.json);
  const std::string at = model.value_or(kWriterFolder);
  require_apart("look: --json", choice.json, {at});
  require_apart("look: --out", folder + "/report.html", {at});
  const bool asked = !choice.without.empty() || !choice.hide.empty(),
             page = !asked || options.given().count("--out") > 0;
  if (page) require_beside_page(choice.json, folder);
  if (!model) model = small_writer();
  if (model->empty()) return 130;  // interrupted: what there is, is saved
  of.folder = *model, of.text = *text;
  const LookSubject subject(of);
  LookWithout without;
  if (!choice.without.empty()) without.heads = heads_in(choice.without, subject);
  if (!choice.hide.empty()) hide_words(choice.hide, subject, without);
  io::Json json = io::Json::object();
  std::optional<io::OwnedFolder> own;
  if (page) own.emplace(folder, io::FolderKind{.command = "look", .owner = "heed look", .files = kPageFiles});
  if (asked) {
    json = compare(subject, choice, without);
    flush_output();
  }
  if (page) {
    if (io::console(2).terminal) say("look: computing the answer without each head and without each word");
    const Effects effects = effects_of(subject, choice.words);
    if (!asked) {
      tell_effects(subject, effects);
      json = effects_json(subject, effects);
    }
    const std::string name = std::filesystem::path(*model + "/.").lexically_normal().parent_path().filename().string();
    look_page(
        subject, effects,
        {.model = name.empty() ? *model : name, .without = without.heads, .seed = static_cast<uint64_t>(common.seed)})
        .write(own->file("report.html"));
    tell("\n{}/report.html\n", folder);
  }
  if (!choice.json.empty()) io::atomic_write(choice.json, json.dump(2) + "\n");
  return 0;
}

}  // namespace heed::app
