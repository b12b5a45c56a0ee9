// Lesson 33: attention in pictures. A picture has a place for each patch, and too many places for every place to read
// every other. Which does a place read instead, what does it cost, and what can then not be answered?
//
//   1  reads        the places that a place reads after one layer and after two, asked of the library's mixers
//   2  cost         multiply-adds, as the picture grows
//   3  the fault    windows of a rolled picture without their mask
//   4  questions    all 15 mixers of pictures learn two questions: one about a place, one about the whole picture
//   5  points       where deformable attention looks, before training and after
//
// B pictures, R rows, C columns, T = R C places, D width, H heads.
#include <fmt/format.h>

#include "nn/train/progress.h"
#include "tutorials/33_pictures/layers.h"
#include "tutorials/common/main.h"

using namespace pictures;
using namespace heed;

namespace {

struct Knobs {
  int64_t rows = 8, columns = 12, steps = 200;
  double rate = 0.01;
};

// ---- 4  questions ---------------------------------------------------------------------------------------------------
struct Learned {
  std::vector<double> likeness;  // of the weights of a non-local block: untrained, where, everywhere
  std::vector<double> on_shape;  // of deformable attention, both layers: before, after
  report::PicturePanel points;
};
void the_questions(app::Lesson& lesson, Results& results, Learned& learned, const Size& size, const Training& t) {
  heading(fmt::format("4  Questions: {} steps of {} pictures for each mixer", t.steps, t.batch));
  const Pictures where = test_of(Task::where, size, t), everywhere = test_of(Task::everywhere, size, t);
  const Tensor some = where.patches.slice(0, 0, 40);
  nn::Progress progress(2 * std::ssize(results.all), {.label = "training", .unit = "models"});
  for (Result& r : results.all) {
    for (Task task : {Task::where, Task::everywhere}) {
      Generator rng(t.seed);
      Finder m(r.way, size, rng);
      const bool asked = task == Task::where, watched = r.way.name == "deformable" && asked;
      if (r.way.name == kOpen) m.second.mixer = rolled(*m.second.mixer, layer_of(r.way, 1, size), false);
      if (r.way.name == "non-local" && asked) learned.likeness.push_back(likeness(m, some, size));
      auto look = [&](const char* when) {  // at the points of two pictures
        for (int layer : {0, 1}) {
          learned.on_shape.push_back(on_the_shape(m, where, size, layer));
          for (size_t b : {size_t{0}, size_t{1}}) {
            if (learned.points.readings.size() < 2)
              learned.points.readings.push_back(
                  {.name = fmt::format("picture {}", learned.points.readings.size() + 1)});
            report::PictureReading& reading = learned.points.readings[b];
            const auto i = static_cast<int64_t>(b), answer = static_cast<int64_t>(where.answers.at({i}));
            reading.cells = cells_of(where.patches.select(0, i));
            reading.words.push_back(fmt::format("{}, layer {}", when, layer + 1));
            const Tensor w = point_weights(m, where.patches.slice(0, i, i + 1), size, layer);
            for (double x : w.select(0, 0).select(0, answer).contiguous().to_vector())
              reading.weights.values.push_back(std::clamp(x, 0.0, 1.0));
            reading.weights.rows = reading.words.size(), reading.weights.columns = reading.cells.size();
          }
        }
      };
      if (watched) look("before");
      const double got = train(m, task, size, t, r.way.name == kFixed ? "offsets" : "");
      if (watched) look("after");
      if (r.way.name == "non-local") learned.likeness.push_back(likeness(m, some, size));
      (asked ? r.where : r.everywhere) = got;
      progress.step({.items = 1});
    }
    r.most = most_right(r.reads[1], everywhere);
  }
  progress.finish();
  report::TablePanel table{
      .title = "Two questions to all mixers",
      .text =
          "Where: is the right place found? Everywhere: the share of places that say the right colour. At most: "
          "what the places that two layers read allow, if all others guess one of four colours.",
      .header = {"two layers of", "where", "everywhere", "at most"}};
  for (const Result& r : results.all) {
    const bool moves = r.way.name.starts_with("deformable");  // its points may move anywhere
    table.rows.push_back({r.way.name, percent(r.where), percent(r.everywhere), moves ? "-" : percent(r.most)});
  }
  show(lesson, table);
}

int lesson_33(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("33_pictures", "Attention in pictures: which places does a place read?");
  lesson.knob("rows", &k.rows, "rows of a picture, a multiple of 4").between(8, 16);
  lesson.knob("columns", &k.columns, "columns of a picture, a multiple of 4").between(12, 16);
  lesson.knob("steps", &k.steps, "training steps of each model").between(10, 5000);
  lesson.knob("rate", &k.rate, "learning rate of Adam").between(1e-5, 1);
  lesson.question(
      {"A picture of 8 x 12 places is cut into windows of 4 x 4, and each place reads its window: 16 places. In a "
       "second layer the windows begin 2 places later. How many places has the upper left corner read now?",
       {"16", "36", "64"},
       1,
       "The first window of the shifted layer is cut at the border. In the corner it has 2 x 2 places, and all of them "
       "have read the same window. In the middle of the picture, a place has read 64."});
  lesson.start(argc, argv);
  if (k.rows % 4 != 0 || k.columns % 4 != 0)
    throw InputError(
        fmt::format("33_pictures: rows and columns must be multiples of 4, the size of a window; got {} "
                    "and {}",
                    k.rows, k.columns));
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 80);
  fmt::print("\n");
  app::item("",
            "Mixers of pictures let a place read some places instead of all. First we ask each mixer which places it "
            "reads and count what that costs. Then all of them learn to answer two questions about small pictures of "
            "coloured shapes.");
  const Size size{k.rows, k.columns};
  const Training training{.steps = k.steps, .rate = k.rate, .seed = lesson.seed()};
  Results results;
  for (const Way& way : ways())
    if (!lesson.quick() || std::ranges::count(kQuick, way.name) > 0)
      results.all.push_back({way, way.name == kOpen ? reads_without_mask(way, size) : reads_of(way, size)});
  the_reads(lesson, results, size);
  const Slopes slopes = the_cost(lesson);
  const Fault fault = the_fault(lesson, size, lesson.seed());
  Learned learned;
  the_questions(lesson, results, learned, size, training);

