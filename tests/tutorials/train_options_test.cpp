// The options of heed train as --help shows them, and which of them need another.
#include "tutorials/app/train_options.h"

#include <algorithm>

#include "nn/attention/registry.h"
#include "nn/pooling/pooler.h"
#include "tests/refuses.h"
#include "tutorials/app/commands.h"

using namespace heed;
using namespace heed::app;

TEST_CASE("heed train --help: every number has its range, and a default within it or in words") {
  const auto help = option_help();
  for (const std::string& paper : nn::paper_names()) {
    TrainOptions o;
    set_paper(o, paper);
    for (const nn::OptionField& f : nn::fields_of(o)) {
      if (!std::holds_alternative<int64_t*>(f.place) && !std::holds_alternative<double*>(f.place)) continue;
      CAPTURE(paper);
      CAPTURE(f.name);
      auto row = std::find_if(help.begin(), help.end(), [&](const auto& one) { return one.first == f.name; });
      REQUIRE(row != help.end());
      CAPTURE(row->second);
      CHECK(row->second.find(in_words(f.range)) != std::string::npos);
      CHECK(row->second.find("default") != std::string::npos);
      if (!f.range.holds(nn::number_of(f))) CHECK(f.usual != "");
      if (!f.usual.empty()) CHECK(row->second.find(f.usual) != std::string::npos);
    }
  }
}

TEST_CASE("heed train --help: the settings of every stage that has some, whatever its name") {
  const std::string help = settings_help();
  CHECK(help.find("to inf") == std::string::npos);
  for (const nn::Stages& stages : nn::all_stages())
    for (const std::string& name : nn::stage_names(stages)) {
      if (stages.kind == nn::Kind::evaluator && nn::chosen_by_call({.name = name})) continue;
      CAPTURE(name);
      CHECK((help.find("\n  " + name + ":") != std::string::npos) != nn::stage_entry(stages, name).settings.empty());
    }
}

namespace {

// What heed train answers to these words, before it asks for data.
std::string said(std::vector<std::string> words) {
  words.insert(words.begin(), {"heed train", "--out", "train-options-is-never-made"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return bad_input::message_of<InputError>([&] { train_main(static_cast<int>(words.size()), argv.data()); });
}

}  // namespace

TEST_CASE("heed train: what an option needs is an option of the same paper") {
  int64_t needy = 0;
  for (const std::string& paper : nn::paper_names()) {
    TrainOptions o;
    set_paper(o, paper);
    for (const nn::OptionField& f : nn::fields_of(o)) {
      if (!f.needs) continue;
      CAPTURE(paper);
      CAPTURE(f.name);
      ++needy;
      CHECK(fields_called(o, f.needs->option).size() >= 1);
    }
  }
  CHECK(needy > 30);
}

TEST_CASE("heed train: what would change nothing is refused, and is accepted with what it needs") {
  const std::string data = "heed train: --pairs is required, or --src, --tgt, --valid-src and --valid-tgt";
  const std::vector<std::string> deep{"--paper", "transformer", "--layers", "2"}, flat{"--paper", "transformer"};
  auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  auto refused = [&](const std::vector<std::string>& words, const std::vector<std::string>& needed,
                     const std::string& sentence) {
    CHECK(said(words) == sentence);
    CHECK(said(needed) == data);
  };
  refused({"--schedule", "noam", "--learning-rate", "0.1"}, {"--schedule", "plateau", "--learning-rate", "0.1"},
          "train: --learning-rate needs --schedule warmup_cosine, inverse_sqrt, plateau or constant; got 0.1 with "
          "schedule noam");
  refused({"--schedule", "constant", "--warmup", "9"}, {"--schedule", "noam", "--warmup", "9"},
          "train: --warmup needs --schedule warmup_cosine, noam or inverse_sqrt; got 9 with "
          "schedule constant");
  refused({"--factor", "2"}, {"--factor", "2", "--schedule", "noam"},
          "train: --factor needs --schedule noam; got 2 with schedule warmup_cosine");
  refused({"--ema", "0.5", "--weights", "trained"}, {"--ema", "0.5"},
          "train: --ema needs --weights ema; got 0.5 with weights trained");
  refused({"--ema", "0.5", "--average", "3"}, {"--average", "3", "--weights", "average"},
          "train: --ema needs --weights ema; got 0.5 with weights average");
  for (const char* residual : {"--value-residual", "--score-residual"})
    refused(with(flat, {residual, "true"}), with(deep, {residual, "true"}),
            std::string("train: ") + residual + " needs --layers 2 or more; got true with layers 1");
  CHECK(said(with(flat, {"--value-residual", "false"})) == data);
  refused(with(deep, {"--mixers", "average,attention,fast_weights"}), with(deep, {"--mixers", "average,attention"}),
          "train: --mixers needs --layers 3 or more; got average,attention,fast_weights with "
          "layers 2");
  refused(with(deep, {"--encoder-mixers", "fnet,fnet,fnet"}), with(deep, {"--encoder-mixers", "fnet"}),
          "train: --encoder-mixers needs --layers 3 or more; got fnet,fnet,fnet with layers 2");
  refused(with(deep, {"--scope", "window:1", "--mixers", "average"}),
          with(deep, {"--scope", "window:1", "--mixers", "average,attention"}),
          "train: --scope needs --mixers with attention among them; got window:1 with "
          "mixers average");
  refused(with(deep, {"--max-positions", "20"}), with(deep, {"--max-positions", "20", "--positions", "learned"}),
          "train: --max-positions needs --positions learned; got 20 with positions sinusoidal");
}
