// heed attention: the catalogue of attention (nn/catalogue/catalogue.h).
//
//   heed attention                    the number of entries of each kind
//   heed attention --list             every entry: formula, paper, and a picture of every mask
//   heed attention additive           one entry, with what the tests hold it to
//   heed attention --list --json F    the same as data
//   heed attention additive --drawing F.svg    the drawing of the course that shows it
//   heed attention --league           the results of the league that come with heed
//   heed attention --compare          the league: trains the variants on one task and compares them (tutorials/league)
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "nn/attention/growth.h"
#include "nn/catalogue/catalogue.h"
#include "nn/io/console.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/output_heads/output_head.h"
#include "tutorials/app/commands.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/entry_lessons.h"
#include "tutorials/course/properties.h"
#include "tutorials/course/tree.h"
#include "tutorials/league/options.h"
#include "tutorials/league/results/rows.h"
#include "tutorials/report/terminal.h"
#include "tutorials/report/wrap.h"

namespace heed::app {
namespace {

using report::print, report::wrapped;

using nn::CatalogueEntry;

std::string words(std::string property) {
  std::replace(property.begin(), property.end(), '_', ' ');
  return property;
}

io::Json to_json(const CatalogueEntry& entry) {
  io::Json exempt = io::Json::object();
  for (const auto& [property, reason] : entry.exempt) exempt.set(property, reason);
  io::Json settings = io::Json::array();
  for (const nn::OptionField& s : entry.settings)
    settings.push(io::Json::object({{"name", s.name},
                                    {"default", number_of(s)},
                                    {"least", s.range.least},
                                    {"most", s.range.most},
                                    {"help", s.help}}));
  return io::Json::object({{"id", entry.id},
                           {"also", entry.also},
                           {"name", entry.name},
                           {"kind", nn::name_of(entry.kind)},
                           {"family", entry.family},
                           {"formula", entry.formula},
                           {"paper", entry.paper},
                           {"year", entry.year},
                           {"tier", entry.tier},
                           {"properties", nn::properties_of(entry)},
                           {"settings", settings},
                           {"exempt", exempt}});
}

std::vector<std::string> families() {
  std::vector<std::string> out;
  for (const CatalogueEntry& entry : nn::catalogue())
    if (out.empty() || out.back() != entry.family) out.push_back(entry.family);
  return out;
}

report::Thumbnail picture_of(const CatalogueEntry& entry) {
  constexpr int64_t size = 8;
  Tensor shares = entry.picture({.queries = size, .keys = size});
  return {entry.id + " " + entry.name, {size_t(size), size_t(size), shares.to_vector()}};
}

void print_pictures(const std::vector<report::Thumbnail>& pictures) {
  if (pictures.empty()) return;
  tell("\n  Which query may attend to which key: one row per query, one column per key\n\n");
  print(report::thumbnails(pictures, io::console(1)));
}

void print_overview() {
  struct Row {
    std::string family;
    int count;
    std::string members;
  };
  std::vector<Row> rows;
  size_t properties = 0, widest = 0;
  for (const std::string& family : families()) {
    std::string members;
    int count = 0;
    for (const CatalogueEntry& entry : nn::catalogue()) {
      if (entry.family != family) continue;
      members += (members.empty() ? "" : ", ") + entry.name;
      properties += nn::properties_of(entry).size();
      ++count;
    }
    rows.push_back({family, count, members});
    widest = std::max(widest, family.size());
  }
  const int width = io::console(1).width;
  fmt::print("{}\n\n", wrapped("",
                               "Attention is a pipeline of stages: score, position, scope, normaliser, evaluator. Any "
                               "score goes with any scope, and so on; what mathematics forbids is refused in a "
                               "sentence.",
                               width));
  for (const auto& [family, count, members] : rows)
    fmt::print("{}\n", wrapped(fmt::format("  {:<{}} {:>3}  ", family, widest, count), members, width));
  tell("\n{} entries, {} properties of theirs tested\n\n", nn::catalogue().size(), properties);
  tell("  heed attention --list        formulas, papers, pictures of the masks\n");
  tell("  heed attention additive      one of them: what it holds, and what it cannot\n");
}

void print_properties(const std::string& first, const std::vector<std::string>& properties) {
  const std::string all = words(fmt::format("{}", fmt::join(properties, "; ")));
  fmt::print("{}\n", wrapped(first, all, io::console(1).width));
}

void print_line(const CatalogueEntry& entry) {
  const int width = io::console(1).width;
  fmt::print("\n{}\n", wrapped(fmt::format("  {:<4} {:<18} ", entry.id, entry.name), entry.formula, width));
  fmt::print("{}\n", wrapped(fmt::format("  {:<4} {:<18} ", "", nn::name_of(entry.kind)), entry.paper, width));
  print_properties(fmt::format("  {:<4} {:<18} ", "", "holds"), entry.own);
  std::vector<std::string> exempt;
  for (const auto& [property, reason] : entry.exempt) exempt.push_back(property);
  if (!exempt.empty()) print_properties(fmt::format("  {:<4} {:<18} ", "", "exempt from"), exempt);
}

void print_heading(const CatalogueEntry& first) {
  tell("{}\n", first.family);
  const std::vector<std::string>& shared = nn::properties_of(first.kind);
  if (!shared.empty()) print_properties(fmt::format("  every {} holds: ", nn::name_of(first.kind)), shared);
}

void print_list() {
  std::string heading;
  std::vector<report::Thumbnail> pictures;
  for (const CatalogueEntry& entry : nn::catalogue()) {
    if (entry.family != heading) {
      print_pictures(pictures);
      pictures.clear();
      if (!heading.empty()) fmt::print("\n");
      print_heading(entry);
      heading = entry.family;
    }
    print_line(entry);
    if (entry.picture) pictures.push_back(picture_of(entry));
  }
  print_pictures(pictures);
}

// The option of heed train that gives a model this entry.
std::string in_training(const CatalogueEntry& entry) {
  std::string option = entry.option, text = entry.text;
  if (std::string output = nn::output_called(entry.id); !output.empty()) option = "output", text = output;
  std::string how = entry.architecture.empty() ? "" : "--paper " + entry.architecture;
  if (!option.empty()) how += fmt::format("{}{} {}", how.empty() ? "" : "; ", option_name(option), text);
  if (how.empty()) return entry.more;
  return fmt::format("heed train {}{}{}", how, entry.more.empty() ? "" : "; ", entry.more);
}

void print_entry(const CatalogueEntry& entry) {
  const int width = io::console(1).width;
  auto field = [&](const char* name, const std::string& text) {
    fmt::print("{}\n", wrapped(fmt::format("  {:<9} ", name), text, width));
  };
  tell("{} {}\n\n", entry.id, entry.name);
  field("kind", nn::name_of(entry.kind));
  field("idea", entry.idea);
  if (!entry.also.empty()) field("also", fmt::format("{}", fmt::join(entry.also, "; ")));
  field("formula", entry.formula);
  field("shapes", entry.shapes);
  field("cost", nn::cost_in_words(entry));
  field("paper", entry.paper);
  field("pitfall", entry.wrong);
  for (size_t i = 0; i < entry.settings.size(); ++i) {
    const nn::OptionField& s = entry.settings[i];
    field(i == 0 ? "settings" : "",
          fmt::format("{} = {} ({}): {}; as in {}:{}{}", s.name, number_of(s), in_words(s.range), s.help, entry.name,
                      i == 0 ? "" : s.name + "=", number_of(s)));
  }
  if (!entry.variants.empty()) field("variants", fmt::format("{}", fmt::join(entry.variants, ", ")));
  if (std::string how = in_training(entry); !how.empty()) field("reached", how);
  field("file", entry.file);
  bool first = true;
  for (const std::string& line : league::lines_about(entry.id, league::recorded_results(course::source_root())))
    field(std::exchange(first, false) ? "league" : "", line + " exact");
  if (std::string lesson = course::lesson_of(entry.id); !lesson.empty())
    field("lesson", fmt::format("./heed run {}", lesson));
  if (!entry.cases.empty()) field("gradient", fmt::format("heed gradcheck \"{}\"", entry.cases));
  tell("\n  Properties, each checked by a test\n");
  for (const std::string& property : nn::properties_of(entry))
    fmt::print("{}\n", wrapped("    ", course::sentence_of(property), width));
  if (!entry.exempt.empty()) tell("\n  Properties that it cannot have, and why\n");
  for (const auto& [property, reason] : entry.exempt)
    fmt::print("{}\n", wrapped("    ", course::sentence_of(property) + " Not here: " + reason + ".", width));
  if (entry.picture) print_pictures({picture_of(entry)});
}

const CatalogueEntry& entry_named(const std::string& name) {
  if (const CatalogueEntry* called = nn::entry_called(name)) return *called;
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : nn::catalogue()) { names.insert(names.end(), {entry.id, entry.name}); }
  std::string hint = nearest(name, names);
  throw InputError(fmt::format("attention: NAME must be an entry of the catalogue; got \"{}\"; {}", name,
                               hint.empty() ? "heed attention --list shows them" : "the nearest is " + hint));
}

}  // namespace

