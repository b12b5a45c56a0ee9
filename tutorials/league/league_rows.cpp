// A row of the league as JSON, and the table of the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutorials/league/league.h"

namespace heed::app {
namespace {

// Four digits: the measurements are not more precise, and the file stays small.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }
std::vector<double> rounded(const std::vector<double>& values) {
  std::vector<double> out;
  for (double v : values) out.push_back(rounded(v));
  return out;
}
std::vector<double> numbers(const io::Json& row, const char* key) {
  std::vector<double> out;
  for (const io::Json& v : row.list(key)) out.push_back(v.as_number());
  return out;
}
std::vector<std::string> texts(const io::Json& row, const char* key) {
  std::vector<std::string> out;
  for (const io::Json& v : row.list(key)) out.push_back(v.as_string());
  return out;
}

// What is measured once a row, by name.
struct Number {
  const char* name;
  double LeagueRow::*place;
};
constexpr Number kNumbers[] = {{"loss", &LeagueRow::loss},
                               {"inside", &LeagueRow::inside},
                               {"inside_exact", &LeagueRow::inside_exact},
                               {"beyond", &LeagueRow::beyond},
                               {"beyond_exact", &LeagueRow::beyond_exact},
                               {"microseconds", &LeagueRow::microseconds},
                               {"bytes", &LeagueRow::bytes},
                               {"work", &LeagueRow::work},
                               {"work_slope", &LeagueRow::work_slope},
                               {"time_slope", &LeagueRow::time_slope}};
struct Text {
  const char* name;
  std::string Entrant::*place;
};
constexpr Text kTexts[] = {{"id", &Entrant::id},         {"name", &Entrant::name},
                           {"family", &Entrant::family}, {"architecture", &Entrant::architecture},
                           {"option", &Entrant::option}, {"text", &Entrant::text}};

}  // namespace

io::Json to_json(const LeagueRow& r) {
  io::Json row = io::Json::object({{"task", r.task}, {"seed", r.seed}});
  for (const Text& t : kTexts) row.set(t.name, r.entrant.*t.place);
  row.set("control", r.entrant.control);
  if (!r.refused.empty()) return row.set("refused", r.refused);
  row.set("parameters", r.parameters).set("steps", r.steps).set("steps_to_90", r.steps_to_90);
  for (const Number& n : kNumbers) row.set(n.name, rounded(r.*n.place));
  row.set("curve", io::Json::object({{"steps", r.curve.steps}, {"right", rounded(r.curve.right)}}));
  if (!r.weights.empty()) row.set("source", r.source).set("target", r.target).set("weights", rounded(r.weights));
  return row;
}

LeagueRow league_row_from(const io::Json& row) {
  LeagueRow r{.entrant = {}, .task = row.text("task"), .seed = static_cast<uint64_t>(row.integer("seed"))};
  for (const Text& t : kTexts) r.entrant.*t.place = row.text(t.name);
  r.entrant.control = row.boolean("control");
  r.refused = row.text("refused", "");
  if (!r.refused.empty()) return r;
  r.parameters = row.integer("parameters"), r.steps = row.integer("steps"), r.steps_to_90 = row.integer("steps_to_90");
  for (const Number& n : kNumbers) r.*n.place = row.number(n.name);
  const io::Json& curve = row.at("curve");
  r.curve = {numbers(curve, "steps"), numbers(curve, "right")};
  if (row.contains("weights"))
    r.source = texts(row, "source"), r.target = texts(row, "target"), r.weights = numbers(row, "weights");
  return r;
}

std::vector<std::string> league_table(const std::vector<LeagueRow>& rows) {
  std::vector<const LeagueRow*> order;
  for (const LeagueRow& r : rows) order.push_back(&r);
  std::stable_sort(order.begin(), order.end(), [](const LeagueRow* a, const LeagueRow* b) {
    if (a->task != b->task) return a->task < b->task;
    if (a->refused.empty() != b->refused.empty()) return a->refused.empty();
    return a->inside + a->beyond > b->inside + b->beyond;
  });
  std::vector<std::string> lines;
  std::string task;
  for (const LeagueRow* r : order) {
    if (r->task != task) {
      if (!task.empty()) lines.push_back("");
      task = r->task;
      lines.push_back(fmt::format("{:<30} {:>7} {:>7} {:>7} {:>6} {:>7} {:>6} {:>6} {:>5} {:>5}", task, "inside",
                                  "exact", "beyond", "to 90", "params", "us", "KiB", "work", "time"));
    }
    const Entrant& e = r->entrant;
    std::string who = fmt::format("{} {}{}", e.id, e.name, e.architecture == "transformer" ? " (transformer)" : "");
    if (!r->refused.empty()) {
      lines.push_back(fmt::format("{:<30} refused: {}", who, r->refused));
      continue;
    }
    auto slope = [](double s) { return s == 0 ? std::string("-") : fmt::format("{:.2f}", s); };
    lines.push_back(fmt::format(
        "{:<30} {:>6.1f}% {:>6.1f}% {:>6.1f}% {:>6} {:>7} {:>6.0f} {:>6.0f} {:>5} {:>5}", who, r->inside,
        r->inside_exact, r->beyond, r->steps_to_90 < 0 ? std::string("-") : fmt::format("{}", r->steps_to_90),
        r->parameters, r->microseconds, r->bytes / 1024, slope(r->work_slope), slope(r->time_slope)));
  }
  return lines;
}

}  // namespace heed::app
