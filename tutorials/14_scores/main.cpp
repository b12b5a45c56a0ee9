// Lesson 14: the zoo of scores. Eight ways to ask how well a key answers a query, and one task for all of them.
//
//   1  the variance       q . k of d normal numbers has variance d; what that does to the softmax
//   2  one language       queries that are keys: nothing to learn
//   3  the league         queries in another language: the table of all scores
//   4  the rank           how many keys can a score of rank R tell apart?
//   5  the wrong start    where unscaled products do harm, and where not
//
// d: width of queries and keys; S = 16 notes; e: scores; w: weights; R: rank. A guess is right in 6.25 %.
#include "tutorials/common/main.h"
#include <fmt/format.h>

#include "tutorials/14_scores/league.h"
#include "tutorials/14_scores/ranks.h"
#include "tutorials/14_scores/spread.h"
#include "tutorials/common/show.h"

using namespace scores;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t steps = 600, width = 512, rank_steps = 2000;
  double rate = 0.003, sharpness = 1;
};

std::vector<int64_t> widths(const app::Lesson& lesson, const Knobs& k) {
  std::vector<int64_t> all{16, 64};
  if (!lesson.quick()) all.push_back(k.width);
  return all;
}
std::string share(double percent) { return fmt::format("{:.1f} %", percent); }
std::string steps_text(const Outcome& o) { return o.steps < 0 ? "never" : std::to_string(o.steps); }

// ---- 1  the variance ------------------------------------------------------------------------------------------------
void the_variance(app::Lesson& lesson) {
  heading("1  The variance: q . k of d normal numbers each, 16 keys a query");
  report::TablePanel table{
      .title = "The variance of a product",
      .text =
          "Queries and keys are normal and unrelated. Entropy of softmax(e) over 16 keys: 2.77 where all weights "
          "are equal. sum w (1 - w): how much a softmax lets through of a gradient, at most 0.94 here.",
      .header = {"d", "var q.k", "var q.k / sqrt(d)", "entropy", "scaled", "sum w (1-w)", "scaled"}};
  Generator rng(lesson.seed());
  double worst = 0, last = 0;
  for (int64_t d : {16, 64, 256, 512}) {
    Spread v = spread_of(d, rng);
    worst = std::max(worst, std::abs(v.variance / static_cast<double>(d) - 1)), last = v.variance;
    table.rows.push_back({std::to_string(d), fmt::format("{:.1f}", v.variance),
                          fmt::format("{:.3f}", v.variance / static_cast<double>(d)),
                          fmt::format("{:.2f}", v.entropy[0]), fmt::format("{:.2f}", v.entropy[1]),
                          fmt::format("{:.2f}", v.passed[0]), fmt::format("{:.2f}", v.passed[1])});
  }
  show(lesson, table);
  fmt::print("\n");
  lesson.check({.name = "variance of q.k / sqrt(d): largest distance from 1, d = 16 to 512",
                .measured = worst,
                .comparator = "<=",
                .threshold = 0.05,
                .control = fmt::format("without the root, d = 512: {:.0f}", last)});
}

// ---- 2  one language ------------------------------------------------------------------------------------------------
void one_language(app::Lesson& lesson) {
  heading("2  One language: the query is the key. Nothing is learned");
  report::TablePanel table{.title = "Queries that are keys",
                           .text =
                               "Nothing is learned. Found: the heaviest weight lies on the right note. Weight: "
                               "how heavy that is, on average.",
                           .header = {"score", "d", "found", "weight on the right note"}};
  struct Row {
    std::string name, score;
    double sharpness;
  };
  for (const Row& row : {Row{"dot", "dot", 1},
                         {"scaled", "scaled_dot", 1},
                         {"cosine, beta 1", "cosine", 1},
                         {"cosine, beta 20", "cosine", 20}})
    for (int64_t d : {16, 512}) {
      Generator rng(lesson.seed());
      Notes n = make_notes(64, d, {}, rng);
      Reader reader({.name = row.name, .score = row.score, .sharpness = row.sharpness}, d, rng);
      Tensor e = reader.scores(n).value().view({n.place.size(0), kNotes});
      Tensor w = exp(log_softmax_rows(e));
      table.rows.push_back({row.name, std::to_string(d), share(percent(equal(argmax(e, 1), n.place))),
                            fmt::format("{:.2f}", mean(gather(w, 1, n.place.unsqueeze(1))).item())});
    }
  show(lesson, table);
}

