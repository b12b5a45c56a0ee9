#include "tutorials/league/results/abilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "nn/data/tasks/abilities.h"
#include "nn/io/file.h"
#include "tutorials/league/results/checked.h"
#include "tutorials/league/results/pattern.h"
#include "tutorials/report/terminal.h"
#include "tutorials/report/wrap.h"

namespace heed::league {
namespace {

std::vector<double> in_tenths(const std::vector<double>& values) {
  std::vector<double> out;
  for (double v : values) out.push_back(std::round(10 * v) / 10);
  return out;
}

io::Json json_of(const AbilityRow& r) {
  io::Json row = io::Json::object({{"task", r.task}, {"seed", r.seed}});
  set_entrant(row, r.entrant);
  if (!r.refused.empty()) return row.set("refused", r.refused);
  row.set("parameters", r.parameters).set("steps", r.steps).set("to_95", r.to_95).set("bytes", r.bytes);
  row.set("work", std::round(r.work)).set("trained", r.trained).set("sizes", r.sizes);
  return row.set("right", in_tenths(r.right)).set("exact", in_tenths(r.exact));
}

AbilityRow ability_row_from(const io::Json& row, const AbilitySizes& sizes) {
  if (!row.is_object()) throw InputError("must be an object; got " + row.kind());
  AbilityRow r{.entrant = entrant_from(row),
               .task = row.text("task"),
               .seed = static_cast<uint64_t>(whole(row, "seed", 0, 2000000000))};
  const std::vector<std::string>& tasks = data::ability_names();
  if (std::find(tasks.begin(), tasks.end(), r.task) == tasks.end())
    throw InputError(fmt::format("task must be one of {}; got \"{}\"", fmt::join(tasks, ", "), r.task));
  r.refused = row.text("refused", "");
  require_printable("refused", r.refused, 4000);
  if (!r.refused.empty()) return r;
  r.parameters = whole(row, "parameters", 0, 1000000000000), r.steps = whole(row, "steps", 0, sizes.steps);
  r.to_95 = whole(row, "to_95", -1, sizes.steps);
  r.bytes = ranged(row, "bytes", 0, 1e15), r.work = ranged(row, "work", 0, 1e18);
  r.sizes = numbers(row, "sizes", 1, 1e9), r.right = numbers(row, "right", 0, 100),
  r.exact = numbers(row, "exact", 0, 100);
  if (r.sizes.empty() || r.right.size() != r.sizes.size() || r.exact.size() != r.sizes.size())
    throw InputError(fmt::format("right and exact must have a number for each size; got {} and {} for {}",
                                 r.right.size(), r.exact.size(), r.sizes.size()));
  r.trained = whole(row, "trained", 1, std::ssize(r.sizes));
  return r;
}

std::string called(const Entrant& e) { return fmt::format("{} {}", e.id, e.name); }

// The variants in the order in which they were first measured.
std::vector<Entrant> variants_in(const std::vector<AbilityRow>& rows) {
  std::vector<Entrant> out;
  for (const AbilityRow& r : rows)
    if (std::none_of(out.begin(), out.end(), [&](const Entrant& e) { return called(e) == called(r.entrant); }))
      out.push_back(r.entrant);
  return out;
}

// Of each variant the seeds of each task, in the order of the tasks. An undefined one: not trained on it.
using Tasks = std::map<std::string, AbilitySeeds>;
std::map<std::string, Tasks> by_variant(const AbilityResults& results) {
  std::map<std::string, Tasks> out;
  for (const std::string& task : data::ability_names())
    for (AbilitySeeds& seeds : ability_seeds(results.rows, task))
      out[called(seeds.first().entrant)].emplace(task, std::move(seeds));
  return out;
}

std::map<std::string, std::string> refusals(const AbilityResults& results) {
  std::map<std::string, std::string> out;
  for (const AbilityRow& r : results.rows)
    if (!r.refused.empty()) out.emplace(called(r.entrant), r.refused);
  return out;
}

// Those tasks of which there are results.
std::vector<std::string> tasks_of(const std::map<std::string, Tasks>& all) {
  std::vector<std::string> tasks;
  for (const std::string& task : data::ability_names())
    if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.second.contains(task); }))
      tasks.push_back(task);
  return tasks;
}

// With spaces at which no line ends.
std::string unbroken(std::string text) {
  for (size_t at = 0; (at = text.find(' ', at)) != std::string::npos;) text.replace(at, 1, "\u00a0");
  return text;
}

constexpr const char* kLegend =
    "learns: 95 % of the answers are right at the largest size of training, within half of the steps; slowly: within "
    "all of them; cannot: not within these steps. The number is the share of right answers, of the median seed. x4: it "
    "still has 95 % right at four times the largest size of training.";

