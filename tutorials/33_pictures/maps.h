// Pictures of what a place reads, for the report and the terminal: the places of windows, stripes and so on; the points
// of deformable attention; and how much the weights of two queries differ.
#pragma once

#include "nn/attention/grids/deformable.h"
#include "nn/attention/grids/non_local.h"
#include "tutorials/33_pictures/finder.h"
#include "tutorials/common/show.h"

namespace pictures {

namespace app = heed::app;
namespace report = heed::report;

// 1 for a place that is read by the first layer, 1/2 for one that only both layers together reach, 0 for all others.
inline std::vector<double> map_of(const std::vector<Reads>& reads, size_t t) {
  std::vector<double> map;
  for (size_t s = 0; s < reads[0].size(); ++s) map.push_back(reads[0][t][s] ? 1 : reads[1][t][s] ? 0.5 : 0);
  return map;
}

// The colour of each patch of one picture [T, 4], "" where there is none.
inline std::vector<std::string> cells_of(const Tensor& picture) {
  std::vector<std::string> cells(static_cast<size_t>(picture.size(0)));
  for (int64_t t = 0; t < picture.size(0); ++t)
    for (int64_t c = 0; c < 4; ++c)
      if (picture.at({t, c}) > 0) cells[static_cast<size_t>(t)] = data::picture_colours()[static_cast<size_t>(c)];
  return cells;
}

// In the terminal: one thumbnail per copy.
inline void print_reading(const report::PictureReading& reading, const Size& size) {
  const auto R = static_cast<size_t>(size.rows), C = static_cast<size_t>(size.columns);
  std::vector<report::Thumbnail> thumbnails;
  for (size_t i = 0; i < reading.words.size(); ++i) {
    const auto begin = reading.weights.values.begin() + static_cast<std::ptrdiff_t>(i * R * C);
    thumbnails.push_back({reading.words[i], report::Matrix(R, C, {begin, begin + static_cast<std::ptrdiff_t>(R * C)})});
  }
  app::show(report::thumbnails(thumbnails, app::console()));
}

// ---- deformable attention -------------------------------------------------------------------------------------------
// The weights with which each place reads each other one, over all heads and points: those of the points, shared out
// among the four places around each. What falls outside of the picture is missing. [B, T, T]
inline Tensor point_weights(const Finder& m, const Tensor& patches, const Size& size, int layer) {
  heed::NoGrad guard;
  const int64_t B = patches.size(0), T = size.places();
  Variable x = m.embedded(patches);
  if (layer == 1) x = m.first(x).output;
  const nn::TransformerLayer& of = layer == 0 ? m.first : m.second;
  const auto& a = dynamic_cast<const nn::Deformable&>(*of.mixer).attention;
  const int64_t H = a.options.heads, P = a.options.points;
  const Variable query = of.norm1(x);
  const Variable moves = permute(reshape(a.offsets(query), {B, T, H, P, 2}), {4, 0, 2, 1, 3});  // [2, B, H, T, P]
  const Variable w = softmax(permute(reshape(a.weights(query), {B, T, H, P}), {0, 2, 1, 3}));   // [B, H, T, P]
  std::vector<double> row, column;
  for (int64_t t = 0; t < T; ++t)
    row.push_back(static_cast<double>(t / size.columns)), column.push_back(static_cast<double>(t % size.columns));
  auto at = [&](const std::vector<double>& own, int64_t axis) {
    const Variable reference(Tensor::from(own, {1, 1, T, 1}).to(moves.dtype()));
    return reshape(select(moves, 0, axis) + reference, {B, H, T * P});
  };
  const Variable ones(Tensor::eye(T).expand({B, H, T, T}).contiguous());  // values that say which place they are
  const Variable read = nn::bilinear(ones, size.rows, size.columns, at(row, 1), at(column, 0));  // [B, H, T P, T]
  const Variable shared = sum(reshape(read, {B, H, T, P, T}) * unsqueeze(w, -1), {3});           // [B, H, T, T]
  return mean(shared, {1}).value();
}

// Of the weights of the right place, the part on patches of the red shape: the mean over pictures of `where`.
inline double on_the_shape(const Finder& m, const Pictures& test, const Size& size, int layer) {
  const Tensor w = point_weights(m, test.patches, size, layer);
  double sum = 0;
  for (int64_t b = 0; b < w.size(0); ++b)
    for (int64_t s = 0; s < w.size(1); ++s)
      sum += w.at({b, static_cast<int64_t>(test.answers.at({b})), s}) * test.patches.at({b, s, 0});
  return sum / static_cast<double>(w.size(0));
}

// ---- the non-local block --------------------------------------------------------------------------------------------
// The mean cosine of the weights of two queries of a picture, second layer: 1 if all queries read the same.
inline double likeness(const Finder& m, const Tensor& patches, const Size& size) {
  heed::NoGrad guard;
  const Variable x = m.second.norm1(m.first(m.embedded(patches)).output);
  const auto& block = dynamic_cast<const nn::NonLocal&>(*m.second.mixer);
  const Variable w = block.weights(nn::rows_of(x, size.rows, size.columns));  // [B, T, T]
  const Variable unit = w / norm(w, 2, {-1}, true), together = sum(unit, {1});
  const auto T = static_cast<double>(size.places());
  return (mean(sum(square(together), {-1})).item() - T) / (T * (T - 1));
}

}  // namespace pictures
