// The program heed: one table of sub-commands, each with its own main(argc, argv), argv[0] being its name.
//
// To add one: write tutorials/app/NAME.cpp with `int NAME_main(int argc, char** argv)`, declare it in commands.h and
// give it a row here. ./heed shows a sub-command as soon as its file is there.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tensor/error.h"
#include "tutorials/app/commands.h"
#include "tutorials/common/main.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {

namespace {

struct Command {
  const char* name;
  int (*main)(int argc, char** argv);
};

constexpr Command kCommands[] = {
    {"attention", attention_main}, {"classify", classify_main}, {"course", course_main},
    {"drawing", drawing_main},     {"embed", embed_main},       {"fill", fill_main},
    {"generate", generate_main},   {"get", get_main},           {"gradcheck", gradcheck_main},
    {"grades", grades_main},       {"look", look_main},         {"museum", museum_main},
    {"score", score_main},         {"search", search_main},     {"train", train_main},
    {"translate", translate_main},
};

int dispatch(int argc, char** argv) {
  const std::string given = argc > 1 ? argv[1] : "";
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (given == command.name) return command.main(argc - 1, argv + 1);
    names.emplace_back(command.name);
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  if (given == "--help" || given == "-h") {
    tell(
        "usage: heed COMMAND [options]\n\n  COMMAND is one of {}.\n  heed COMMAND --help lists its options, "
        "heed --version prints the version and the commit.\n",
        all);
    return 0;
  }
  std::string hint = nearest(given, names);
  if (!hint.empty()) hint = "; the nearest is " + hint;
  throw InputError(fmt::format("heed: must be followed by one of {}; got \"{}\"{}", all, given, hint));
}

}  // namespace
}  // namespace heed::app

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, heed::app::dispatch); }
