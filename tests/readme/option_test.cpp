// The option of CONTRIBUTING.md, "How to add an option of training": two lines, and the command line, its help, the
// checks and the files know it. The libraries are compiled without these lines, so what they do with options of
// training cannot be called here: the option is shown, set, checked, written and read, but nothing is trained.
#include <algorithm>

#include "tests/refuses.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/train_options.h"

using namespace heed;
using app::TrainOptions;
using bad_input::message_of;

namespace {

// What heed train answers to these words.
std::string said(std::vector<std::string> words) {
  words.insert(words.begin(), {"heed train", "--out", "readme-option-is-never-made"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return message_of<InputError>([&] { app::train_main(static_cast<int>(words.size()), argv.data()); });
}

}  // namespace

TEST_CASE("readme: two lines add an option to --help, the command line, the checks and the files") {
  auto help = app::option_help();
  auto row = std::find_if(help.begin(), help.end(), [](const auto& one) { return one.first == "min_epochs"; });
  REQUIRE(row != help.end());
  CHECK(row->second == "number of epochs after which --patience begins (0 to 1000; default 0)");

  const std::string accepted = "heed train: --pairs is required, or --src, --tgt, --valid-src and --valid-tgt";
  CHECK(said({"--min-epochs", "3"}) == accepted);
  CHECK(said({"--set", "min_epochs=3"}) == accepted);
  const std::string rule = "--min-epochs: must be a whole number from 0 to 1000; got ";
  CHECK(said({"--min-epochs", "1001"}) == rule + "1001");
  CHECK(said({"--set", "min_epochs=1.5"}) == rule + "\"1.5\"");
  CHECK(said({"--set", "min_epoch=3"}) ==
        "--set: must name an option of heed train; got \"min_epoch\"; nearest: min_epochs");

  for (const std::string& preset : app::preset_names()) {
    TrainOptions o = app::preset(preset);
    CHECK(o.fit.min_epochs == 0);
    o.fit.min_epochs = 7;
    const io::Json config = app::to_json(o);
    CHECK(config.integer("min_epochs") == 7);
    CHECK(app::train_options_from(config).fit.min_epochs == 7);
    CHECK(app::to_json(app::train_options_from(config)) == config);
    io::Json without = io::Json::object();
    for (const io::Member& m : config.items())
      if (m.key != "min_epochs") without.set(m.key, m.value);
    CHECK(app::train_options_from(without).fit.min_epochs == 0);
    CHECK(message_of<InputError>([&] { app::train_options_from(io::Json(config).set("min_epochs", -1)); }) ==
          rule + "-1");
    CHECK(message_of<IoError>([&] { app::train_options_from(without.set("min_epoch", 3)); }) ==
          "json: key \"min_epoch\" is no option; nearest: min_epochs");
  }
  nn::FitOptions fit;
  fit.min_epochs = 1001;
  CHECK(message_of<ValueError>([&] { nn::require_options("train", nn::fields_of(fit)); }) ==
        "train: min_epochs must lie in [0, 1000]; got 1001");
}
