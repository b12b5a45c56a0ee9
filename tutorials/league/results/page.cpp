#include "tutorials/league/results/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace heed::league {
namespace {

void add_table(report::Report& page, const std::string& task, const std::vector<Seeds>& all, const std::string& cut) {
  report::TablePanel table{.title = fmt::format("{}: all variants", task),
                           .text =
                               "Right: positions with the right symbol. Exact: sequences without any error. Both are "
                               "in %, for sequences of the lengths of training and for longer ones (beyond; for "
                               "translation, unseen combinations of words). In brackets: the worst and the best seed. "
                               "Steps to 90: the first measured step at which 90 % of the positions are right, of the "
                               "slowest seed. µs and KiB: time and memory of one training "
                               "step. The slopes are the power of the length with which the multiply-adds (work) and "
                               "the time of the attention alone grow, from length 64 to 256: 1 is linear, 2 is "
                               "quadratic. Click a heading to sort by it." +
                               (cut.empty() ? "" : "\n\n" + cut),
                           .header = {"id", "variant", "right", "exact", "beyond", "exact beyond", "steps to 90",
                                      "parameters", "µs", "KiB", "slope of work", "slope of time", "family"},
                           .sortable = true};
  for (const Seeds& m : all) {
    const Row& r = m.first();
    auto slope = [](double s) { return s == 0 ? std::string("–") : fmt::format("{:.2f}", s); };
    const int64_t to_90 = m.steps_to_90();
    table.rows.push_back({r.entrant.id, who(r.entrant), m.with_spread(&Row::inside), m.with_spread(&Row::inside_exact),
                          m.with_spread(&Row::beyond), m.with_spread(&Row::beyond_exact),
                          to_90 < 0 ? std::string("–") : fmt::format("{}", to_90), fmt::format("{}", r.parameters),
                          fmt::format("{:.0f}", m.mean(&Row::microseconds)), fmt::format("{:.0f}", r.bytes / 1024),
                          slope(r.work_slope), slope(r.time_slope), r.entrant.family});
  }
  page.table(table);
}

void add_curves(report::Report& page, const std::string& task, const std::vector<Seeds>& all) {
  report::CurvesPanel panel{.title = fmt::format("{}: learning curves", task),
                            .text =
                                "Positions right during training: the controls, and the six best variants of each "
                                "architecture.",
                            .x_label = "step",
                            .y_label = "positions right, %"};
  std::map<std::string, int> taken;
  for (const Seeds& m : all) {
    const Entrant& e = m.first().entrant;
    if (e.control || ++taken[e.architecture] <= 6)
      panel.series.push_back({.name = who(e), .y = m.first().curve.right, .x = m.first().curve.steps});
  }
  page.curves(panel);
}

// Where a family differs: the curves that are far from the median of the family at some step, and that median. Nothing
// is drawn of a family whose curves run together.
//
//   differs(c) = max over steps t of |c_t - median_t|   >= 25 points
void add_families(report::Report& page, const std::string& task, const std::vector<Seeds>& all) {
  constexpr double points = 25;
  constexpr size_t most = 6;
  std::map<std::pair<std::string, std::string>, std::vector<const Row*>> families;  // architecture, family
  for (const Seeds& m : all) {
    const Row& r = m.first();
    if (!r.entrant.control && !r.curve.right.empty())
      families[{r.entrant.architecture, r.entrant.family}].push_back(&r);
  }
  for (const auto& [where, rows] : families) {
    if (rows.size() < 3) continue;  // two have no median
    size_t length = rows[0]->curve.right.size();
    for (const Row* r : rows) length = std::min(length, r->curve.right.size());
    std::vector<double> median;
    for (size_t t = 0; t < length; ++t) {
      std::vector<double> at;
      for (const Row* r : rows) at.push_back(r->curve.right[t]);
      std::ranges::nth_element(at, at.begin() + std::ssize(at) / 2);
      median.push_back(at[at.size() / 2]);
    }
    std::vector<std::pair<double, const Row*>> far;
    for (const Row* r : rows) {
      double distance = 0;
      for (size_t t = 0; t < length; ++t) distance = std::max(distance, std::abs(r->curve.right[t] - median[t]));
      if (distance >= points) far.push_back({distance, r});
    }
    if (far.empty()) continue;
    std::ranges::stable_sort(far, std::greater<>(), &std::pair<double, const Row*>::first);
    const size_t shown = std::min(far.size(), most), rest = rows.size() - far.size();
    report::CurvesPanel panel{
        .title = fmt::format("{}, {}: {}", task, where.first == "seq2seq" ? "recurrent" : where.first, where.second),
        .text = fmt::format(
            "At some step {} {} points or more from the median of the family's {}.{}{}",
            far.size() == 1 ? "one variant is" : fmt::format("{} variants are", far.size()), points, rows.size(),
            rest == 0 ? ""
                      : fmt::format(" The other {} nearer.", rest == 1 ? "one stays" : fmt::format("{} stay", rest)),
            far.size() > most ? fmt::format(" The {} farthest are drawn.", most) : ""),
        .x_label = "step",
        .y_label = "positions right, %"};
    const std::vector<double>& steps = rows[0]->curve.steps;
    panel.series.push_back({.name = "median", .y = median, .x = {steps.begin(), steps.begin() + std::ssize(median)}});
    for (size_t i = 0; i < shown; ++i)
      panel.series.push_back(
          {.name = far[i].second->entrant.name, .y = far[i].second->curve.right, .x = far[i].second->curve.steps});
    page.curves(panel);
  }
}

void add_weights(report::Report& page, const std::string& task, const std::vector<Seeds>& all) {
  report::VariantsPanel panel{
      .title = fmt::format("{}: the attention weights of two variants", task),
      .text =
          "Choose any two variants. Their attention weights are shown for the same sequence, after "
          "training; negative weights are drawn as 0.",
      .labels = {"after training"}};
  for (const Seeds& m : all) {
    const Row& r = m.first();
    if (r.weights.size() != r.source.size() * r.target.size() || r.weights.empty()) continue;
    if (panel.source.empty()) panel.source = r.source, panel.target = r.target;
    if (r.source != panel.source || r.target != panel.target) continue;  // another seed has another sentence
    std::vector<double> shown = r.weights;  // a difference of weights may be negative: drawn as 0
    for (double& w : shown) w = std::clamp(w, 0.0, 1.0);
    panel.variants.push_back({.name = who(r.entrant), .snapshots = {{r.target.size(), r.source.size(), shown}}});
  }
  if (panel.variants.size() >= 2) page.variants(panel);
}

void add_refused(report::Report& page, const std::vector<Row>& rows) {
  report::TablePanel table{.title = "Variants that could not be trained",
                           .text = "The reason is the error message of the library.",
                           .header = {"id", "variant", "reason"}};
  for (const Row& r : rows) {
    if (r.refused.empty()) continue;
    std::vector<std::string> row{r.entrant.id, who(r.entrant), r.refused};
    if (std::find(table.rows.begin(), table.rows.end(), row) == table.rows.end()) table.rows.push_back(row);
  }
  if (!table.rows.empty()) page.table(table);
}

void add_reasons(report::Report& page, const std::vector<Seeds>& all,
                 const std::map<std::string, std::string>& reasons) {
  report::TablePanel table{.title = "What holds back those below 95 %",
                           .text = "Variants that translate less than 95 % of the unseen sentences without an error.",
                           .header = {"id", "variant", "exact", "reason"}};
  for (const Seeds& m : all)
    if (auto why = reasons.find(m.first().entrant.id); m.mean(&Row::inside_exact) < 95 && why != reasons.end())
      table.rows.push_back({why->first, who(m.first().entrant), m.with_spread(&Row::inside_exact), why->second});
  if (!table.rows.empty()) page.table(table);
}

const char* const kIntroduction =
    "Variants of attention, trained on the same task with the same data, seed, number of steps and nearly the same "
    "number of parameters. Three controls show what a model reaches without useful attention weights: no attention at "
    "all (recurrent models only), equal weights for all words (even), and weights that are moved to other words "
    "(shuffled). A few variants have tables that cannot be made smaller, and so more parameters: see their column. "
    "Small differences between variants may be due to chance: compare several seeds.\n\n"
    "Most variants stand in a recurrent encoder-decoder and in a transformer. The name of the second kind of row ends "
    "in \"transformer\". A variant that mixes the words of one sentence replaces only the self-attention; if it cannot "
    "be causal, only that of the encoder. The decoder's attention over the source is then the usual one, and it can "
    "solve copy and reverse without help, so such a row shows that the variant does no harm.";

}  // namespace

report::Report page_of(const std::vector<Results>& results, const std::string& title,
                       const std::map<std::string, std::string>& reasons) {
  std::string sizes;
  for (const Results& some : results)
    sizes +=
        fmt::format("{}{}: {}", sizes.empty() ? "" : "; ", fmt::join(tasks_in(some.rows), ", "), in_words(some.sizes));
  report::Report page(title, sizes);
  page.text("", kIntroduction);
  std::vector<Row> refused;
  for (const Results& some : results) {
    for (const std::string& task : tasks_in(some.rows)) {
      const std::vector<Seeds> all = by_entrant(some.rows, task);
      if (all.empty()) continue;
      std::vector<Row> rows;
      for (const Row& r : some.rows)
        if (r.task == task) rows.push_back(r);
      add_curves(page, task, all), add_families(page, task, all),
          add_weights(page, task, all);  // before the table, which is long
      if (task == "translate") add_reasons(page, all, reasons);
      add_table(page, task, all, cut_short(rows, some.sizes));
    }
    for (const Row& r : some.rows)
      if (!r.refused.empty()) refused.push_back(r);
  }
  add_refused(page, refused);
  return page;
}

}  // namespace heed::league
