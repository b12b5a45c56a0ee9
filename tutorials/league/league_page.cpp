// The page of a league: a table that sorts, the curves, and the weights of any two variants on one sentence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tutorials/league/league.h"
#include "tutorials/report/report.h"

namespace heed::app {
namespace {

// The seeds of one entrant on one task.
struct Mean {
  const LeagueRow* first = nullptr;
  std::vector<const LeagueRow*> rows = {};
  double of(double LeagueRow::*what) const {
    double sum = 0;
    for (const LeagueRow* r : rows) sum += r->*what;
    return sum / static_cast<double>(rows.size());
  }
  std::string with_spread(double LeagueRow::*what) const {
    double low = INFINITY, high = -INFINITY;
    for (const LeagueRow* r : rows) low = std::min(low, r->*what), high = std::max(high, r->*what);
    if (rows.size() == 1 || high - low < 0.05) return fmt::format("{:.1f}", of(what));
    return fmt::format("{:.1f} ({:.0f} to {:.0f})", of(what), low, high);
  }
};

std::string who(const Entrant& e) { return e.architecture == "transformer" ? e.name + ", transformer" : e.name; }

std::vector<Mean> means(const std::vector<LeagueRow>& rows, const std::string& task) {
  std::vector<Mean> out;
  std::map<std::string, size_t> at;
  for (const LeagueRow& r : rows) {
    if (r.task != task || !r.refused.empty()) continue;
    const std::string key = r.entrant.architecture + " " + r.entrant.id + " " + r.entrant.text;
    auto [found, fresh] = at.emplace(key, out.size());
    if (fresh) out.push_back({.first = &r});
    out[found->second].rows.push_back(&r);
  }
  std::stable_sort(out.begin(), out.end(), [](const Mean& a, const Mean& b) {
    return a.of(&LeagueRow::inside) + a.of(&LeagueRow::beyond) > b.of(&LeagueRow::inside) + b.of(&LeagueRow::beyond);
  });
  return out;
}

void add_table(report::Report& page, const std::string& task, const std::vector<Mean>& all) {
  report::TablePanel table{.title = task,
                           .text =
                               "Right: positions with the right symbol. Exact: sequences without any error. Both are "
                               "in %, for sequences of the lengths of training and for longer ones (beyond; for "
                               "translation, unseen combinations of words). Steps to 90: the first measured step at "
                               "which 90 % of the positions are right. µs and KiB: time and memory of one training "
                               "step. The slopes are the power of the length with which the multiply-adds (work) and "
                               "the time of the attention alone grow, from length 64 to 256: 1 is linear, 2 is "
                               "quadratic. Click a heading to sort by it.",
                           .header = {"id", "variant", "family", "right", "exact", "beyond", "exact beyond",
                                      "steps to 90", "parameters", "µs", "KiB", "slope of work", "slope of time"},
                           .sortable = true};
  for (const Mean& m : all) {
    const LeagueRow& r = *m.first;
    auto slope = [](double s) { return s == 0 ? std::string("–") : fmt::format("{:.2f}", s); };
    table.rows.push_back({r.entrant.id, who(r.entrant), r.entrant.family, m.with_spread(&LeagueRow::inside),
                          m.with_spread(&LeagueRow::inside_exact), m.with_spread(&LeagueRow::beyond),
                          m.with_spread(&LeagueRow::beyond_exact),
                          r.steps_to_90 < 0 ? std::string("–") : fmt::format("{}", r.steps_to_90),
                          fmt::format("{}", r.parameters), fmt::format("{:.0f}", r.microseconds),
                          fmt::format("{:.0f}", r.bytes / 1024), slope(r.work_slope), slope(r.time_slope)});
  }
  page.table(table);
}

void add_curves(report::Report& page, const std::string& task, const std::vector<Mean>& all) {
  report::CurvesPanel panel{.title = fmt::format("{}: learning curves", task),
                            .text =
                                "Positions right during training: the controls, and the six best variants of each "
                                "architecture.",
                            .x_label = "step",
                            .y_label = "positions right, %"};
  std::map<std::string, int> taken;
  for (const Mean& m : all) {
    const Entrant& e = m.first->entrant;
    if (e.control || ++taken[e.architecture] <= 6)
      panel.series.push_back({.name = who(e), .y = m.first->curve.right, .x = m.first->curve.steps});
  }
  page.curves(panel);
}

void add_weights(report::Report& page, const std::string& task, const std::vector<Mean>& all) {
  report::VariantsPanel panel{
      .title = fmt::format("{}: the attention weights of two variants", task),
      .text =
          "Choose any two variants. Their attention weights are shown for the same sequence, after "
          "training; negative weights are drawn as 0.",
      .labels = {"after training"}};
  for (const Mean& m : all) {
    const LeagueRow& r = *m.first;
    if (r.weights.size() != r.source.size() * r.target.size() || r.weights.empty()) continue;
    if (panel.source.empty()) panel.source = r.source, panel.target = r.target;
    if (r.source != panel.source || r.target != panel.target) continue;  // another seed has another sentence
    std::vector<double> shown = r.weights;  // a difference of weights may be negative: drawn as 0
    for (double& w : shown) w = std::clamp(w, 0.0, 1.0);
    panel.variants.push_back({.name = who(r.entrant), .snapshots = {{r.target.size(), r.source.size(), shown}}});
  }
  if (panel.variants.size() >= 2) page.variants(panel);
}

void add_refused(report::Report& page, const std::vector<LeagueRow>& rows) {
  report::TablePanel table{.title = "Variants that could not be trained",
                           .text = "The reason is the error message of the library.",
                           .header = {"id", "variant", "reason"}};
  for (const LeagueRow& r : rows) {
    if (r.refused.empty()) continue;
    std::vector<std::string> row{r.entrant.id, who(r.entrant), r.refused};
    if (std::find(table.rows.begin(), table.rows.end(), row) == table.rows.end()) table.rows.push_back(row);
  }
  if (!table.rows.empty()) page.table(table);
}

}  // namespace

void write_league_page(const std::string& path, const std::vector<LeagueRow>& rows, const LeagueSizes& sizes,
                       const std::string& title) {
  report::Report page(
      title, fmt::format("{} training steps of {} sequences each, for every variant", sizes.steps, sizes.batch));
  page.text("",
            "Variants of attention, trained on the same task with the same data, seed, number of steps and nearly the "
            "same number of parameters. Three controls show what a model reaches without useful attention weights: no "
            "attention at all (recurrent models only), equal weights for all words (even), and weights that are moved "
            "to other words (shuffled). Small differences between variants may be due to chance: compare several "
            "seeds.");
  std::vector<std::string> tasks;
  for (const LeagueRow& r : rows)
    if (std::find(tasks.begin(), tasks.end(), r.task) == tasks.end()) tasks.push_back(r.task);
  for (const std::string& task : tasks) {
    std::vector<Mean> all = means(rows, task);
    if (all.empty()) continue;
    add_table(page, task, all), add_curves(page, task, all), add_weights(page, task, all);
  }
  add_refused(page, rows);
  page.write(path);
}

}  // namespace heed::app