void add_matrix(report::Report& page, const AbilityResults& results) {
  const std::map<std::string, Tasks> all = by_variant(results);
  const std::vector<std::string> tasks = tasks_of(all);
  report::TablePanel table{.title = "Who can do what",
                           .text =
                               "Bytes: what decoding keeps after 256 words of one text. Work: multiply-adds for each "
                               "of these words, the rest of the model included. Click a heading to sort by it.",
                           .header = {"id", "variant"},
                           .sortable = true};
  table.header.insert(table.header.end(), tasks.begin(), tasks.end());
  table.header.insert(table.header.end(), {"parameters", "bytes", "work", "family"});
  for (const Entrant& e : variants_in(results.rows)) {
    auto of = all.find(called(e));
    if (of == all.end()) continue;
    std::vector<std::string>& line = table.rows.emplace_back(std::vector<std::string>{e.id, e.name});
    for (const std::string& task : tasks)
      line.push_back(of->second.contains(task) ? unbroken(of->second.at(task).cell(results.sizes)) : "–");
    const AbilityRow& any = of->second.begin()->second.first();
    line.insert(line.end(), {fmt::format("{}", any.parameters), fmt::format("{:.0f}", any.bytes),
                             fmt::format("{:.0f}", any.work), e.family});
  }
  page.table(table);
}

void add_pattern(report::Report& page, const AbilityResults& results) {
  report::TablePanel table{.title = "What papers say, and what these rows show",
                           .text =
                               "The numbers are % of the answers right, of the median seed, at the largest size of "
                               "training; where a statement goes beyond it, at twice that size. A statement about "
                               "large models need not hold for two layers.",
                           .header = {"statement", "task", "shown by", "not shown by", "source"}};
  auto joined = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : ", ") + unbroken(one);
    return text.empty() ? "–" : text;
  };
  for (const Answer& a : answers(results))
    table.rows.push_back(
        {a.statement->text, a.statement->task, joined(a.shown), joined(a.not_shown), a.statement->source});
  if (!table.rows.empty()) page.table(table);
}

void add_sizes(report::Report& page, const std::string& task, const std::vector<AbilitySeeds>& seeds) {
  const AbilityRow& any = seeds.front().first();
  report::TablePanel table{.title = task,
                           .text =
                               "Answers right in %, of the median seed, by size. Sizes with > lie beyond those of "
                               "training. Steps to 95: of the median seed.",
                           .header = {"id", "variant"},
                           .sortable = true};
  for (size_t i = 0; i < any.sizes.size(); ++i)
    table.header.push_back(fmt::format("{}{:g}", i < static_cast<size_t>(any.trained) ? "" : ">", any.sizes[i]));
  table.header.insert(table.header.end(), {"steps to 95", "seeds"});
  for (const AbilitySeeds& one : seeds) {
    std::vector<std::string>& line =
        table.rows.emplace_back(std::vector<std::string>{one.first().entrant.id, one.first().entrant.name});
    for (size_t i = 0; i < any.sizes.size(); ++i) line.push_back(fmt::format("{:.1f}", one.right(i)));
    line.push_back(one.to_95() < 0 ? "–" : fmt::format("{}", one.to_95()));
    line.push_back(fmt::format("{}", one.rows.size()));
  }
  page.table(table);
}

}  // namespace

std::string key_of(const AbilityRow& r) {
  return fmt::format("{} {} {} {}", r.task, r.entrant.id, r.entrant.text, r.seed);
}

AbilityResults read_abilities(const std::string& path) {
  const io::Json file = io::parse(io::read_file(path), path);
  if (!file.is_object())
    throw InputError(fmt::format("{}: must be an object with the keys sizes and rows; got {}", path, file.kind()));
  AbilityResults results;
  std::map<std::string, size_t> first;  // where a key was seen
  size_t line = 0;                      // 0: the sizes
  try {
    const io::Json& sizes = file.inner("sizes");
    results.sizes = {whole(sizes, "steps", 1, 1000000), whole(sizes, "batch", 1, 1000000),
                     whole(sizes, "asked", 1, 1000000), whole(sizes, "symbols", 1, 1000000)};
    const std::vector<io::Json>& rows = file.list("rows");
    for (line = 1; line <= rows.size(); ++line) {
      AbilityRow row = ability_row_from(rows[line - 1], results.sizes);
      if (const auto [before, fresh] = first.emplace(key_of(row), line); !fresh)
        throw InputError(
            fmt::format("must have another task, variant or seed than row {}; got the same", before->second));
      results.rows.push_back(std::move(row));
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", path, line == 0 ? "sizes" : fmt::format("row {}", line),
                                 without(path, error.what())));
  }
  return results;
}

void write_abilities(const std::string& path, const AbilityResults& results) {
  const AbilitySizes& s = results.sizes;
  const io::Json sizes =
      io::Json::object({{"steps", s.steps}, {"batch", s.batch}, {"asked", s.asked}, {"symbols", s.symbols}});
  std::string text = fmt::format("{{\"sizes\": {},\n\"rows\": [", sizes.dump());
  for (size_t i = 0; i < results.rows.size(); ++i) text += (i ? ",\n" : "\n") + json_of(results.rows[i]).dump();
  io::atomic_write(path, text + "\n]}\n");
}