// ---- 3  the league --------------------------------------------------------------------------------------------------
League the_league(app::Lesson& lesson, const Knobs& k) {
  heading("3  The league: queries in another language than the keys");
  League league;
  report::BarsPanel bars{
      .title = "Symbols named, by score",
      .text = fmt::format("At d = 16 and at d = {}. A guess is right in 6.25 %.", widths(lesson, k).back()),
      .x_label = "score",
      .y_label = "named, in %"};
  for (const Entrant& e : entrants(k.sharpness)) bars.labels.push_back(e.name);
  for (int64_t d : widths(lesson, k)) {
    report::TablePanel table{.title = fmt::format("The league at d = {}", d),
                             .text = fmt::format("Trained until 99 % of new notes' symbols are named, or for {} steps "
                                                 "of 32 x 16 queries. steps: until 95 %. memory: live at most in one "
                                                 "such step of the attention, KiB.",
                                                 k.steps),
                             .header = {"score", "named", "steps", "parameters", "entropy at 0", "memory"}};
    report::TablePanel printed = table;
    printed.header.push_back("us");
    bars.series.push_back({.name = fmt::format("d = {}", d)});
    report::CurvesPanel curves{
        .title = fmt::format("Learning the rotation, d = {}", d), .x_label = "training step", .y_label = "named, in %"};
    for (const Entrant& e : entrants(k.sharpness)) {
      Training t{.d = d, .steps = k.steps, .rate = k.rate, .seed = lesson.seed()};
      t.language.relation = foreign(d, lesson.seed());
      Outcome o = learn(e, t);
      league[e.name].least = std::min(league[e.name].least, o.right);
      league[e.name].most = std::max(league[e.name].most, o.right);
      table.rows.push_back({e.name, share(o.right), steps_text(o), std::to_string(o.parameters),
                            fmt::format("{:.2f}", o.entropy), std::to_string(o.bytes / 1024)});
      printed.rows.push_back(table.rows.back());
      printed.rows.back().push_back(fmt::format("{:.0f}", o.microseconds));
      bars.series.back().values.push_back(o.right);
      if (e.mapped || o.parameters <= 1) continue;
      report::Series line{.name = e.name, .y = o.curve};
      for (size_t i = 0; i < line.y.size(); ++i) line.x.push_back(static_cast<double>(i) * kEvery);
      curves.series.push_back(line);
    }
    fmt::print("   d = {}\n\n", d);
    show(report::table(printed.header, printed.rows, app::console()));
    fmt::print("\n");
    lesson.report().table(table);
    if (d == 64) lesson.report().curves(curves);
  }
  bars.series.erase(bars.series.begin() + 1, bars.series.end() - 1);
  lesson.report().bars(bars);
  return league;
}

void claim_league(app::Lesson& lesson, League& l) {
  double learners = std::min({l["general"].least, l["scaled, map"].least, l["cosine, map"].least, l["additive"].least});
  double bare = std::max({l["dot"].most, l["scaled"].most, l["cosine"].most});
  lesson.check({.name = "named by general, additive, and scaled and cosine behind a map: the least",
                .measured = learners,
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("dot, scaled and cosine without a map, the most: {:.1f} %", bare)});
  lesson.claim({.name = "named by location, the most",
                .measured = l["location"].most,
                .comparator = "<=",
                .threshold = 15,
                .control = fmt::format("general: {:.1f} %", l["general"].least)});
  lesson.check({.name = "named by concat, which has no bias, the most",
                .measured = l["concat"].most,
                .comparator = "<=",
                .threshold = 55,
                .control = fmt::format("additive, the same with a bias: {:.1f} %", l["additive"].least)});
}

