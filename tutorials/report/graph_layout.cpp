#include "tutorials/report/graph_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/error.h"

namespace heed::report {

namespace {

constexpr double node_height = 30, layer_gap = 36, side_gap = 22, thread_width = 4;

// A node, or the place where a long edge crosses a layer.
struct Spot {
  double width = 0, x = 0;
  std::size_t layer = 0;
  std::vector<std::size_t> above = {}, below = {};
};

std::vector<std::size_t> longest_paths(std::size_t count,
                                       const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<std::size_t> layer(count, 0), waiting(count, 0), ready;
  std::vector<std::vector<std::size_t>> out(count);
  for (auto [from, to] : edges) {
    if (from >= count || to >= count)
      throw ValueError(fmt::format("graph: an edge must join two of the {} nodes; got {} -> {}", count, from, to));
    out[from].push_back(to);
    ++waiting[to];
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) ready.push_back(i);
  }
  for (std::size_t k = 0; k < ready.size(); ++k) {
    for (std::size_t to : out[ready[k]]) {
      layer[to] = std::max(layer[to], layer[ready[k]] + 1);
      if (--waiting[to] == 0) ready.push_back(to);
    }
  }
  if (ready.size() != count) throw ValueError("graph: edges must not run in a circle; got one");
  // A source stands right above the first node that uses it, not at the very top.
  for (std::size_t k = ready.size(); k-- > 0;) {
    std::size_t node = ready[k];
    if (out[node].empty() || layer[node] > 0) continue;
    std::size_t nearest = layer[out[node].front()];
    for (std::size_t to : out[node]) nearest = std::min(nearest, layer[to]);
    layer[node] = nearest - 1;
  }
  return layer;
}

double mean_place(const std::vector<std::size_t>& neighbours, const std::vector<double>& place, double fallback) {
  if (neighbours.empty()) return fallback;
  double sum = 0;
  for (std::size_t neighbour : neighbours) sum += place[neighbour];
  return sum / static_cast<double>(neighbours.size());
}

// Places one layer as near to `wanted` as its order and the gaps allow: runs that push each other share the difference.
void settle(const std::vector<std::size_t>& layer, const std::vector<double>& wanted, std::vector<Spot>& spots) {
  struct Run {
    double sum, count, width;  // of (wanted - offset); the left end stands at sum / count
    std::size_t first;
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < layer.size(); ++i) {
    double width = spots[layer[i]].width + side_gap;
    runs.push_back({wanted[i] - width / 2, 1, width, i});
    while (runs.size() > 1) {
      Run& left = runs[runs.size() - 2];
      Run& right = runs.back();
      if (left.sum / left.count + left.width <= right.sum / right.count) break;
      left.sum += right.sum - right.count * left.width;
      left.count += right.count;
      left.width += right.width;
      runs.pop_back();
    }
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    double x = runs[r].sum / runs[r].count;
    std::size_t end = r + 1 < runs.size() ? runs[r + 1].first : layer.size();
    for (std::size_t i = runs[r].first; i < end; ++i) {
      double width = spots[layer[i]].width + side_gap;
      spots[layer[i]].x = x + width / 2;
      x += width;
    }
  }
}

}  // namespace

GraphLayout lay_out_graph(const std::vector<double>& widths,
                          const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<std::size_t> layer_of = longest_paths(widths.size(), edges);
  std::size_t layer_count = widths.empty() ? 0 : *std::max_element(layer_of.begin(), layer_of.end()) + 1;
  std::vector<Spot> spots(widths.size());
  std::vector<std::vector<std::size_t>> layers(layer_count), paths;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    spots[i].width = widths[i];
    spots[i].layer = layer_of[i];
    layers[layer_of[i]].push_back(i);
  }
  for (auto [from, to] : edges) {
    std::vector<std::size_t> path{from};
    for (std::size_t layer = layer_of[from] + 1; layer < layer_of[to]; ++layer) {
      path.push_back(spots.size());
      layers[layer].push_back(spots.size());
      spots.push_back({.width = thread_width, .layer = layer});
    }
    path.push_back(to);
    for (std::size_t k = 1; k < path.size(); ++k) {
      spots[path[k - 1]].below.push_back(path[k]);
      spots[path[k]].above.push_back(path[k - 1]);
    }
    paths.push_back(path);
  }

  std::vector<double> place(spots.size());  // in the order of the layer
  auto number = [&](const std::vector<std::size_t>& layer) {
    for (std::size_t i = 0; i < layer.size(); ++i) place[layer[i]] = static_cast<double>(i);
  };
  for (const auto& layer : layers) number(layer);
  auto order = [&](std::size_t index, bool from_above) {
    std::vector<double> key(spots.size());
    for (std::size_t spot : layers[index])
      key[spot] = mean_place(from_above ? spots[spot].above : spots[spot].below, place, place[spot]);
    std::stable_sort(layers[index].begin(), layers[index].end(),
                     [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
    number(layers[index]);
  };
  for (int sweep = 0; sweep < 8; ++sweep) {
    for (std::size_t i = 1; i < layer_count; ++i) order(i, /*from_above=*/true);
    for (std::size_t i = layer_count; i-- > 1;) order(i - 1, /*from_above=*/false);
  }

  for (const auto& layer : layers) settle(layer, std::vector<double>(layer.size(), 0), spots);
  for (int sweep = 0; sweep < 24; ++sweep) {
    for (std::size_t k = 0; k < layer_count; ++k) {
      std::size_t index = sweep % 2 == 0 ? k : layer_count - 1 - k;
      std::vector<double> wanted;
      for (std::size_t spot : layers[index]) {
        double sum = 0, count = 0;
        for (const std::vector<std::size_t>* side : {&spots[spot].above, &spots[spot].below}) {
          for (std::size_t neighbour : *side) {
            sum += spots[neighbour].x;
            ++count;
          }
        }
        wanted.push_back(count > 0 ? sum / count : spots[spot].x);
      }
      settle(layers[index], wanted, spots);
    }
  }

  GraphLayout layout;
  double left = 0, right = 0;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    left = i == 0 ? spots[i].x - spots[i].width / 2 : std::min(left, spots[i].x - spots[i].width / 2);
    right = i == 0 ? spots[i].x + spots[i].width / 2 : std::max(right, spots[i].x + spots[i].width / 2);
  }
  auto point = [&](std::size_t spot, double shift) {
    double y = static_cast<double>(spots[spot].layer) * (node_height + layer_gap) + node_height / 2 + shift;
    return GraphLayout::Point{std::round((spots[spot].x - left) * 10) / 10, y};
  };
  for (std::size_t i = 0; i < widths.size(); ++i) layout.nodes.push_back(point(i, 0));
  for (const auto& path : paths) {
    std::vector<GraphLayout::Point> points{point(path.front(), node_height / 2)};
    for (std::size_t k = 1; k + 1 < path.size(); ++k) points.push_back(point(path[k], 0));
    points.push_back(point(path.back(), -node_height / 2));
    layout.edges.push_back(points);
  }
  layout.width = right - left;
  layout.height = layer_count == 0 ? 0 : static_cast<double>(layer_count) * (node_height + layer_gap) - layer_gap;
  return layout;
}

}  // namespace heed::report
