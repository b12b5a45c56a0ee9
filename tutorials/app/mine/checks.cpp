#include "tutorials/app/mine/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "nn/io/console.h"
#include "tensor/error.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

bool is_linked(const std::string& name) { return std::ranges::count(linked_parts(), name, &Part::name) > 0; }

// Called when a part runs too long, usually in an endless loop. Uses only functions that are safe in a signal handler.
constexpr unsigned kSeconds = 60;
void too_long(int) {
  const char* sentence = "mine: the next part does not end within 60 s; does one of its loops never end?\n";
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, sentence, std::strlen(sentence));
  _exit(1);
}

// Checks one part and says so in a line.
bool agrees(const Part& part) {
  Comparison c;
  signal(SIGALRM, too_long);
  alarm(kSeconds);
  try {
    part.check(c);
  } catch (const std::exception& error) { c.refuse(fmt::format("an error stopped it: {}", error.what())); }
  alarm(0);
  print_verdict(part.name, part.exercise, c.agrees(),
                c.agrees()
                    ? "yours: " + c.summary()
                    : fmt::format("not yet: {}; {} says what is wrong", c.difference(), command_for(part.exercise)));
  return c.agrees();
}

}  // namespace

std::vector<Part> chosen_parts(const std::string& command, const std::string& list, char use) {
  std::vector<std::string> known, wanted;
  for (const Row& row : rows_of(use))
    if (is_linked(row.name)) known.push_back(row.name);
  if (list == "all") wanted = known;
  for (size_t begin = 0; list != "all" && list != "none" && begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    wanted.push_back(list.substr(begin, end - begin));
    if (std::ranges::count(known, wanted.back()) == 0)
      throw InputError(fmt::format("{} --mine: must be all, none or a list of {}; got \"{}\"", command,
                                   fmt::join(known, ", "), wanted.back()));
    begin = end + 1;
  }
  std::vector<Part> chosen;
  for (const Part& part : linked_parts())
    if (std::ranges::count(wanted, part.name) > 0) chosen.push_back(part);
  return chosen;
}

Pieces pieces_of(const std::vector<Part>& chosen) {
  Pieces pieces = library_pieces();
  for (const Part& part : chosen) part.use(pieces);
  return pieces;
}

void print_verdict(const std::string& name, const std::string& exercise, bool good, const std::string& text) {
  const bool colour = io::console(1).colour;
  tell("{}mine: {:<16} {:<5} {}{}\n",
       !colour ? ""
       : good  ? "\x1b[32m"
               : "\x1b[31m",
       name, exercise, text, colour ? "\x1b[0m" : "");
  flush_output();
}

bool check_parts(const std::vector<Part>& chosen, char use) {
  std::vector<std::string> right;
  for (const Row& row : rows_of(use)) {
    auto part = std::ranges::find(chosen, row.name, &Part::name);
    if (part != chosen.end()) {
      if (agrees(*part)) right.push_back(row.name);
    } else
      tell("mine: {:<16} {:<5} the library's; {}\n", row.name, row.exercise(), command_for(row.exercise()));
  }
  if (right.size() < chosen.size())
    tell(
        "mine: {} of {} parts agree with the library; the model is trained when all do. Without the others: --mine "
        "{}\n",
        right.size(), chosen.size(), right.empty() ? "none" : fmt::format("{}", fmt::join(right, ",")));
  return right.size() == chosen.size();
}

bool check_whole(const std::string& name, const Pieces& pieces, void (*compare)(const Pieces&, Comparison&)) {
  Comparison whole;
  compare(pieces, whole);
  print_verdict(name, "", whole.agrees(),
                whole.agrees()
                    ? fmt::format("put together from these parts: log p and all gradients agree with the library ({})",
                                  whole.error())
                    : "not yet: " + whole.difference());
  return whole.agrees();
}

std::string list_of(char use) {
  std::string list;
  for (const Row& row : rows_of(use))
    list += fmt::format("  {:<17} {}   {}\n", row.name, row.exercise(), command_for(row.exercise()));
  return list;
}

}  // namespace heed::app