// ---- 4  the rank ----------------------------------------------------------------------------------------------------
void the_rank(app::Lesson& lesson, const Knobs& k, League& l) {
  heading("4  The rank: the same 16 keys in each batch, d = 16");
  report::TablePanel table{.title = "How many of 16 keys can be found?",
                           .text =
                               "Always the same keys, so that a score can arrange them as it likes. New keys: from "
                               "the league, the most of all widths.",
                           .header = {"rank", "keys that ever win", "named", "new keys: named"}};
  Training t{.d = 16, .steps = k.rank_steps, .rate = 0.01, .seed = lesson.seed()};
  Generator keys(lesson.seed(), 1ull << 44);
  t.language = {.relation = foreign(16, lesson.seed()), .bank = Tensor::normal({kNotes, 16}, keys)};
  std::vector<int64_t> won;
  for (int64_t rank : {1, 2, 4}) {
    std::optional<Reader> reader;
    Entrant e{.name = fmt::format("rank {}", rank), .score = "reduced_rank", .width = rank};
    Outcome o = learn(e, t, &reader);
    Generator rng(lesson.seed() + 5);
    Notes n = make_notes(8, 16, t.language, rng);
    NoGrad guard;
    won.push_back(winners(reader->scores(n).value()));
    table.rows.push_back({std::to_string(rank), std::to_string(won.back()), share(o.right), share(l[e.name].most)});
    if (rank == 2) draw_plane(lesson, *reader, t.language);
  }
  show(lesson, table);
  fmt::print("\n");
  lesson.claim({.name = "keys of 16 that win any query, rank 1",
                .measured = static_cast<double>(won[0]),
                .comparator = "<=",
                .threshold = 2,
                .control = fmt::format("rank 2, trained: {}; rank 4: {}", won[1], won[2])});
  lesson.claim({.name = "keys found on a circle of 1000, rank 2",
                .measured = static_cast<double>(found_on_circle(1000)),
                .comparator = "==",
                .threshold = 1000,
                .control = fmt::format("the same points on a line, rank 1: {}", found_on_line(1000))});
}

// ---- 5  the wrong start ---------------------------------------------------------------------------------------------
void the_wrong_start(app::Lesson& lesson, const Knobs& k) {
  heading("5  The wrong start: the naming layer is learned, too, and begins as +1/4 or as -1/4 times the identity");
  report::TablePanel table{.title = "Output layer with the wrong sign at the start",
                           .text =
                               "As the league, but the layer that names is learned. From -1/4 a symbol that is "
                               "read speaks against itself, until the layer has turned.",
                           .header = {"d", "score", "entropy at 0", "from +1/4", "steps", "from -1/4", "steps"}};
  std::map<std::string, double> wrong, good;
  std::vector<int64_t> ds{16, 64, 256};
  if (lesson.quick()) ds = {64};
  for (int64_t d : ds)
    for (Entrant e : entrants(k.sharpness)) {
      if (e.name != "general" && e.name != "scaled, map" && e.name != "cosine, map") continue;
      Training t{.d = d, .steps = std::min<int64_t>(k.steps, 400), .rate = k.rate, .seed = lesson.seed()};
      t.language.relation = foreign(d, lesson.seed());
      e.naming = 0.25;
      Outcome plus = learn(e, t);
      e.naming = -0.25;
      Outcome minus = learn(e, t);
      wrong[e.name] = minus.right, good[e.name] = plus.right;
      table.rows.push_back({std::to_string(d), e.name == "general" ? "general, unscaled" : e.name,
                            fmt::format("{:.2f}", plus.entropy), share(plus.right), steps_text(plus),
                            share(minus.right), steps_text(minus)});
    }
  show(lesson, table);
  fmt::print("\n");
  lesson.check({.name = fmt::format("named by general, unscaled, from the wrong start, d = {}", ds.back()),
                .measured = wrong["general"],
                .comparator = "<=",
                .threshold = 30,
                .control = fmt::format("from the right start {:.1f} %; scaled, from the wrong one {:.1f} %; cosine "
                                       "{:.1f} %",
                                       good["general"], wrong["scaled, map"], wrong["cosine, map"])});
}

int lesson_14(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("14_scores", "The zoo of scores: eight ways to compare a query with a key");
  lesson.knob("width", &k.width, "the largest d of the league").between(32, 1024);
  lesson.knob("steps", &k.steps, "steps of training, at most").between(50, 100000);
  lesson.knob("rank_steps", &k.rank_steps, "steps of part 4").between(50, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.knob("sharpness", &k.sharpness, "the cosine's beta at the start").between(0.01, 100);
  lesson.question(
      {"A score may keep one number of each query and one of each key, learned, and multiply the two. Of "
       "16 keys, how many can ever win a query?",
       {"2", "4", "all 16"},
       1,
       "The largest number wins where the query's is positive, the smallest where it is negative."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 300), k.rank_steps = std::min<int64_t>(k.rank_steps, 1200);
  lesson.report().text("What this page shows",
                       "Sixteen notes, each a key and a symbol. A query asks for one of them. A score compares it with "
                       "all keys, a softmax makes weights of the scores, and what is read with them is named. All "
                       "scores get the same notes, the same steps and the same learning rate.");
  the_variance(lesson);
  one_language(lesson);
  League league = the_league(lesson, k);
  claim_league(lesson, league);
  the_rank(lesson, k, league);
  the_wrong_start(lesson, k);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_14); }
