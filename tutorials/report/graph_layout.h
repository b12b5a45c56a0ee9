// Where the nodes of a small directed graph without cycles stand when it is drawn from top to bottom.
//
// Four steps (K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of hierarchical system structures",
// 1981): the longest path gives each node its layer; long edges are cut into pieces of one layer; each layer is ordered
// by the mean place of its neighbours, down and up in turn; then nodes move towards their neighbours without overlap.
// No randomness and no hash order: the same graph is the same drawing.
#pragma once

#include <utility>
#include <vector>

namespace heed::report {

struct GraphLayout {
  struct Point {
    double x = 0, y = 0;
  };
  std::vector<Point> nodes;               // centres
  std::vector<std::vector<Point>> edges;  // from the bottom of one node, through the layers, to the top of the other
  double width = 0, height = 0;
};

// Throws ValueError for an edge to a node that does not exist, and for a cycle.
GraphLayout lay_out_graph(const std::vector<double>& widths,
                          const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace heed::report
