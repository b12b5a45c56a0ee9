// Lesson 14: score functions. Eight ways to compute how well a key matches a query, compared on one task.
//
//   1  variance        q . k of d normal numbers has variance d; what that does to the softmax
//   2  equal vectors   the query is the key itself: nothing has to be learned
//   3  comparison      queries are rotated keys: the table of all scores
//   4  rank            how many keys can a score of rank R find?
//   5  wrong sign      where unscaled dot products do harm, and where they do not
//
// d: width of queries and keys; S = 16 entries; e: scores; w: weights; R: rank. A guess is right in 6.25 %.
#include "tutorials/common/main.h"
#include <fmt/format.h>

#include <map>

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
std::vector<Entrant> entrants(double sharpness) {
  std::vector<Entrant> all{{.name = "dot", .score = "dot"},
                           {.name = "scaled dot", .score = "scaled_dot"},
                           {.name = "cosine", .score = "cosine", .sharpness = sharpness},
                           {.name = "location", .score = "location"},
                           {.name = "scaled dot, W", .score = "scaled_dot", .mapped = true},
                           {.name = "cosine, W", .score = "cosine", .mapped = true, .sharpness = sharpness},
                           {.name = "general", .score = "general"},
                           {.name = "concat", .score = "concat"},
                           {.name = "additive", .score = "additive"}};
  for (int64_t rank : {1, 2, 4, 8})
    all.push_back({.name = fmt::format("rank {}", rank), .score = "reduced_rank", .width = rank});
  return all;
}
struct Standing {
  double least = 100, most = 0;  // correct symbols in %: minimum and maximum over the widths
};
using League = std::map<std::string, Standing>;

std::string share(double percent) { return fmt::format("{:.1f} %", percent); }
std::string steps_text(const Outcome& o) { return o.steps < 0 ? "never" : std::to_string(o.steps); }

