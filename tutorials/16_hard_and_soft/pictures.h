// The attention weights of a captioner as drawn in the report and in the terminal.
#pragma once

#include "tutorials/16_hard_and_soft/training.h"
#include "tutorials/common/show.h"

namespace hard_soft {

// One string per patch, 64 in all: "red square" for a patch of that shape, empty for the background.
inline std::vector<std::string> cells_of(const data::Picture& picture) {
  std::vector<std::string> cells(static_cast<size_t>(data::kPictureSide * data::kPictureSide));
  for (const data::PlacedShape& shape : picture.shapes)
    for (int patch : data::patches(shape))
      cells[static_cast<size_t>(patch)] = data::picture_colours()[static_cast<size_t>(shape.colour)] + " " +
                                          data::picture_forms()[static_cast<size_t>(shape.form)];
  return cells;
}

// The caption that the model writes for one picture, without </s>, and the weights before each word.
inline heed::report::PictureReading read_picture(Captioner& m, const std::string& name, const data::PictureTask& task,
                                                 const data::Picture& picture) {
  nn::set_training(m, false);
  Said said = caption(m, picture_batch(task, {picture}, {0}).patches);
  nn::set_training(m, true);
  heed::report::PictureReading out{.name = name, .words = task.words.decode(said.words[0]), .cells = cells_of(picture)};
  out.weights.rows = out.words.size();
  out.weights.columns = out.cells.size();
  for (size_t t = 0; t < out.words.size(); ++t) {
    Tensor w = m.options.reading == "uniform" ? Tensor::full(said.weights[t].shape(), 1.0 / 64) : said.weights[t];
    for (double x : w.to_vector()) out.weights.values.push_back(x);
  }
  return out;
}

// One thumbnail per word, after one of the picture itself.
inline void print_reading(const heed::report::PictureReading& reading) {
  auto side = static_cast<size_t>(data::kPictureSide);
  std::vector<double> shapes;
  for (const std::string& cell : reading.cells) shapes.push_back(cell.empty() ? 0 : 1);
  std::vector<heed::report::Thumbnail> thumbnails{{"picture", heed::report::Matrix(side, side, shapes)}};
  for (size_t t = 0; t < reading.words.size(); ++t) {
    auto begin = reading.weights.values.begin() + static_cast<std::ptrdiff_t>(t * side * side);
    std::vector<double> values(begin, begin + static_cast<std::ptrdiff_t>(side * side));
    for (double& x : values) x = x < 0.005 ? 0 : std::min(x, 1.0);  // weights near 0 are drawn as a dot
    thumbnails.push_back({reading.words[t], heed::report::Matrix(side, side, values)});
  }
  heed::app::show(heed::report::thumbnails(thumbnails, heed::app::console()));
}

}  // namespace hard_soft
