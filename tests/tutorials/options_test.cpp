// Options: what is understood, and the sentence for everything that is not; exit codes of run_main.
#include "tutorials/common/options.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <new>

#include "nn/train/interrupt.h"
#include "tests/refuses.h"
#include "tests/source_dir.h"
#include "tutorials/common/main.h"
#include "tutorials/common/version.h"

using namespace heed::app;
using heed::bad_input::refuses;

namespace {

struct Everything {
  Common common;
  std::int64_t epochs = 12;
  double rate = 0.5;
  std::string direction = "en-fr", input;
  std::vector<std::string> variants;
  std::optional<std::string> pairs;
  std::optional<double> clip;
  bool retrain = false;
  Options options{"heed translate", "Translates."};

  Everything() {
    options.positional("INPUT", &input, "a file");
    options.add("--epochs", &epochs, "passes").between(1, 1000);
    options.add("--lr", &rate, "learning rate").above(0);
    options.add("--direction", &direction, "which way").one_of({"en-fr", "fr-en"});
    options.add("--variants", &variants, "a list");
    options.add("--pairs", &pairs, "a file").placeholder("F.tsv");
    options.add("--clip", &clip, "gradient norm").at_least(0.5);
    options.flag("--retrain", &retrain, "anew");
    add_common(options, &common);
  }
  std::string parse(std::vector<std::string> words) {
    words.insert(words.begin(), "heed");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    try {
      options.parse(static_cast<int>(words.size()), pointers.data());
    } catch (const heed::InputError& error) { return error.what(); }
    return "fine";
  }
};

std::string sentence(std::vector<std::string> words) { return Everything().parse(std::move(words)); }

// What a program ends with, its standard error thrown away.
int exit_code(const std::function<int(int, char**)>& work, std::vector<std::string> words = {}) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    int silent = open("/dev/null", O_WRONLY);
    dup2(silent, STDERR_FILENO);
    dup2(silent, STDOUT_FILENO);
    _exit(run_main(static_cast<int>(words.size()), argv.data(), work));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("options are understood") {
  Everything all;
  REQUIRE(all.parse({"--epochs", "3", "in.txt", "--lr=1e-3", "--direction", "fr-en", "--variants", "a,b", "--variants",
                     "c", "--pairs", "x y.tsv", "--retrain", "--threads", "2", "--seed=7", "--quick"}) == "fine");
  CHECK(all.epochs == 3);
  CHECK(all.rate == 1e-3);
  CHECK(all.direction == "fr-en");
  CHECK(all.variants == std::vector<std::string>{"a", "b", "c"});
  CHECK(all.pairs == "x y.tsv");
  CHECK_FALSE(all.clip.has_value());
  CHECK(all.retrain);
  CHECK(all.input == "in.txt");
  CHECK(all.common.threads == 2);
  CHECK(all.common.seed == 7);
  CHECK(all.common.quick);
  Everything dashed;
  REQUIRE(dashed.parse({"--", "--odd-name"}) == "fine");
  CHECK(dashed.input == "--odd-name");
}

TEST_CASE("a list has an element for each comma, or for each use where a text may have commas") {
  std::vector<std::string> names, settings;
  Options options{"heed train", "Trains."};
  options.add("--names", &names, "names");
  options.add("--set", &settings, "settings").whole();
  const char* words[] = {"heed", "--names", "a,b", "--set", "scope=dilated:4,gap=3", "--set", "seed=7"};
  options.parse(7, const_cast<char**>(words));
  CHECK(names == std::vector<std::string>{"a", "b"});
  CHECK(settings == std::vector<std::string>{"scope=dilated:4,gap=3", "seed=7"});
}

TEST_CASE("a field is called what its option is called, and one that has none is left out") {
  std::int64_t width = 1, layers = 1, types = 1;
  heed::nn::OptionFields f;
  f("model", width, "width").option = "model_width";
  f("layers", layers, "layers");
  f("token_types", types, "types").option = heed::nn::kNoOption;
  Options options("heed", "");
  options.add_all(f.all);
  const std::string help = options.help();
  for (const char* shown : {"--model-width N", "--layers N"}) CHECK(help.find(shown) != std::string::npos);
  for (const char* hidden : {"--model N", "token", "---"}) CHECK(help.find(hidden) == std::string::npos);
}

TEST_CASE("numbers that are none are refused") {
  CHECK(sentence({"--seed", "x"}) == "--seed: must be a whole number from 0 to 9007199254740992; got \"x\"");
  CHECK(sentence({"--seed", "-1"}) == "--seed: must be a whole number from 0 to 9007199254740992; got -1");
  CHECK(sentence({"--seed", "99999999999999999999"}) ==
        "--seed: must be a whole number from 0 to 9007199254740992; got \"99999999999999999999\"");
  CHECK(sentence({"--threads", "0"}) == "--threads: must be a whole number from 1 to 256; got 0");
  CHECK(sentence({"--epochs", "3.5"}) == "--epochs: must be a whole number from 1 to 1000; got \"3.5\"");
  CHECK(sentence({"--epochs", ""}) == "--epochs: must be a whole number from 1 to 1000; got \"\"");
  for (std::string text : {"nan", "inf", "-inf", "0x1p3", "1e999", " 1", "1e", "-", ""}) {
    CHECK(sentence({"--lr", text}) == "--lr: must be a number above 0; got \"" + text + "\"");
  }
  CHECK(sentence({"--lr", "0"}) == "--lr: must be a number above 0; got 0");
  CHECK(sentence({"--clip", "0.25"}) == "--clip: must be a number of at least 0.5; got 0.25");
}

TEST_CASE("what is unknown, missing or double is named") {
  CHECK(sentence({"--epocs", "3"}) == "heed translate: unknown option --epocs; did you mean --epochs?");
  CHECK(sentence({"--retrian"}) == "heed translate: unknown option --retrian; did you mean --retrain?");
  CHECK(sentence({"--wholly-other=3"}) == "heed translate: unknown option --wholly-other; --help lists them");
  CHECK(sentence({"-x"}).find("heed translate: unknown option -x") == 0);
  CHECK(sentence({"a", "b"}) == "heed translate: unexpected argument \"b\"; --help lists what is known");
  CHECK(sentence({"--seed"}) == "heed translate: a value must follow --seed; got nothing");
  CHECK(sentence({"--seed", "1", "--seed", "2"}) == "--seed: must be given once; got it 2 times");
  CHECK(sentence({"--direction", "en-ft"}) ==
        "--direction: must be one of en-fr, fr-en; got \"en-ft\"; nearest: en-fr");
  CHECK(sentence({"--quick=maybe"}) == "--quick: must be true or false; got \"maybe\"");
  CHECK(sentence({"--variants", "a,,b"}) == "--variants: must be a text that is not empty; got \"a,,b\"");
  std::string need;
  Options options("heed score", "Scores.");
  options.add("--hyp", &need, "hypotheses").required();
  std::string program = "heed";
  char* words[] = {program.data(), nullptr};
  refuses<heed::InputError>("heed score: --hyp required", [&] { options.parse(1, words); });
}

TEST_CASE("help shows every option with range, choices and default") {
  std::string help = Everything().options.help();
  CHECK(help.find("usage: heed translate [options] [INPUT]\n") != std::string::npos);
  CHECK(help.find("  --epochs N        passes (1 to 1000; default 12)\n") != std::string::npos);
  CHECK(help.find("  --direction TEXT  which way (en-fr | fr-en; default en-fr)\n") != std::string::npos);
  CHECK(help.find("  --pairs F.tsv     a file\n") != std::string::npos);
  for (std::string name : {"--quick", "--seed", "--threads", "--out", "--help"})
    CHECK(help.find("  " + name) != std::string::npos);
}

TEST_CASE("every program says its version, wherever the option stands") {
  std::ifstream file(source_dir() + "/CMakeLists.txt");
  std::string line;
  const std::string project = "project(heed VERSION ";
  while (std::getline(file, line) && !line.starts_with(project)) continue;
  REQUIRE(line.size() > project.size());
  CHECK(std::string(version()).starts_with(
      "heed " + line.substr(project.size(), line.find(' ', project.size()) - project.size())));
  for (std::string name : {"--version", "-V"}) {
    CHECK(exit_code([](int, char**) { return 5; }, {"program", name}) == 0);
    auto parse = [](int argc, char** argv) {
      Everything().options.parse(argc, argv);
      return 5;
    };
    CHECK(exit_code(parse, {"program", "--epochs", "2", name}) == 0);
    CHECK(exit_code(parse, {"program", "--pairs", name}) == 5);  // the value of an option
    CHECK(exit_code(parse, {"program", "--", name}) == 5);       // a file of this name
  }
  CHECK(sentence({"--version=3"}) == "heed translate: --version takes no value; got \"3\"");
  CHECK(sentence({"--quick", "--help=true"}) == "heed translate: --help takes no value; got \"true\"");
  CHECK(sentence({"-Vx"}).starts_with("heed translate: unknown option -"));
  CHECK(sentence({"-hV"}).starts_with("heed translate: unknown option -"));
}

TEST_CASE("exceptions become exit codes") {
  CHECK(exit_code([](int, char**) { return 0; }) == 0);
  CHECK(exit_code([](int, char**) { return 1; }) == 1);
  CHECK(exit_code([](int, char**) -> int { throw heed::InputError("x"); }) == 2);
  CHECK(exit_code([](int, char**) -> int { throw heed::IoError("x"); }) == 2);
  CHECK(exit_code([](int, char**) -> int { throw heed::ShapeError("x"); }) == 3);
  CHECK(exit_code([](int, char**) -> int { throw std::bad_alloc(); }) == 3);
  CHECK(exit_code([](int, char**) -> int { throw std::logic_error("x"); }) == 3);
  CHECK(exit_code([](int, char**) -> int { throw heed::nn::Interrupted("x"); }) == 130);
  CHECK(exit_code([](int, char**) -> int { throw ExitProgram{0}; }) == 0);
}