int attention_main(int argc, char** argv) {
  std::string name, json, drawing;
  bool list = false;
  league::LeagueOptions league;
  Options options(
      "heed attention",
      "The catalogue of attention: every variant in this library, and the properties that the tests check.");
  options.positional("NAME", &name, "show one entry, given by its id or its name");
  options.flag("--list", &list, "show all entries with formula and paper, and pictures of the masks");
  options.add("--json", &json, "write the entries as JSON to the file F").placeholder("F");
  options.add("--drawing", &drawing, "write the drawing of the course that shows the entry NAME to the file F, as SVG")
      .placeholder("F");
  league.add_to(options);
  options.parse(argc, argv);
  if (league.compare || league.recorded) {
    if (list || !name.empty() || !json.empty() || !drawing.empty())
      throw InputError(fmt::format("attention: --{} stands alone; got NAME, --list, --json or --drawing with it",
                                   league.compare ? "compare" : "league"));
    return league.run();
  }
  league.require_none();
  if (!drawing.empty() && name.empty())
    throw InputError(
        fmt::format("attention: --drawing needs the NAME of an entry; got --drawing \"{}\" alone", drawing));
  if (list && !name.empty()) throw InputError(fmt::format("attention: --list shows all; got NAME \"{}\" too", name));

  const CatalogueEntry* one = name.empty() ? nullptr : &entry_named(name);
  if (!json.empty()) {
    io::Json entries = io::Json::array();
    for (const CatalogueEntry& entry : nn::catalogue())
      if (!one || one == &entry) entries.push(to_json(entry));
    io::atomic_write(json, entries.dump(2) + "\n");
  }
  if (!drawing.empty()) io::atomic_write(drawing, course::svg_of(course::drawing_of_entry(one->id)));
  if (one)
    print_entry(*one);
  else if (list)
    print_list();
  else
    print_overview();
  return 0;
}

}  // namespace heed::app