// ---- 1  the variance ------------------------------------------------------------------------------------------------
void the_variance(app::Lesson& lesson) {
  heading("1  Variance: q . k of d normal numbers each, 16 keys per query");
  report::TablePanel table{
      .title = "The variance of a dot product",
      .text =
          "Queries and keys are independent normal vectors. Entropy of softmax(e) over 16 keys: 2.77 if all weights "
          "are equal. Sum of w (1 - w): the size of the softmax's derivative, at most 0.94 here. Scaled: with the "
          "division by the root of d.",
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
  lesson.check({.name = "variance of q.k / sqrt(d), largest distance from 1, d = 16 to 512",
                .measured = worst,
                .comparator = "<=",
                .threshold = 0.05,
                .control = fmt::format("without the root, d = 512: {:.0f}", last)});
}

// ---- 2  equal vectors -----------------------------------------------------------------------------------------------
void equal_vectors(app::Lesson& lesson) {
  heading("2  Equal vectors: the query is the key itself, and nothing is trained");
  report::TablePanel table{.title = "Queries that equal their keys",
                           .text =
                               "Nothing is trained. Found: share of queries for which the right key has the largest "
                               "weight. Weight: the mean weight of the right key.",
                           .header = {"score", "d", "found", "weight of the right key"}};
  struct Row {
    std::string name, score;
    double sharpness;
  };
  for (const Row& row : {Row{"dot", "dot", 1},
                         {"scaled dot", "scaled_dot", 1},
                         {"cosine, beta 1", "cosine", 1},
                         {"cosine, beta 20", "cosine", 20}})
    for (int64_t d : {16, 512}) {
      Generator rng(lesson.seed());
      Entries n = make_entries(64, d, {}, rng);
      Reader reader({.name = row.name, .score = row.score, .sharpness = row.sharpness}, d, rng);
      Tensor e = reader.scores(n).value().view({n.place.size(0), kEntries});
      Tensor w = exp(log_softmax_rows(e));
      table.rows.push_back({row.name, std::to_string(d), share(percent(equal(argmax(e, 1), n.place))),
                            fmt::format("{:.2f}", mean(gather(w, 1, n.place.unsqueeze(1))).item())});
    }
  show(lesson, table);
}

// ---- 3  comparison --------------------------------------------------------------------------------------------------
League the_league(app::Lesson& lesson, const Knobs& k) {
  heading("3  Comparison: queries are rotated keys");
  League league;
  report::BarsPanel bars{
      .title = "Correct symbols by score",
      .text = fmt::format("At d = 16 and at d = {}. A guess is right in 6.25 %.", widths(lesson, k).back()),
      .x_label = "score",
      .y_label = "correct symbols, %"};
  for (const Entrant& e : entrants(k.sharpness)) bars.labels.push_back(e.name);
  for (int64_t d : widths(lesson, k)) {
    report::TablePanel table{
        .title = fmt::format("All scores at d = {}", d),
        .text = fmt::format("Trained until 99 % of the symbols of new entries are correct, or for {} steps of 32 x 16 "
                            "queries. Steps: until 95 % are correct. W: with a learned matrix on the query. Entropy: "
                            "of the weights before training. Memory: the maximum in one step of the attention.",
                            k.steps),
        .header = {"score", "correct", "steps", "parameters", "entropy", "memory, KiB"}};
    report::TablePanel printed = table;
    printed.header.push_back("time, us");
    printed.text += " Time: of one step, on this machine; it is printed here only.";
    bars.series.push_back({.name = fmt::format("d = {}", d)});
    report::CurvesPanel curves{.title = fmt::format("Learning the rotation, d = {}", d),
                               .text = "The score functions that have parameters of their own (more than one).",
                               .x_label = "training step",
                               .y_label = "correct symbols, %"};
    for (const Entrant& e : entrants(k.sharpness)) {
      Training t{.d = d, .steps = k.steps, .rate = k.rate, .seed = lesson.seed()};
      t.task.rotation = random_rotation(d, lesson.seed());
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
    show(printed);
    fmt::print("\n");
    lesson.report().table(table);
    if (d == 64) lesson.report().curves(curves);
  }
  bars.series.erase(bars.series.begin() + 1, bars.series.end() - 1);
  lesson.report().bars(bars);
  return league;
}

void claim_league(app::Lesson& lesson, League& l) {
  double learners = std::min({l["general"].least, l["scaled dot, W"].least, l["cosine, W"].least, l["additive"].least});
  double bare = std::max({l["dot"].most, l["scaled dot"].most, l["cosine"].most});
  lesson.check(
      {.name = "correct symbols with general, additive, and scaled dot and cosine with a matrix, minimum, in %",
       .measured = learners,
       .comparator = ">=",
       .threshold = 95,
       .control = fmt::format("dot, scaled dot and cosine without a matrix, maximum: {:.1f} %", bare)});
  lesson.claim({.name = "correct symbols with location, which ignores the keys, maximum over d, in %",
                .measured = l["location"].most,
                .comparator = "<=",
                .threshold = 15,
                .control = fmt::format("general: {:.1f} %", l["general"].least)});
  lesson.check({.name = "correct symbols with concat, which has no bias, maximum over d, in %",
                .measured = l["concat"].most,
                .comparator = "<=",
                .threshold = 55,
                .control = fmt::format("additive, which has a bias: {:.1f} %", l["additive"].least)});
}

// ---- 4  rank --------------------------------------------------------------------------------------------------------
void the_rank(app::Lesson& lesson, const Knobs& k, League& l) {
  heading("4  Rank: the same 16 keys in each batch, d = 16");
  report::TablePanel table{.title = "How many of 16 keys can be found?",
                           .text =
                               "The keys are the same in all batches, so that training can arrange them. A key wins "
                               "if it has the largest score for at least one query. Last column: with new keys in "
                               "each batch, the maximum over all d.",
                           .header = {"rank", "keys that ever win", "correct", "correct, new keys"}};
  Training t{.d = 16, .steps = k.rank_steps, .rate = 0.01, .seed = lesson.seed()};
  Generator keys(lesson.seed(), 1ull << 44);
  t.task = {.rotation = random_rotation(16, lesson.seed()), .bank = Tensor::normal({kEntries, 16}, keys)};
  std::vector<int64_t> won;
  for (int64_t rank : {1, 2, 4}) {
    std::optional<Reader> reader;
    Entrant e{.name = fmt::format("rank {}", rank), .score = "reduced_rank", .width = rank};
    Outcome o = learn(e, t, &reader);
    Generator rng(lesson.seed() + 5);
    Entries n = make_entries(8, 16, t.task, rng);
    NoGrad guard;
    won.push_back(winners(reader->scores(n).value()));
    table.rows.push_back({std::to_string(rank), std::to_string(won.back()), share(o.right), share(l[e.name].most)});
    if (rank == 2) draw_plane(lesson, *reader, t.task);
  }
  show(lesson, table);
  fmt::print("\n");
  lesson.claim({.name = "rank 1: keys of 16 that have the largest score for any query",
                .measured = static_cast<double>(won[0]),
                .comparator = "<=",
                .threshold = 2,
                .control = fmt::format("rank 2, trained: {}; rank 4: {}", won[1], won[2])});
  lesson.claim({.name = "rank 2: keys found of 1000 on a circle",
                .measured = static_cast<double>(found_on_circle(1000)),
                .comparator = "==",
                .threshold = 1000,
                .control = fmt::format("the same points on a line, rank 1: {}", found_on_line(1000))});
}

// ---- 5  wrong sign --------------------------------------------------------------------------------------------------
void the_wrong_start(app::Lesson& lesson, const Knobs& k) {
  heading("5  Wrong sign: the output layer is learned, too, and starts as +1/4 or -1/4 times the identity");
  report::TablePanel table{.title = "Output layer with the wrong sign at the start",
                           .text =
                               "As in the comparison, but the output layer is learned. If it starts at -1/4, a symbol "
                               "that is read counts as evidence against itself until the layer has changed its sign. "
                               "From: correct symbols with that start. Steps: until 95 % are correct. W: with a "
                               "learned matrix on the query.",
                           .header = {"d", "score", "entropy", "from +1/4", "steps", "from -1/4", "steps"}};
  std::map<std::string, double> wrong, good;
  std::vector<int64_t> ds{16, 64, 256};
  if (lesson.quick()) ds = {64};
  for (int64_t d : ds)
    for (Entrant e : entrants(k.sharpness)) {
      if (e.name != "general" && e.name != "scaled dot, W" && e.name != "cosine, W") continue;
      Training t{.d = d, .steps = std::min<int64_t>(k.steps, 400), .rate = k.rate, .seed = lesson.seed()};
      t.task.rotation = random_rotation(d, lesson.seed());
      e.output = 0.25;
      Outcome plus = learn(e, t);
      e.output = -0.25;
      Outcome minus = learn(e, t);
      wrong[e.name] = minus.right, good[e.name] = plus.right;
      table.rows.push_back({std::to_string(d), e.name == "general" ? "general, unscaled" : e.name,
                            fmt::format("{:.2f}", plus.entropy), share(plus.right), steps_text(plus),
                            share(minus.right), steps_text(minus)});
    }
  show(lesson, table);
  fmt::print("\n");
  lesson.check(
      {.name = fmt::format("correct symbols with general, unscaled, from the wrong sign, d = {}, in %", ds.back()),
       .measured = wrong["general"],
       .comparator = "<=",
       .threshold = 30,
       .control = fmt::format("from the right sign: {:.1f} %; from the wrong sign, scaled dot: {:.1f} %, "
                              "cosine: {:.1f} %",
                              good["general"], wrong["scaled dot, W"], wrong["cosine, W"])});
}

int lesson_14(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("14_scores", "Score functions: eight ways to compare a query with a key");
  lesson.knob("width", &k.width, "largest d of the comparison").between(32, 1024);
  lesson.knob("steps", &k.steps, "maximum number of training steps").between(50, 100000);
  lesson.knob("rank_steps", &k.rank_steps, "maximum number of training steps of part 4").between(50, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.knob("sharpness", &k.sharpness, "beta of the cosine score at the start").between(0.01, 100);
  lesson.question(
      {"A score function computes one number from each query and one number from each key, and multiplies the "
       "two. The numbers are learned. Of 16 keys, how many can have the largest score for some query?",
       {"2", "4", "all 16"},
       1,
       "If the query's number is positive, the key with the largest number wins; if it is negative, the one with "
       "the smallest."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 300), k.rank_steps = std::min<int64_t>(k.rank_steps, 1200);
  app::tell(
      "\n   First, the variance of dot products is measured. Then every score function learns the same task: find one\n"
      "   of 16 entries by a query that is a rotated key.\n");
  lesson.report().text("What this page shows",
                       "There are sixteen entries, each with a key and a symbol, and a query asks for one of them. A "
                       "score function compares the query with all keys, a softmax turns the scores into weights, and "
                       "the symbol is predicted from the weighted mean. All score functions get the same entries, "
                       "the same number of training steps and the same learning rate.");
  the_variance(lesson);
  equal_vectors(lesson);
  League league = the_league(lesson, k);
  claim_league(lesson, league);
  the_rank(lesson, k, league);
  the_wrong_start(lesson, k);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_14); }
