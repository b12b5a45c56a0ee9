// heed attention --compare: trains the entrants that a league lacks, and saves the results after each of them.
#include "tutorials/league/league.h"

#include <fmt/format.h>

#include <set>

#include "nn/io/file.h"
#include "nn/train/interrupt.h"
#include "nn/train/progress.h"
#include "nn/train/run_folder.h"
#include "tensor/error.h"

namespace heed::app {
namespace {

io::Json sizes_json(const LeagueSizes& s) {
  return io::Json::object(
      {{"steps", s.steps}, {"batch", s.batch}, {"asked", s.asked}, {"symbols", s.symbols}, {"budget", s.budget}});
}

std::string key_of(const std::string& task, const Entrant& e, uint64_t seed) {
  return fmt::format("{} {} {} {} {}", task, e.architecture, e.id, e.text, seed);
}

std::vector<std::string> tasks_of(const std::string& list) {
  std::vector<std::string> tasks;
  for (size_t start = 0; start <= list.size();) {
    size_t end = std::min(list.find(',', start), list.size());
    std::string task = list.substr(start, end - start);
    start = end + 1;
    if (task == "all") {
      tasks.insert(tasks.end(), league_tasks().begin(), league_tasks().end());
    } else if (std::count(league_tasks().begin(), league_tasks().end(), task) == 1) {
      tasks.push_back(task);
    } else {
      throw InputError(fmt::format("attention: --task must be some of {}, or all; got \"{}\"",
                                   fmt::join(league_tasks(), ", "), task));
    }
  }
  return tasks;
}

struct League {
  nn::RunFolder& folder;
  LeagueSizes sizes;
  std::vector<LeagueRow> rows = {};
  std::set<std::string> done = {};

  void read() {
    if (!folder.has("league.json")) return;
    io::Json file = io::parse(io::read_file(folder.file("league.json")), folder.file("league.json"));
    if (!(file.at("sizes") == sizes_json(sizes)))
      throw InputError(fmt::format("attention: the league in this folder was run with {}; got {}; hint: another --out",
                                   file.at("sizes").dump(), sizes_json(sizes).dump()));
    for (const io::Json& row : file.list("rows")) add(league_row_from(row));
  }
  void add(LeagueRow row) {
    done.insert(key_of(row.task, row.entrant, row.seed));
    rows.push_back(std::move(row));
  }
  void write() const {
    io::Json list = io::Json::array();
    for (const LeagueRow& row : rows) list.push(to_json(row));
    io::atomic_write(
        folder.file("league.json"),
        io::Json::object({{"program", "heed " HEED_VERSION}, {"sizes", sizes_json(sizes)}, {"rows", list}}).dump(1) +
            "\n");
  }
};

}  // namespace

int run_league(const LeagueCommand& c) {
  const std::vector<std::string> tasks = tasks_of(c.tasks);
  const std::vector<Entrant> all = entrants(c.variants, c.architecture);
  nn::RunFolder folder(c.out);
  League league{folder, c.sizes};
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
  const size_t total = league.rows.size() + runs.size();
  if (!league.rows.empty()) fmt::print(stderr, "{} results in {}, {} to go\n", league.rows.size(), c.out, runs.size());

  nn::Interrupt interrupt;
  nn::Progress progress(std::ssize(runs) * c.sizes.steps, {.label = "league", .unit = "steps"});
  std::optional<LeagueTask> task;
  uint64_t seed = 0;
  for (const Run& run : runs) {
    if (!task || task->name != run.task || seed != run.seed) task = league_task(run.task, c.sizes, seed = run.seed);
    progress.note(fmt::format("{}, {} {}", run.task, run.entrant->architecture, run.entrant->name));
    int64_t steps = 0;
    LeagueRow row = compete(*run.entrant, *task, c.sizes, run.seed, [&](double loss) {
      progress.step({.loss = loss, .items = 1});
      ++steps;
      return !nn::Interrupt::requested();
    });
    if (nn::Interrupt::requested()) break;
    progress.step({.loss = row.loss, .items = 0, .steps = c.sizes.steps - steps});
    league.add(std::move(row));
    league.write();
  }
  progress.finish();
  write_league_page(folder.file("report.html"), league.rows, c.sizes, "The league of attention");
  if (nn::Interrupt::requested()) {
    fmt::print(stderr, "interrupted: {} of {} results are saved; the same command continues\n", league.rows.size(),
               total);
    return 130;
  }
  for (const std::string& line : league_table(league.rows)) fmt::print("{}\n", line);
  fmt::print(
      "\ninside, beyond: positions right, at the lengths of training and beyond them; exact: sequences without an "
      "error;\n"
      "to 90: the first measured step with 90 % of the positions right; us, KiB: time and memory of a training step;\n"
      "work, time: the power of the length with which the cost of the attention alone grows (1: linear, 2: "
      "quadratic)\n");
  fmt::print("\nresults                 {}\nreport                  {}\n", folder.file("league.json"),
             folder.file("report.html"));
  return 0;
}

}  // namespace heed::app
