// Where the elements of a view are stored in memory, as tables and as a picture.
//
//   position of element (i, j) = offset + i * strides[0] + j * strides[1]          counted in elements, not in bytes
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tensor/tensor.h"
#include "tutorials/report/report.h"

namespace heed {

struct NamedView {
  std::string name;
  Tensor tensor;
};

// The positions of all elements in reading order: the last axis changes fastest.
inline std::vector<int64_t> places(const Tensor& t) {
  std::vector<int64_t> at{t.offset()};
  for (int axis = 0; axis < t.rank(); ++axis) {
    std::vector<int64_t> longer;
    for (int64_t begin : at)
      for (int64_t i = 0; i < t.size(axis); ++i) longer.push_back(begin + i * t.strides()[axis]);
    at = longer;
  }
  return at;
}

// For each position in memory, the element of the view that is stored there: "12" is element [1, 2], "x4" means that
// four elements share the position, and "" that no element of the view is stored there.
inline std::vector<std::string> memory_strip(const Tensor& t) {
  std::vector<std::string> cells(t.storage().bytes / size_of(t.dtype()));
  std::vector<int> times(cells.size());
  int64_t n = 0;
  for (int64_t place : places(t)) {
    std::string index;
    int64_t rest = n++;
    for (int axis = t.rank() - 1; axis >= 0; rest /= t.size(axis--))
      index.insert(0, std::to_string(rest % t.size(axis)));
    auto at = static_cast<size_t>(place);
    cells[at] = ++times[at] == 1 ? index : fmt::format("x{}", times[at]);
  }
  return cells;
}

// The tables of shapes and of positions, and a heat map of the reading order: darker is later, an exact 0 is never
// read.
inline report::TablePanel shapes_panel(const std::vector<NamedView>& views) {
  report::TablePanel panel{.title = "One memory, many tensors",
                           .text =
                               "All of them share the same twelve numbers. `offset` is the position of the first "
                               "element of the view.",
                           .header = {"view", "shape", "strides", "offset", "contiguous"}};
  for (const auto& [name, t] : views)
    panel.rows.push_back({name, to_string(t.shape()), to_string(t.strides()), std::to_string(t.offset()),
                          t.is_contiguous() ? "yes" : "no"});
  return panel;
}
inline report::TablePanel strips_panel(const std::vector<NamedView>& views) {
  report::TablePanel panel{
      .title = "Where each element is stored",
      .text =
          "One column for each position in memory. 12 is the element [1, 2] of that view; x4 means "
          "that four elements share the position.",
      .header = {"position"}};
  for (size_t i = 0; i < memory_strip(views[0].tensor).size(); ++i) panel.header.push_back(std::to_string(i));
  for (const auto& [name, t] : views) {
    panel.rows.push_back({name});
    for (const std::string& cell : memory_strip(t)) panel.rows.back().push_back(cell);
  }
  return panel;
}
inline report::HeatPanel order_panel(const std::vector<NamedView>& views) {
  report::HeatPanel panel{.title = "In which order memory is read",
                          .text =
                              "1 is read first. Memory is fast if neighbours are read one after the other. A position "
                              "that is read several times shows the last time; a hatched position is not read.",
                          .row_title = "view",
                          .column_title = "position in memory",
                          .zero = "not read"};
  std::vector<std::vector<double>> rows;
  for (const auto& [name, t] : views) {
    panel.rows.push_back(name);
    rows.emplace_back(memory_strip(t).size(), 0.0);
    double turn = 0;
    for (int64_t place : places(t)) rows.back()[static_cast<size_t>(place)] = ++turn;
  }
  panel.matrix = report::Matrix(rows);
  return panel;
}

// Small matrices side by side, as a table in which each cell holds one row of numbers.
inline report::TablePanel side_by_side(const std::vector<NamedView>& matrices) {
  report::TablePanel panel{.title = ""};
  for (const auto& [name, t] : matrices) {
    panel.header.push_back(name);
    panel.rows.resize(std::max(panel.rows.size(), static_cast<size_t>(t.size(0))));
  }
  for (size_t i = 0; i < panel.rows.size(); ++i)
    for (const auto& [name, t] : matrices) {
      panel.rows[i].emplace_back();
      for (int64_t j = 0; static_cast<int64_t>(i) < t.size(0) && j < t.size(1); ++j)
        panel.rows[i].back() += fmt::format("{:g} ", t.at({static_cast<int64_t>(i), j}));
    }
  return panel;
}

// The mistake: as many elements as the view has, read from its first element on, without its strides.
inline Tensor as_if_contiguous(const Tensor& t) {
  return t.as_strided(t.shape(), contiguous_strides(t.shape()), t.offset());
}

}  // namespace heed
