#include "tutorials/league/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "nn/io/owned_folder.h"
#include "tensor/error.h"
#include "tutorials/common/output.h"
#include "tutorials/course/tree.h"
#include "tutorials/league/abilities.h"
#include "tutorials/league/results/page.h"

namespace heed::league {
namespace {

[[noreturn]] void nothing_recorded() {
  throw InputError(
      fmt::format("attention: --league reads tutorials/league/recorded; it is not in {}; hint: "
                  "heed attention --compare trains the variants here",
                  course::source_root()));
}

// The abilities that come with heed.
int print_abilities(const std::string& folder) {
  const io::FolderKind kind{
      .command = "attention", .owner = "heed attention --league", .files = {"report.html", "figures.json"}};
  if (!folder.empty()) io::require_own(folder, kind);  // said before the tables
  const AbilityResults all = recorded_abilities(course::source_root());
  if (all.rows.empty()) nothing_recorded();
  for (const std::string& line : ability_table(all, io::console(1))) fmt::print("{}\n", line);
  if (folder.empty()) return 0;
  const io::OwnedFolder to(folder, kind);
  ability_page(all, "What variants of attention can do").write(to.file("report.html"));
  app::tell("\nreport                  {}\n", to.file("report.html"));
  return 0;
}

// The results that come with heed: of the tasks of a list, or of all of them.
int print_recorded(const std::string& list, const std::string& folder) {
  const io::FolderKind kind{
      .command = "attention", .owner = "heed attention --league", .files = {"report.html", "figures.json"}};
  if (!folder.empty()) io::require_own(folder, kind);  // said before the tables
  const std::vector<Results> all = recorded_results(course::source_root());
  if (all.empty()) nothing_recorded();
  const std::vector<std::string> tasks = tasks_of(list.empty() ? "all" : list);
  bool found = false;
  for (const Results& some : all) {
    std::vector<Row> rows;
    for (const Row& row : some.rows)
      if (std::find(tasks.begin(), tasks.end(), row.task) != tasks.end()) rows.push_back(row);
    if (rows.empty()) continue;
    app::tell("{}{}\n\n", found ? "\n" : "", in_words(some.sizes));
    print_table(rows, some.sizes);
    found = true;
  }
  if (!found)
    throw InputError(
        fmt::format("attention: --league has no results of the task \"{}\"; hint: --league alone prints all", list));
  if (folder.empty()) return 0;
  const io::OwnedFolder to(folder, kind);
  page_of(all, "The league of attention", recorded_reasons(course::source_root())).write(to.file("report.html"));
  app::tell("\nreport                  {}\n", to.file("report.html"));
  return 0;
}

}  // namespace

void LeagueOptions::add_to(app::Options& options) {
  options.flag("--compare", &compare,
               "train variants on the same task, data, seed and number of parameters, beside three controls, and "
               "print the accuracy and the cost of each; the results are kept in --out, so the same command continues "
               "a run that was stopped, and further variants and tasks are added");
  options.flag("--league", &recorded,
               "print the results of --compare that come with heed, for all variants and three seeds; with --out, "
               "write their page");
  options.flag(
      "--abilities", &abilities,
      "with --compare or --league: not the league, but what each variant can do in a small causal model: which "
      "tasks it learns, learns slowly or cannot learn");
  options
      .add(
          "--task", &task,
          fmt::format("for --compare: some of {}, or all; default: copy. For --league: default: all. With --abilities: "
                      "some of {}, or all; default: all",
                      fmt::join(league_tasks(), ", "), fmt::join(data::ability_names(), ", ")))
      .placeholder("NAME");
  options
      .add("--variants", &variants,
           "for --compare: ids, names or families of the catalogue, separated by commas; "
           "default: all. With --abilities also: ideas, the 40 that stand for all others")
      .placeholder("LIST");
  options.add("--architecture", &architecture, "for --compare: the model that a variant is put into; default: both")
      .one_of({"seq2seq", "transformer", "both"});
  options.add("--steps", &steps, fmt::format("for --compare: training steps; default: {}", usual.sizes.steps))
      .between(20, 1e6)
      .placeholder("N");
  options.add("--budget", &budget, "for --compare: maximum training time of each variant in seconds; default: no limit")
      .above(0)
      .placeholder("S");
  options.add("--seed", &seed, "for --compare: the first seed; default: 1").between(0, 1e9).placeholder("N");
  options.add("--seeds", &seeds, "for --compare: how many seeds; default: 1").between(1, 100).placeholder("N");
  options
      .add("--out", &out,
           fmt::format("for --compare: the folder of the league; default: {}. For --league: the folder of its page",
                       usual.out))
      .placeholder("DIR");
  options.flag("--quick", &quick, "for --compare: 60 steps, to see that it works");
  options.add("--threads", &threads, "number of threads; default: all processors that this process may use")
      .between(1, 256)
      .placeholder("N");
}

int LeagueOptions::run() const {
  if (compare && recorded) throw InputError("attention: --compare trains, --league prints what is there; got both");
  if (abilities)
    for (auto [option, given] :
         {std::pair{"--architecture", architecture.has_value()}, {"--budget", budget.has_value()}})
      if (given) throw InputError(fmt::format("attention: {} has no effect on --abilities; got both", option));
  if (recorded) {
    for (auto [option, given] : of_training())
      if (given) throw InputError(fmt::format("attention: {} is an option of --compare; got it with --league", option));
    if (abilities && task) throw InputError("attention: --league --abilities prints all tasks; got --task too");
    return abilities ? print_abilities(out.value_or("")) : print_recorded(task.value_or(""), out.value_or(""));
  }
  if (abilities) return compare_abilities();
  LeagueCommand c = usual;
  c.tasks = task.value_or(c.tasks), c.variants = variants.value_or(c.variants);
  c.architecture = architecture.value_or(c.architecture), c.out = out.value_or(c.out);
  if (quick) c.sizes.steps = 60, c.sizes.asked = 50;
  c.sizes.steps = steps.value_or(c.sizes.steps), c.sizes.budget = budget.value_or(0);
  c.seed = seed.value_or(1), c.seeds = seeds.value_or(1);
  app::Common common;
  common.threads = threads.value_or(1);  // its models are small
  app::apply_common(common);
  return run_league(c);
}

int LeagueOptions::compare_abilities() const {
  AbilityCommand c;
  c.tasks = task.value_or(c.tasks), c.variants = variants.value_or(c.variants), c.out = out.value_or(c.out);
  if (quick) c.sizes.steps = 60, c.sizes.asked = 20;
  c.sizes.steps = steps.value_or(c.sizes.steps);
  c.seed = seed.value_or(1), c.seeds = seeds.value_or(1);
  app::Common common;
  common.threads = threads.value_or(1);  // its models are small
  app::apply_common(common);
  return run_abilities(c);
}

std::vector<std::pair<const char*, bool>> LeagueOptions::of_training() const {
  return {{"--variants", variants.has_value()},
          {"--architecture", architecture.has_value()},
          {"--steps", steps.has_value()},
          {"--budget", budget.has_value()},
          {"--seed", seed.has_value()},
          {"--seeds", seeds.has_value()},
          {"--quick", quick}};
}

void LeagueOptions::require_none() const {
  std::vector<std::pair<const char*, bool>> all = of_training();
  all.insert(all.end(), {{"--task", task.has_value()}, {"--out", out.has_value()}, {"--abilities", abilities}});
  for (auto [option, given] : all)
    if (given) throw InputError(fmt::format("attention: {} is an option of --compare; got it alone", option));
}

}  // namespace heed::league
