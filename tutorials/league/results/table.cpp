// The seeds of an entrant together, and the table of the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tutorials/league/results/rows.h"
#include "tutorials/report/terminal.h"
#include "tutorials/report/wrap.h"

namespace heed::league {

double Seeds::mean(double Row::*what) const {
  double sum = 0;
  for (const Row* r : rows) sum += r->*what;
  return sum / static_cast<double>(rows.size());
}

std::string Seeds::with_spread(double Row::*what) const {
  double low = INFINITY, high = -INFINITY;
  for (const Row* r : rows) low = std::min(low, r->*what), high = std::max(high, r->*what);
  if (rows.size() == 1 || high - low < 0.5) return fmt::format("{:.1f}", mean(what));
  return fmt::format("{:.1f} ({:.1f} to {:.1f})", mean(what), low, high);  // as fine as the mean, which is between them
}

int64_t Seeds::steps_to_90() const {
  int64_t most = 0;
  for (const Row* r : rows) {
    if (r->steps_to_90 < 0) return -1;
    most = std::max(most, r->steps_to_90);
  }
  return most;
}

std::string who(const Entrant& e) { return e.architecture == "transformer" ? e.name + ", transformer" : e.name; }

std::vector<std::string> tasks_in(const std::vector<Row>& rows) {
  std::vector<std::string> tasks;
  for (const Row& r : rows)
    if (std::find(tasks.begin(), tasks.end(), r.task) == tasks.end()) tasks.push_back(r.task);
  return tasks;
}

std::vector<Seeds> by_entrant(const std::vector<Row>& rows, const std::string& task) {
  std::vector<Seeds> out;
  std::map<std::string, size_t> at;
  for (const Row& r : rows) {
    if (r.task != task || !r.refused.empty()) continue;
    const std::string key = r.entrant.architecture + " " + r.entrant.id + " " + r.entrant.text;
    auto [found, fresh] = at.emplace(key, out.size());
    if (fresh) out.push_back({});
    out[found->second].rows.push_back(&r);
  }
  std::stable_sort(out.begin(), out.end(), [](const Seeds& a, const Seeds& b) {
    return a.mean(&Row::inside) + a.mean(&Row::beyond) > b.mean(&Row::inside) + b.mean(&Row::beyond);
  });
  return out;
}

std::vector<std::string> table_of(const std::vector<Row>& rows, const io::Console& console) {
  using report::Align;
  std::vector<Align> align(11, Align::right);
  align[0] = Align::left;
  std::vector<std::string> lines;
  for (const std::string& task : tasks_in(rows)) {
    std::vector<std::vector<std::string>> cells;
    auto percent = [](double share) { return fmt::format("{:.1f}%", share); };
    auto slope = [](double s) { return s == 0 ? std::string("-") : fmt::format("{:.2f}", s); };
    auto called = [](const Row& r) { return fmt::format("{} {}", r.entrant.id, who(r.entrant)); };
    for (const Seeds& seeds : by_entrant(rows, task)) {
      const Row& r = seeds.first();
      const int64_t to_90 = seeds.steps_to_90();
      cells.push_back({called(r), percent(seeds.mean(&Row::inside)), percent(seeds.mean(&Row::inside_exact)),
                       percent(seeds.mean(&Row::beyond)), to_90 < 0 ? "-" : fmt::format("{}", to_90),
                       fmt::format("{}", r.parameters), fmt::format("{:.0f}", seeds.mean(&Row::microseconds)),
                       fmt::format("{:.0f}", r.bytes / 1024), slope(r.work_slope), slope(r.time_slope),
                       fmt::format("{}", seeds.rows.size())});
    }
    if (!lines.empty()) lines.emplace_back();
    const std::vector<std::string> header{task, "inside", "exact", "beyond", "to 90", "params",
                                          "us", "KiB",    "work",  "time",   "seeds"};
    for (std::string& line : report::table(header, cells, console, align)) lines.push_back(std::move(line));
    std::set<std::string> said;  // once for all seeds
    for (const Row& r : rows) {
      if (r.task != task || r.refused.empty() || !said.insert(called(r) + r.refused).second) continue;
      lines.push_back(report::wrapped(called(r) + "  ", "refused: " + r.refused, console.width));
    }
  }
  return lines;
}

std::string cut_short(const std::vector<Row>& rows, const Sizes& sizes) {
  std::string names;
  for (const Row& r : rows)
    if (r.refused.empty() && r.steps < sizes.steps)
      names += fmt::format("{}{} {} ({} of {})", names.empty() ? "" : ", ", r.entrant.id, who(r.entrant), r.steps,
                           sizes.steps);
  if (names.empty()) return "";
  return fmt::format(
      "The budget of {:g} s ended the training of these early, so they must not be compared with the "
      "others (steps in brackets): {}",
      sizes.budget, names);
}

std::vector<std::string> lines_about(const std::string& id, const std::vector<Results>& results) {
  std::map<std::string, std::string> lines;  // by architecture
  for (const Results& some : results)
    for (const std::string& task : tasks_in(some.rows))
      for (const Seeds& seeds : by_entrant(some.rows, task)) {
        const Entrant& e = seeds.first().entrant;
        if (e.id != id) continue;
        std::string& line = lines[e.architecture];
        line += fmt::format("{}{} {:.1f} %", line.empty() ? e.architecture + ": " : ", ", task,
                            seeds.mean(&Row::inside_exact));
      }
  std::vector<std::string> out;
  for (const auto& [architecture, line] : lines) out.push_back(line);
  return out;
}

}  // namespace heed::league
