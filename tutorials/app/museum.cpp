// heed museum: mistakes in attention that were published or shipped, each beside the right result.
//
//   heed museum                      every exhibit in a line, and all of them on a page, out/museum/report.html
//   heed museum --list               their names
//   heed museum no_mask              one exhibit: code, numbers, why it is hard to notice, where it happened
//   heed museum --blind [NAME]       the wrong numbers and three suspects; the answer after yours
//
// Answers of --blind are read from standard input: 1, 2, 3, Enter to be told, or q to stop.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "nn/io/console.h"
#include "nn/io/owned_folder.h"
#include "tensor/error.h"
#include "tutorials/app/commands.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/common/show.h"
#include "tutorials/museum/page.h"
#include "tutorials/report/shares.h"

namespace heed::app {
namespace {

using museum::Exhibit, museum::Shown;

// As the page prints them: weights together, other numbers with three digits.
std::vector<std::string> cells_of(const report::Matrix& m) {
  if (report::are_weights(m)) return report::printed(m);
  std::vector<std::string> out;
  for (double value : m.values) out.push_back(std::isnan(value) ? "NaN" : fmt::format("{:.3g}", value));
  return out;
}

// A single row is shown as columns "wrong" and "right"; otherwise each side is a table.
void print_numbers(const Shown& s, bool both) {
  using report::Align;
  tell("   {}\n\n", s.what);
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> wrong = cells_of(s.wrong), right = cells_of(s.right);
  if (s.rows.size() == 1) {
    for (std::size_t j = 0; j < s.columns.size(); ++j) {
      rows.push_back({s.columns[j], wrong[j]});
      if (both) rows.back().push_back(right[j]);
    }
    std::vector<std::string> header{s.rows[0], "wrong"};
    if (both) header.emplace_back("right");
    show(report::table(header, rows, console(), {Align::left, Align::right, Align::right}));
    return;
  }
  for (const auto& [name, m] : {std::pair{"wrong", &wrong}, std::pair{"right", &right}}) {
    if (!both && m == &right) break;
    std::vector<std::string> header{name};
    header.insert(header.end(), s.columns.begin(), s.columns.end());
    std::vector<Align> align(header.size(), Align::right);
    align[0] = Align::left;
    rows.clear();
    for (std::size_t i = 0; i < s.rows.size(); ++i) {
      rows.push_back({s.rows[i]});
      for (std::size_t j = 0; j < s.columns.size(); ++j) rows.back().push_back((*m)[i * s.columns.size() + j]);
    }
    show(report::table(header, rows, console(), align));
    fmt::print("\n");
  }
}

void explain(const Exhibit& e, const Shown& s) {
  tell("\n   wrong  {}\n   right  {}\n\n", e.wrong_code, e.right_code);
  item("measured:", s.verdict + " " + difference_of(s).text());
  item("hard to notice:", e.hidden);
  item("happened:", e.happened);
  if (!e.lesson.empty()) item("lesson:", fmt::format("./heed run {}", e.lesson));
}

void print(const Exhibit& e) {
  heading(e.title);
  item("", e.setting);
  fmt::print("\n");
  const Shown s = e.show();
  print_numbers(s, true);
  explain(e, s);
}

// Returns false if the reader wants to stop.
bool ask(const Exhibit& e, std::size_t number, std::size_t of, std::size_t& right) {
  const Shown s = e.show();
  heading(fmt::format("Exhibit {} of {}", number, of));  // the title would tell
  item("", e.setting);
  fmt::print("\n");
  print_numbers(s, false);
  tell("\nWhat is wrong?\n");
  for (std::size_t i = 0; i < e.suspects.size(); ++i) tell("  {}  {}\n", i + 1, e.suspects[i]);
  tell("1, 2 or 3; Enter to be told, q to stop: ");
  flush_output();
  std::string line;
  if (!std::getline(std::cin, line) || line == "q") {
    fmt::print("\n");
    return false;
  }
  const bool solved = line == std::to_string(e.culprit + 1);
  right += solved;
  const std::string& culprit = e.suspects[e.culprit];
  tell("\n{}: {}. {}\n", solved ? "Yes" : line.empty() ? "The answer" : "No", culprit, e.title);
  fmt::print("\n");
  print_numbers(s, true);
  explain(e, s);
  return true;
}

std::vector<Exhibit> exhibits_named(const std::string& name) {
  if (name.empty()) return museum::exhibits();
  std::vector<std::string> names;
  for (const Exhibit& e : museum::exhibits()) {
    if (e.name == name) return {e};
    names.push_back(e.name);
  }
  const std::string hint = nearest(name, names);
  throw InputError(fmt::format("museum: NAME must be an exhibit; got \"{}\"; {}", name,
                               hint.empty() ? "heed museum --list shows them" : "the nearest is " + hint));
}

void print_table(const std::vector<Exhibit>& list) {
  std::vector<std::vector<std::string>> rows;
  for (const Exhibit& e : list) rows.push_back({e.name, e.title});
  for (const std::string& line : report::table({"name", "what went wrong"}, rows, io::console(1)))
    fmt::print("{}\n", line);
}

}  // namespace

int museum_main(int argc, char** argv) {
  std::string name, folder = "out/museum";
  bool list = false, blind = false;
  Options options("heed museum", "Shows mistakes in attention that were published or shipped, and what is right.");
  options.positional("NAME", &name, "print this exhibit; default: all of them, on a page");
  options.flag("--list", &list, "print the names of the exhibits");
  options.flag("--blind", &blind, "show the wrong result and three suspects, and tell after the answer");
  options.add("--out", &folder, "folder that receives report.html; it keeps the results of one command")
      .placeholder("DIR");
  options.parse(argc, argv);
  if (list && (blind || !name.empty())) throw InputError("museum: --list goes alone; got a NAME or --blind as well");

  const std::vector<Exhibit> chosen = exhibits_named(name);
  if (list) {
    print_table(chosen);
    return 0;
  }
  if (!name.empty() && !blind) {
    print(chosen.front());
    return 0;
  }
  const io::FolderKind kind{.command = "museum", .owner = "heed museum", .files = {"report.html", "figures.json"}};
  const io::OwnedFolder own(folder, kind);  // said before the work
  if (blind) {
    std::size_t asked = 0, right = 0;
    while (asked < chosen.size() && ask(chosen[asked], asked + 1, chosen.size(), right)) ++asked;
    tell("\n{} of {} right\n", right, asked);
  } else {
    for (const Exhibit& e : chosen) {
      const Shown s = e.show();
      item(e.name, s.verdict + " " + difference_of(s).text());
    }
  }
  museum::page_of(chosen, blind).write(own.file("report.html"));
  tell("\n{} exhibits  {}/report.html\n", chosen.size(), folder);
  return 0;
}

}  // namespace heed::app