AbilityResults recorded_abilities(const std::string& root) {
  const std::string path = root + "/tutorials/league/recorded/abilities.json";
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? read_abilities(path) : AbilityResults{};
}

double AbilitySeeds::right(size_t size) const {
  std::vector<double> all;
  for (const AbilityRow* r : rows) all.push_back(r->right.at(size));
  std::sort(all.begin(), all.end());
  return all[(all.size() - 1) / 2];  // of two the lower one
}

int64_t AbilitySeeds::to_95() const {
  std::vector<int64_t> all;
  for (const AbilityRow* r : rows) all.push_back(r->to_95 < 0 ? INT64_MAX : r->to_95);
  std::sort(all.begin(), all.end());
  const int64_t median = all[all.size() / 2];  // of two the later one
  return median == INT64_MAX ? -1 : median;
}

std::string AbilitySeeds::verdict(const AbilitySizes& sizes) const {
  if (right(static_cast<size_t>(first().trained) - 1) < kRight) return "cannot";
  return to_95() >= 0 && 2 * to_95() <= sizes.steps ? "learns" : "slowly";
}

int64_t AbilitySeeds::stretch() const {
  const auto inside = static_cast<size_t>(first().trained) - 1;
  double largest = 0;
  for (size_t i = inside; i < first().sizes.size() && right(i) >= kRight; ++i) largest = first().sizes[i];
  return static_cast<int64_t>(largest / first().sizes[inside]);
}

std::string AbilitySeeds::told(const std::string& said, const char* gap) const {
  const double inside = right(static_cast<size_t>(first().trained) - 1);
  std::string text = fmt::format("{}{}{:.0f}", said, gap, std::floor(inside));  // 94.9 is not 95
  if (stretch() > 1) text += fmt::format("{}x{}", gap, stretch());
  return text;
}
std::string AbilitySeeds::cell(const AbilitySizes& sizes) const { return told(verdict(sizes), " "); }
std::string AbilitySeeds::short_cell(const AbilitySizes& sizes) const {
  const std::string said = verdict(sizes);
  return told(said == "learns" ? "+" : said == "slowly" ? "~" : "-", "");
}

std::vector<AbilitySeeds> ability_seeds(const std::vector<AbilityRow>& rows, const std::string& task) {
  std::vector<AbilitySeeds> out;
  std::map<std::string, size_t> at;
  for (const AbilityRow& r : rows) {
    if (r.task != task || !r.refused.empty()) continue;
    auto [found, fresh] = at.emplace(called(r.entrant), out.size());
    if (fresh) out.push_back({});
    out[found->second].rows.push_back(&r);
  }
  return out;
}

constexpr size_t kTogether = 5;  // tasks of one table of the terminal

std::vector<std::string> ability_table(const AbilityResults& results, const io::Console& console) {
  const std::map<std::string, Tasks> all = by_variant(results);
  const std::vector<std::string> tasks = tasks_of(all);
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < tasks.size(); begin += kTogether) {
    const size_t end = std::min(tasks.size(), begin + kTogether);
    std::vector<std::string> header{"variant"};
    header.insert(header.end(), tasks.begin() + static_cast<std::ptrdiff_t>(begin),
                  tasks.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<std::vector<std::string>> cells;
    for (const Entrant& e : variants_in(results.rows)) {
      auto of = all.find(called(e));
      if (of == all.end()) continue;
      std::vector<std::string> line{called(e)};
      for (size_t i = begin; i < end; ++i)
        line.push_back(of->second.contains(tasks[i]) ? of->second.at(tasks[i]).short_cell(results.sizes) : "");
      if (std::any_of(line.begin() + 1, line.end(), [](const std::string& cell) { return !cell.empty(); }))
        cells.push_back(std::move(line));
    }
    if (begin > 0) lines.emplace_back();
    for (std::string& line : report::table(header, cells, console)) lines.push_back(std::move(line));
  }
  for (const auto& [variant, why] : refusals(results))
    lines.push_back(report::wrapped(variant + "  ", "refused: " + why, console.width));
  lines.emplace_back();
  lines.push_back(report::wrapped("", "+ learns, ~ learns slowly, - cannot.", console.width));
  lines.push_back(report::wrapped("", kLegend, console.width));
  return lines;
}

report::Report ability_page(const AbilityResults& results, const std::string& title) {
  const AbilitySizes& s = results.sizes;
  report::Report page(title, fmt::format("{} steps of {} sequences, {} symbols", s.steps, s.batch, s.symbols));
  page.text("", kLegend);
  add_matrix(page, results);
  add_pattern(page, results);
  for (const std::string& task : data::ability_names())
    if (const std::vector<AbilitySeeds> seeds = ability_seeds(results.rows, task); !seeds.empty())
      add_sizes(page, task, seeds);
  report::TablePanel refused{.title = "Variants that could not be trained", .header = {"variant", "reason"}};
  for (const auto& [variant, why] : refusals(results)) refused.rows.push_back({variant, why});
  if (!refused.rows.empty()) page.table(refused);
  return page;
}

}  // namespace heed::league
