// Command lines, through the parsing library. It is the only source that includes it, and is compiled without
// optimising: its templates take the compiler longer than all options together.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "tensor/error.h"
#include "tutorials/common/options.h"
#include "tutorials/common/version.h"

namespace heed::app {

void Options::parse(int argc, char** argv) {
  CLI::App parser;
  parser.set_help_flag("");
  parser.allow_extras();
  std::map<Option*, CLI::Option*> named;
  std::vector<std::string> known{"--help", "--version"}, loose;
  for (const auto& option : named_) {
    known.push_back(option->field_.name);
    bool is_flag = std::holds_alternative<bool*>(option->target_);
    named[option.get()] =
        is_flag ? parser.add_flag(option->field_.name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                : parser.add_option(option->field_.name)
                      ->type_size(1)
                      ->expected(1)
                      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ArgumentMismatch& error) {
    throw InputError(fmt::format("{}: a value must follow {}; got nothing", program_,
                                 std::string(error.what()).substr(0, std::string(error.what()).find(':'))));
  } catch (const CLI::ParseError& error) { throw InputError(fmt::format("{}: {}", program_, error.what())); }
  // Help and version are words of their own: not -Vx, not --help=3.
  const std::vector<std::string> words = parser.remaining();
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    if (*word == "--help" || *word == "-h")
      fmt::print("{}", help());
    else if (*word == "--version" || *word == "-V")
      fmt::print("{}\n", version());
    else
      continue;
    throw ExitProgram{0};
  }
  bool only_values = false;  // after "--"
  for (const std::string& word : words) {
    if (word == "--" && !only_values) {
      only_values = true;
      continue;
    }
    if (!only_values && word.size() > 1 && word[0] == '-' && !decimal_number(word)) {
      std::string name = word.substr(0, word.find('='));
      if (name == "--help" || name == "--version")
        throw InputError(
            fmt::format("{}: {} takes no value; got \"{}\"", program_, name, word.substr(name.size() + 1)));
      std::string near = nearest(name, known);
      throw InputError(fmt::format("{}: unknown option {}{}", program_, name,
                                   near.empty() ? "; --help lists them" : "; did you mean " + near + "?"));
    }
    loose.push_back(word);
  }
  given_.clear();
  for (const auto& option : named_) {
    std::vector<std::string> values = named[option.get()]->results();
    bool many = std::holds_alternative<std::vector<std::string>*>(option->target_) ||
                std::holds_alternative<bool*>(option->target_);
    if (values.size() > 1 && !many)
      throw InputError(fmt::format("{}: must be given once; got it {} times", option->field_.name, values.size()));
    if (values.empty() && option->required_)
      throw InputError(fmt::format("{}: {} is required", program_, option->field_.name));
    if (auto** list = std::get_if<std::vector<std::string>*>(&option->target_); list && !values.empty())
      (*list)->clear();
    for (const std::string& value : values) option->assign(value);
    if (!values.empty()) given_.insert(option->field_.name);
  }
  std::size_t next = 0;
  for (const auto& option : positional_) {
    bool many = std::holds_alternative<std::vector<std::string>*>(option->target_);
    if (next >= loose.size() && option->required_)
      throw InputError(fmt::format("{}: {} is required; --help tells more", program_, option->field_.name));
    if (many)
      (*std::get<std::vector<std::string>*>(option->target_))
          .assign(loose.begin() + static_cast<std::ptrdiff_t>(std::min(next, loose.size())), loose.end());
    if (many) next = loose.size();
    if (!many && next < loose.size()) option->assign(loose[next++]);
  }
  if (next < loose.size())
    throw InputError(fmt::format("{}: unexpected argument \"{}\"; --help lists what is known", program_, loose[next]));
}

}  // namespace heed::app
