// Part 5 of the lesson: matrix products in bf16. The same training with the same sentences, in three precisions.
#pragma once

#include <fmt/format.h>

#include <numeric>

#include "tutorials/31_scale/accumulate.h"
#include "tutorials/common/show.h"

namespace scale {

namespace app = heed::app;
namespace report = heed::report;

// The largest error of a product of random matrices [64, K] and [K, 64], in units of sum_k |a_k b_k|.
inline double error_of_product(heed::Precision precision, int64_t K, uint64_t seed) {
  heed::Generator rng(seed);
  Tensor a = Tensor::normal({64, K}, rng), b = Tensor::normal({K, 64}, rng), c;
  {
    heed::PrecisionScope scope(precision);
    c = matmul(a, b);
  }
  Tensor exact = matmul(a.to(heed::DType::f64), b.to(heed::DType::f64)), sizes = matmul(abs(a), abs(b));
  double worst = 0;
  for (int64_t i = 0; i < c.count(); ++i)
    worst = std::max(worst, std::abs(c.data<float>()[i] - exact.data<double>()[i]) / sizes.data<float>()[i]);
  return worst;
}

struct Rounded {
  double products = 0, parameters = 0;  // mean distance from the loss curve of f32, in the last third of the steps
};

inline double distance(const Run& a, const Run& b) {
  double total = 0;
  size_t steps = a.losses.size(), first = steps - steps / 3;
  for (size_t t = first; t < steps; ++t) total += std::abs(a.losses[t] - b.losses[t]);
  return total / static_cast<double>(steps - first);
}

inline Rounded the_precision(app::Lesson& lesson, const Grammar& g, const Setting& s, const Sentences& test,
                             const Run& f32) {
  app::heading("5  Half the bits: matrix products in bf16");
  app::item("", heed::has_bf16_products() ? "This processor multiplies numbers of bf16 (AVX512-BF16)."
                                          : "This processor cannot multiply numbers of bf16, so the products are "
                                            "emulated: the same bits, in more time.");
  fmt::print("\n");
  Rounded r;
  report::TablePanel table{
      .title = "The same training in bf16",
      .text =
          "The same sentences and initial parameters. Error: the largest of a product of random matrices with 512 "
          "terms, divided by the sum of the terms' absolute values. Distance: mean distance from the loss curve of "
          "f32 in the last third of the steps, in nats per word.",
      .header = {"in bf16", "error", "last loss", "new sentences", "distance"}};
  report::CurvesPanel curves{
      .title = "Training loss in f32 and in bf16",
      .text =
          "If the matrices of every product are rounded to 8 significant bits, the curve hardly changes. If the "
          "parameters are kept in bf16, too, it ends higher: updates are lost.",
      .x_label = "step",
      .y_label = "loss, nats per word",
      .series = {}};
  auto row = [&](const std::string& name, heed::Precision precision, const Run& run) {
    table.rows.push_back({name, fmt::format("{:.1e}", error_of_product(precision, 512, s.seed)),
                          fmt::format("{:.4f}", run.losses.back()),
                          fmt::format("{:.4f}", std::reduce(run.by_length.begin(), run.by_length.end()) / 4),
                          &run == &f32 ? "-" : fmt::format("{:.1e}", distance(run, f32))});
    curves.series.push_back({.name = &run == &f32 ? "f32" : name + " in bf16", .y = run.losses});
  };
  row("nothing", heed::Precision::f32, f32);
  const Run products = train(g, {.name = "", .precision = heed::Precision::bf16}, s, test);
  row("products", heed::Precision::bf16, products);
  const Run all = train(g, {.name = "", .precision = heed::Precision::bf16, .bf16_parameters = true}, s, test);
  row("products, parameters", heed::Precision::bf16, all);
  r.products = distance(products, f32), r.parameters = distance(all, f32);
  app::show(lesson, table);
  lesson.report().curves(curves);
  return r;
}

}  // namespace scale
