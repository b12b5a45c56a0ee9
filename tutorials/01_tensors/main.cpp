// Lesson 01: tensors, and how a matrix product becomes a hundred times as fast with the same arithmetic.
//
//   1  views           shape, strides, offset: many tensors share one memory
//   2  no byte         the memory that a view takes, and a copy
//   3  broadcasting    an axis of stride 0 repeats the same element
//   4  mistakes        a view read without its strides; a write through a view
//   5  the product     one matrix product in six versions: results, memory accesses, speed
#include <fmt/format.h>

#include "tensor/allocator.h"
#include "tensor/error.h"
#include "tutorials/01_tensors/rungs.h"
#include "tutorials/01_tensors/speeds.h"
#include "tutorials/01_tensors/views.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace heed;

namespace {

using app::console, app::heading, app::item, app::show;

struct Knobs {
  int64_t size = 512, depth = 512, rows = kTileRows, milliseconds = 200;
};

// ---- 1  views -------------------------------------------------------------------------------------------------------
void views(app::Lesson& lesson) {
  Tensor x = Tensor::arange(0, 12).view({3, 4});  // the value of each element is its position
  std::vector<NamedView> all{{"x", x},
                             {"x.transpose(0, 1)", x.transpose(0, 1)},
                             {"x.view({2, 6})", x.view({2, 6})},
                             {"x.select(0, 1)", x.select(0, 1)},
                             {"x.slice(1, 0, 4, 2)", x.slice(1, 0, 4, 2)},
                             {"row 1 .expand({4, 4})", x.select(0, 1).expand({4, 4})}};
  heading("1  Views of x [3, 4]: position = offset + i * strides[0] + j * strides[1]");
  show(lesson, shapes_panel(all));
  app::tell("\n   Where is each element stored? 12: element [1, 2] of the view; x4: four elements\n");
  show(lesson, strips_panel(all));
  lesson.report().heat(order_panel(all));
}

// ---- 2  no byte -----------------------------------------------------------------------------------------------------
void no_byte(app::Lesson& lesson, const Knobs& k, Generator& rng) {
  heading(fmt::format("2  A transpose copies no byte: ten views of x [{}, {}], {} bytes", k.size, k.depth,
                      4 * k.size * k.depth));
  Tensor x = Tensor::normal({k.size, k.depth}, rng), t;
  uint64_t bytes = allocator_stats().total_bytes;
  int64_t copies = copies_made();
  t = x.transpose(0, 1);
  Tensor last = t.unsqueeze(0).expand({3, k.depth, k.size}).permute({2, 0, 1}).slice(0, 0, k.size, 2);
  last = last.select(1, 1).transpose(0, 1).slice(0, 1, k.depth).unsqueeze(1).squeeze(1);
  auto asked = static_cast<double>(allocator_stats().total_bytes - bytes) + static_cast<double>(copies_made() - copies);
  bool shared = &t.storage() == &x.storage() && &last.storage() == &x.storage();

  Tensor packed_t = t.contiguous();
  app::tell("   x.transpose(0, 1): {} with strides {}, the same storage: {}\n", to_string(t.shape()),
            to_string(t.strides()), shared);
  app::tell("   contiguous() of it: {} copy, {} bytes, the same storage: {}\n\n", copies_made() - copies,
            packed_t.storage().bytes, &packed_t.storage() == &x.storage());
  lesson.claim(
      {.name = "bytes requested plus copies made by ten views",
       .measured = shared ? asked : NAN,
       .comparator = "==",
       .threshold = 0,
       .control = fmt::format("contiguous(): {} copy, {} bytes", copies_made() - copies, packed_t.storage().bytes)});
}

// ---- 3  broadcasting ------------------------------------------------------------------------------------------------
void broadcasting(app::Lesson& lesson) {
  heading("3  Broadcasting: [3, 1] + [1, 4] = [3, 4], from 3 + 4 numbers in memory");
  Tensor a = Tensor::from(std::vector<float>{10, 20, 30}, {3, 1}), b = Tensor::arange(1, 5).view({1, 4});
  Tensor wide_a = a.expand({3, 4}), wide_b = b.expand({3, 4}), sum = add(a, b);
  report::TablePanel drawn = side_by_side({{"a, expanded", wide_a}, {"b, expanded", wide_b}, {"a + b", sum}});
  drawn.title = "Broadcasting [3, 1] + [1, 4]: the numbers";
  show(lesson, drawn);
  report::TablePanel panel{.title = "Broadcasting [3, 1] + [1, 4]: strides",
                           .text =
                               "An axis of size 1 is repeated by giving it the stride 0: `i * 0` is the same position "
                               "for every `i`.",
                           .header = {"tensor", "shape", "strides", "numbers in memory", "elements"}};
  for (const auto& [name, t] :
       {NamedView{"a", a}, {"b", b}, {"a.expand({3, 4})", wide_a}, {"b.expand({3, 4})", wide_b}, {"a + b", sum}})
    panel.rows.push_back({name, to_string(t.shape()), to_string(t.strides()), std::to_string(t.storage().bytes / 4),
                          std::to_string(t.count())});
  fmt::print("\n");
  show(lesson, panel);
  try {
    add(Tensor::ones({3}), Tensor::ones({4}));
  } catch (const ShapeError& error) {
    fmt::print("\n");
    item("[3] + [4]:", error.what());
  }
}

// ---- 4  mistakes ----------------------------------------------------------------------------------------------------
void mistakes(app::Lesson& lesson) {
  heading("4  Mistakes: a view read without its strides, and writes through views");
  Tensor x = Tensor::arange(0, 6).view({2, 3}), t = x.transpose(0, 1), wrong = as_if_contiguous(t);
  report::TablePanel misread = side_by_side({{"x [2, 3]", x},
                                             {"its transpose", t},
                                             {"read without strides", wrong},
                                             {"contiguous(), then read", as_if_contiguous(t.contiguous())}});
  misread.title = "A transpose read as if it were contiguous, and how to avoid it";
  show(lesson, misread);
  Tensor ones = Tensor::ones({2, 1}), right_sums = matmul(t, ones), wrong_sums = matmul(wrong, ones);
  app::tell("\n   right and wrong: sum {} and {}, maximum {} and {}; row 0 times [1, 1]: {} and {}\n\n", sum(t).item(),
            sum(wrong).item(), amax(t).item(), amax(wrong).item(), right_sums.at({0, 0}), wrong_sums.at({0, 0}));
  report::TablePanel panel{.title = "Writes through views",
                           .text = "A write through a view changes the tensor, because both share their memory.",
                           .header = {"write", "x afterwards"}};
  auto after = [&](const std::string& what, auto write) {
    Tensor y = Tensor::arange(0, 3).view({3, 1});
    write(y);
    std::string numbers;
    for (double value : y.to_vector()) numbers += fmt::format("{:g} ", value);
    panel.rows.push_back({what, numbers});
  };
  after("no write: x [3, 1]", [](Tensor&) {});
  after("x.select(0, 1).set({0}, 9)", [](Tensor& y) { y.select(0, 1).set({0}, 9); });
  after("x.select(0, 1).clone().set({0}, 9)", [](Tensor& y) { y.select(0, 1).clone().set({0}, 9); });
  after("x.expand({3, 4}).set({1, 3}, 9)", [](Tensor& y) { y.expand({3, 4}).set({1, 3}, 9); });
  show(lesson, panel);
  try {
    Tensor wide = Tensor::zeros({3, 1}).expand({3, 4});
    add_into(wide, Tensor::ones({3, 4}));
  } catch (const Error& error) {
    fmt::print("\n");
    item("x.expand({3, 4}) += 1:", error.what());
  }
}

// ---- 5  the product -------------------------------------------------------------------------------------------------
void same_result(app::Lesson& lesson, const Task& task, Generator& rng) {
  heading(fmt::format("5  One matrix product in six versions: C [{0}, {1}] = A [{0}, {2}] B [{2}, {1}]", task.s.M,
                      task.s.N, task.s.K));
  std::vector<Task> tasks{task};  // and sizes that are no multiple of a tile
  for (auto [M, N, K] : {std::array<int64_t, 3>{1, 1, 1}, {5, 3, 200}, {37, 101, 65}, {7, 64, 1}, {64, 130, 31}})
    tasks.push_back(make_task({M, N, K, task.s.tile_rows}, rng));
  report::TablePanel panel{.title = "All six versions compute the same product",
                           .text =
                               "The largest error of an element divided by the size of its sum, over six pairs of "
                               "matrices. Last column: does the first product agree with the library's in every bit?",
                           .header = {"version", "largest error", "same bits as the library"}};
  Tensor library = product_by(rungs().back(), task);
  double worst = 0;
  for (const Rung& rung : rungs()) {
    double error = 0;
    for (const Task& t : tasks) {
      double one = worst_error(t, product_by(rung, t));
      error = std::isnan(one) ? NAN : std::max(error, one);
    }
    worst = std::isnan(error) ? NAN : std::max(worst, error);
    panel.rows.push_back(
        {rung.name, fmt::format("{:.1e}", error), bit_equal(product_by(rung, task), library) ? "yes" : "no"});
  }
  show(lesson, panel);
  Tensor misread = matmul(task.a, task.b.as_strided(task.b.shape(), {1, task.s.K}, 0));
  fmt::print("\n");
  lesson.claim({.name = "largest error of all versions, divided by the size of the sum",
                .measured = worst,
                .comparator = "<=",
                .threshold = 1e-6,
                .control = fmt::format("B read with the strides of B^T: {:.2f}", worst_error(task, misread))});
}

void touches(app::Lesson& lesson, const Knobs& k, Generator& rng) {
  int64_t size = std::min<int64_t>(k.size, 192), depth = std::min<int64_t>(k.depth, 192);
  Task task = make_task({size, size, depth, k.rows}, rng);
  std::vector<Tally> counts = count_rungs(task);
  double multiply_adds = static_cast<double>(size * size * depth);
  report::TablePanel panel{
      .title = fmt::format("Memory accesses per 1000 multiply-adds ({} rows and columns)", size),
      .text =
          "A memory access is one float read or written. A jump is an access that is neither in the cache line "
          "(64 bytes) of the last access to the same matrix nor in the next one, which the processor loads in advance.",
      .header = {"version", "memory accesses", "jumps"}};
  for (size_t i = 0; i < counts.size(); ++i)
    panel.rows.push_back({rungs()[i].name,
                          fmt::format("{:.1f}", 1e3 * static_cast<double>(counts[i].touches) / multiply_adds),
                          fmt::format("{:.2f}", 1e3 * static_cast<double>(counts[i].jumps) / multiply_adds)});
  app::tell("\n   Memory accesses per 1000 multiply-adds, for matrices of {} rows\n", size);
  show(lesson, panel);
  auto of_first = [&](size_t i) {
    return static_cast<double>(counts[i].touches) / static_cast<double>(counts[0].touches);
  };
  fmt::print("\n");
  lesson.claim({.name = "memory accesses of version 4 divided by those of version 1",
                .measured = of_first(3),
                .comparator = "<=",
                .threshold = 1.0 / 3,
                .control = fmt::format("version 2: {:.3f}", of_first(1))});
}

int lesson_01(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("01_tensors", "Tensors: views without a copy, and one matrix product in six versions");
  lesson.knob("size", &k.size, "rows and columns of the product").between(64, 1024);
  lesson.knob("depth", &k.depth, "multiply-adds for each element of the product").between(16, 2048);
  lesson.knob("rows", &k.rows, "rows of the register tile").between(1, 8);
  lesson.knob("milliseconds", &k.milliseconds, "to time each version; 0: measure no times").between(0, 5000);
  lesson.question(
      {"A matrix product is three loops: for i, for j, for k. If you swap the inner two, the multiply-adds stay the "
       "same, but each of them now reads or writes 3 floats instead of 2. How long does it take?",
       {"about 50 % longer", "about as long", "a tenth of the time or less"},
       3,
       "What counts is where the next float is: now it is the neighbour, which is loaded already, and sixteen "
       "neighbours are multiplied by one instruction."});
  lesson.start(argc, argv);
  if (lesson.quick()) {
    k.size = std::min<int64_t>(k.size, 192), k.depth = std::min<int64_t>(k.depth, 192);
    k.milliseconds = std::min<int64_t>(k.milliseconds, 30);
  }
  Generator rng(lesson.seed());
  lesson.report().text("What this page shows",
                       "A tensor consists of memory and a rule that says where each element is stored: shape, strides "
                       "and offset. Transposing, slicing and repeating change the rule and copy nothing.\n\nThe order "
                       "in which a program visits memory decides how fast it is. The page shows one matrix product in "
                       "six versions, from three plain loops to the library.");
  app::tell(
      "\nFirst we look at views of a tensor: tables that share their memory. Then the same matrix product is\n"
      "computed in six versions, and we count their memory accesses and measure their speed.\n");
  views(lesson);
  no_byte(lesson, k, rng);
  broadcasting(lesson);
  mistakes(lesson);
  Task task = make_task({k.size, k.size, k.depth, k.rows}, rng);
  same_result(lesson, task, rng);
  touches(lesson, k, rng);
  if (double budget = 1e-3 * static_cast<double>(k.milliseconds); budget > 0) {
    race(lesson, task, budget);
    by_size(lesson, task.s, rng, budget / 4);
  }
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_01); }
