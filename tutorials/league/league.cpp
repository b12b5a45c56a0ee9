// heed attention --compare: trains the entrants that a league lacks, and saves the results after each of them.
#include "tutorials/league/league.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "nn/train/interrupt.h"
#include "nn/train/progress.h"
#include "nn/train/run_folder.h"
#include "tensor/error.h"
#include "tutorials/common/output.h"
#include "tutorials/league/results/page.h"

namespace heed::league {
namespace {

// The sizes in which two leagues differ, as text.
std::string differences(const Sizes& here, const Sizes& other) {
  std::vector<std::string> out;
  auto add = [&](const char* name, double value, double against) {
    if (value != against) out.push_back(fmt::format("{} {:g}", name, value));
  };
  auto number = [](int64_t n) { return static_cast<double>(n); };
  add("steps", number(here.steps), number(other.steps));
  add("batch", number(here.batch), number(other.batch));
  add("asked", number(here.asked), number(other.asked));
  add("symbols", number(here.symbols), number(other.symbols));
  add("budget", here.budget, other.budget);
  return fmt::format("{}", fmt::join(out, ", "));
}

struct League {
  nn::RunFolder& folder;
  Results results;
  std::set<std::string> done = {};

  void read() {
    if (!folder.has("league.json")) return;
    Results before = read_results(folder.file("league.json"));
    if (before.sizes != results.sizes)
      throw InputError(fmt::format("attention: the league in this folder was run with {}; got {}; hint: another --out",
                                   differences(before.sizes, results.sizes), differences(results.sizes, before.sizes)));
    for (Row& row : before.rows) add(std::move(row));
  }
  void add(Row row) {
    done.insert(key_of(row.task, row.entrant, row.seed));
    results.rows.push_back(std::move(row));
  }
  void write() const { write_results(folder.file("league.json"), results); }
};

}  // namespace

std::vector<std::string> tasks_of(const std::string& list, const std::vector<std::string>& known) {
  std::vector<std::string> tasks;
  auto add = [&](const std::string& task) {  // a task that is listed twice is trained once
    if (std::find(tasks.begin(), tasks.end(), task) == tasks.end()) tasks.push_back(task);
  };
  for (size_t start = 0; start <= list.size();) {
    size_t end = std::min(list.find(',', start), list.size());
    std::string task = list.substr(start, end - start);
    start = end + 1;
    if (task == "all") {
      for (const std::string& one : known) add(one);
    } else if (std::count(known.begin(), known.end(), task) == 1) {
      add(task);
    } else {
      throw InputError(
          fmt::format("attention: --task must be some of {}, or all; got \"{}\"", fmt::join(known, ", "), task));
    }
  }
  return tasks;
}

void print_table(const std::vector<Row>& rows, const Sizes& sizes) {
  for (const std::string& line : table_of(rows, io::console(1))) fmt::print("{}\n", line);
  if (const std::string cut = cut_short(rows, sizes); !cut.empty()) app::tell("\n{}\n", cut);
  app::tell(
      "\ninside, beyond: positions right, at the lengths of training and beyond them; exact: sequences without an "
      "error;\nto 90: the first measured step with 90 % of the positions right; us, KiB: time and memory of a training "
      "step;\nwork, time: the power of the length with which the cost of the attention alone grows (1: linear, 2: "
      "quadratic)\n");
}

int run_league(const LeagueCommand& c) {
  const std::vector<std::string> tasks = tasks_of(c.tasks);
  const std::vector<Entrant> all = entrants(c.variants, c.architecture);
  nn::RunFolder folder(c.out, {.command = "attention",
                               .owner = "heed attention --compare",
                               .files = {"league.json", "report.html", "figures.json"}});
  League league{folder, {c.sizes}};
  league.read();

  struct Run {
    std::string task;
    uint64_t seed;
    const Entrant* entrant;
  };
  std::vector<Run> runs;
  for (int64_t seed = c.seed; seed < c.seed + c.seeds; ++seed)
    for (const std::string& task : tasks)
      for (const Entrant& e : all)
        if (!league.done.count(key_of(task, e, static_cast<uint64_t>(seed))))
          runs.push_back({task, static_cast<uint64_t>(seed), &e});
  const size_t total = league.results.rows.size() + runs.size();
  if (!league.results.rows.empty())
    app::say(fmt::format("{} results in {}, {} to go", league.results.rows.size(), c.out, runs.size()));

  nn::Interrupt interrupt;
  nn::Progress progress(std::ssize(runs) * c.sizes.steps, {.label = "league", .unit = "steps"});
  std::optional<LeagueTask> task;
  uint64_t seed = 0;
  double last_loss = 0;  // of a variant that is refused there is none
  for (const Run& run : runs) {
    if (!task || task->name != run.task || seed != run.seed) task = league_task(run.task, c.sizes, seed = run.seed);
    progress.note(fmt::format("{}, {} {}", run.task, run.entrant->architecture, run.entrant->name));
    int64_t steps = 0;
    Row row = compete(*run.entrant, *task, c.sizes, run.seed, [&](double loss) {
      progress.step({.loss = last_loss = loss, .items = 1});
      ++steps;
      return !nn::Interrupt::requested();
    });
    if (nn::Interrupt::requested()) break;
    progress.step({.loss = last_loss, .items = 0, .steps = c.sizes.steps - steps});
    if (run.seed != static_cast<uint64_t>(c.seed))
      row.curve = {}, row.weights = {};  // the page shows those of one seed
    league.add(std::move(row));
    league.write();
  }
  progress.finish();
  page_of({league.results}, "The league of attention").write(folder.file("report.html"));
  if (nn::Interrupt::requested()) {
    app::say(fmt::format("interrupted: {} of {} results are saved; the same command continues",
                         league.results.rows.size(), total));
    return 130;
  }
  print_table(league.results.rows, c.sizes);
  app::tell("\nresults                 {}\nreport                  {}\n", folder.file("league.json"),
            folder.file("report.html"));
  return 0;
}

}  // namespace heed::league
