// Two panels of the report: the cliff from above with the path from one start, and the loss along this path.
#pragma once

#include "tensor/elementwise.h"
#include "tutorials/06_optimisers/cliff.h"
#include "tutorials/common/show.h"

namespace optimisers {

inline void draw_fall(heed::report::Report& page, const Fall& clipped, const Fall& as_it_comes) {
  heed::report::ScatterPanel map{.title = "The cliff from above, and one start with and without clipping",
                                 .text =
                                     "The stronger the grey, the higher the loss; on the line it is 0.3. Points "
                                     "outside of the picture are not drawn.",
                                 .x_label = "w",
                                 .y_label = "b",
                                 .points = {{.name = "clipped"}, {.name = "not clipped"}},
                                 .field_name = "loss / (loss + 0.3)",
                                 .of_classes = false,
                                 .x_low = 0,
                                 .x_high = 3,
                                 .y_low = -1.2,
                                 .y_high = 0.8};
  heed::Tensor w = heed::Tensor::zeros({80, 120}, heed::DType::f64),
               b = heed::Tensor::zeros({80, 120}, heed::DType::f64);
  for (std::int64_t i = 0; i < 80; ++i)
    for (std::int64_t j = 0; j < 120; ++j) {
      w.set({i, j}, 3 * (static_cast<double>(j) + 0.5) / 120);
      b.set({i, j}, 0.8 - 2 * (static_cast<double>(i) + 0.5) / 80);
    }
  heed::Tensor loss = cliff_loss(w, b).value();
  map.fields = {{"loss", heed::app::matrix_of(heed::div(loss, heed::add(loss, 0.3)))}};
  heed::report::CurvesPanel curves{
      .title = "The loss from that start, with and without clipping",
      .x_label = "step",
      .y_label = "loss",
      .series = {{.name = "clipped", .y = clipped.losses}, {.name = "not clipped", .y = as_it_comes.losses}},
      .log_y = true};
  for (std::size_t i = 0; i < 2; ++i) {
    const Fall& fall = i == 0 ? clipped : as_it_comes;
    for (std::size_t t = 0; t < fall.w.size(); ++t) {
      if (fall.w[t] < 0 || fall.w[t] > 3 || std::fabs(fall.b[t] + 0.2) > 1) continue;
      map.points[i].x.push_back(fall.w[t]);
      map.points[i].y.push_back(fall.b[t]);
    }
  }
  page.scatter(map);
  page.curves(curves);
}

}  // namespace optimisers