  if (!lesson.quick()) {
    heading("5  Points: where deformable attention looks");
    learned.points.title = "Points of deformable attention, before training and after";
    learned.points.text =
        "The place that reads is the upper left corner of the box of the red shape. Weight: that of the "
        "points of both heads, shared out among the four places around each point.";
    learned.points.columns = static_cast<size_t>(size.columns);
    print_reading(learned.points.readings[0], size);
    app::tell("\n");
    report::TablePanel table{.title = "Weight of the points on the red shape",
                             .text = "Read by the corner of its box; the mean over new pictures.",
                             .header = {"layer", "before training", "after training"}};
    for (size_t layer : {size_t{0}, size_t{1}})
      table.rows.push_back(
          {std::to_string(layer + 1), percent(learned.on_shape[layer]), percent(learned.on_shape[layer + 2])});
    show(lesson, table);
    lesson.report().picture(learned.points);
    report::TablePanel likeness{.title = "How alike are the weights of two queries?",
                                .text =
                                    "A non-local block, second layer: the mean cosine of the weights of two places "
                                    "of a picture. 1: every place reads the same.",
                                .header = {"trained on", "cosine"}};
    const char* names[] = {"nothing", "where", "everywhere"};
    for (size_t i = 0; i < 3; ++i) likeness.rows.push_back({names[i], fmt::format("{:.3f}", learned.likeness[i])});
    app::tell("\n");
    show(lesson, likeness);
  }

  heading("Claims");
  auto unread = [&](const char* name, size_t layers) {
    return size.places() - extent_of(results.of(name).reads[layers - 1]).least;
  };
  const Extent shifted = extent_of(results.of("shifted windows").reads[1]);
  lesson.claim({.name = "places not read after two layers of criss-cross, or of windows and a grid; the worst place",
                .measured = static_cast<double>(std::max(unread("criss-cross", 2), unread("windows, then grid", 2))),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("one layer of criss-cross: {} of {}; two layers of shifted windows: {} to {}",
                                       unread("criss-cross", 1), size.places(), size.places() - shifted.most,
                                       size.places() - shifted.least)});
  double above = -1;
  for (const Result& r : results.all)
    if (r.way.name != kOpen && !r.way.name.starts_with("deformable")) above = std::max(above, r.everywhere - r.most);
  const Result& open = results.of(kOpen);
  const double allowed = results.of("shifted windows").most;
  lesson.claim(
      {.name = "everywhere: points above what the places that are read allow, the largest of all mixers",
       .measured = 100 * above,
       .comparator = "<=",
       .threshold = 3,
       .control = fmt::format("shifted windows without their mask: {:.1f}", 100 * (open.everywhere - allowed))});
  const Result &windows = results.of("shifted windows"), &one = results.of("global context");
  lesson.claim(
      {.name = "where: points of shifted windows above one vector for the picture (global context)",
       .measured = 100 * (windows.where - one.where),
       .comparator = ">=",
       .threshold = lesson.quick() ? 20.0 : 60.0,
       .control = fmt::format("everywhere, the other way round: {:.1f}", 100 * (windows.everywhere - one.everywhere))});
  lesson.check(
      {.name = "multiply-adds of windows, neighbourhoods, a grid and one vector: largest power of the places",
       .measured = slopes.windows,
       .comparator = "<=",
       .threshold = 1.1,
       .control = fmt::format("one window for all: {:.2f}; criss-cross: {:.2f}", slopes.full, slopes.criss_cross)});
  lesson.check({.name = "a rolled picture with its mask against the library's shifted windows, largest difference",
                .measured = fault.with_mask,
                .comparator = "<=",
                .threshold = 1e-12,
                .control = fmt::format("without the mask: {:.2f}", fault.without)});
  lesson.check({.name = "places of the opposite sides that the corner reads in a shifted layer",
                .measured = static_cast<double>(fault.across),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("without the mask: {}", fault.across_without)});
  if (lesson.quick()) return lesson.finish();
  auto where = [&](const char* name, const char* control, double threshold) {
    lesson.check({.name = fmt::format("where: right in %, {}", name),
                  .measured = 100 * results.of(name).where,
                  .comparator = ">=",
                  .threshold = threshold,
                  .control = fmt::format("{}: {:.1f}", control, 100 * results.of(control).where)});
  };
  where("shifted windows", "windows, never shifted", 95);
  where("deformable", kFixed, 90);
  where("neighbourhood + positions", "neighbourhood", 80);
  lesson.check({.name = "everywhere: points of global context above the same with one hidden feature (r = 16)",
                .measured = 100 * (one.everywhere - results.of("global context, r = 16").everywhere),
                .comparator = ">=",
                .threshold = 40,
                .control = fmt::format("r = 16: {}", percent(results.of("global context, r = 16").everywhere))});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_33); }
