// Text and graphs that this lesson draws: results of the gradient check, and graphs.
#pragma once

#include <fmt/format.h>

#include "autograd/gradcheck.h"
#include "autograd/picture.h"
#include "tutorials/common/show.h"
#include "tutorials/report/report.h"

namespace heed {

using app::console, app::heading, app::item, app::matrix_of, app::show;

// The diagnosis of a check for the one input with a bug, without the engine's message at its end.
inline std::string verdict(const GradcheckReport& r) {
  std::string words = r.passed ? "right" : r.diagnosis.substr(r.diagnosis.find(": ") + 2);
  return words.substr(0, words.find(" (backward"));
}

inline std::vector<std::string> places(char name, int64_t size) {  // A00, A01, ... of a square matrix
  std::vector<std::string> out;
  for (int64_t i = 0; i < size * size; ++i) out.push_back(fmt::format("{}{}{}", name, i / size, i % size));
  return out;
}

// A graph as the rows of a table and as a panel of the report.
struct GraphView {
  std::vector<std::vector<std::string>> rows;
  report::GraphPanel panel;
};
inline GraphView view_of(const GraphPicture& graph) {
  GraphView view;
  std::vector<std::string> made_from(graph.boxes.size());
  for (auto [from, to] : graph.arrows) {
    made_from[static_cast<size_t>(to)] += fmt::format("{} ", from);
    view.panel.edges.emplace_back(std::to_string(from), std::to_string(to));
  }
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    const GraphPicture::Box& box = graph.boxes[i];
    std::string name = box.is_leaf ? box.name : box.operation, from = box.is_leaf ? "(leaf)" : made_from[i];
    view.rows.push_back({std::to_string(i), name, box.shapes, std::to_string(box.bytes), from});
    view.panel.nodes.push_back({std::to_string(i), name + " " + box.shapes, box.is_leaf ? "leaf" : "operation",
                                fmt::format("{} {}: {} bytes", name, box.shapes, box.bytes)});
  }
  return view;
}

}  // namespace heed
