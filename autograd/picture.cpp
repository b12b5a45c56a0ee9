#include "autograd/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "autograd/node.h"

namespace heed {

GraphPicture picture(const Variable& y, const std::vector<NamedVariable>& names) {
  GraphPicture out;
  if (!y.requires_grad()) return out;
  std::vector<const Node*> nodes{y.node().get()};
  std::unordered_map<const Node*, int> number{{nodes[0], 0}};
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const Edge& e : nodes[i]->edges())
      if (e.node && number.emplace(e.node.get(), 0).second) nodes.push_back(e.node.get());
  std::stable_sort(nodes.begin(), nodes.end(), [](auto* a, auto* b) { return a->depth < b->depth; });  // inputs first
  for (size_t i = 0; i < nodes.size(); ++i) number[nodes[i]] = static_cast<int>(i);
  for (const Node* node : nodes) {
    GraphPicture::Box box{node->name, path_name(node->path), "", 0, node->is_leaf(), ""};
    for (const Output& output : node->outputs()) {
      box.shapes += (box.shapes.empty() ? "" : ", ") + to_string(output.shape());
      box.bytes += element_count(output.shape()) * static_cast<int64_t>(size_of(output.dtype));
    }
    for (const NamedVariable& named : names)
      if (node->is_leaf() && named.variable.requires_grad() && named.variable.node().get() == node)
        box.name = named.name;
    for (const Edge& e : node->edges())
      if (e.node) out.arrows.push_back({number[e.node.get()], number[node]});
    out.boxes.push_back(std::move(box));
  }
  return out;
}

namespace {

std::string label_text(const std::string& text) {  // with the escapes that double quotes need
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

struct Cluster {
  std::map<std::string, Cluster> inner;
  std::vector<size_t> boxes;
};

void write_cluster(const Cluster& cluster, const GraphPicture& graph, const std::string& path, int depth,
                   std::string& text) {
  std::string indent(static_cast<size_t>(2 * depth + 2), ' ');
  for (size_t i : cluster.boxes) {
    const auto& b = graph.boxes[i];
    std::string title = b.name.empty() ? b.operation : b.name;
    text += fmt::format("{}n{} [label=\"{}\\n{} {} B\"{}];\n", indent, i, label_text(title), b.shapes, b.bytes,
                        b.is_leaf ? ", style=filled, fillcolor=lightgrey" : "");
  }
  for (const auto& [name, inner] : cluster.inner) {
    std::string full = path.empty() ? name : path + "." + name;
    text += fmt::format("{}subgraph \"cluster_{}\" {{\n{}  label=\"{}\";\n", indent, label_text(full), indent,
                        label_text(name));
    write_cluster(inner, graph, full, depth + 1, text);
    text += indent + "}\n";
  }
}

}  // namespace

std::string to_dot(const GraphPicture& graph) {
  Cluster root;
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    Cluster* at = &root;
    std::string_view rest = graph.boxes[i].module;
    while (!rest.empty()) {
      size_t dot = rest.find('.');
      at = &at->inner[std::string(rest.substr(0, dot))];
      rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
    }
    at->boxes.push_back(i);
  }
  std::string text = "digraph heed {\n  rankdir=BT;\n  node [shape=box, fontname=\"monospace\"];\n";
  write_cluster(root, graph, "", 0, text);
  for (auto [from, to] : graph.arrows) text += fmt::format("  n{} -> n{};\n", from, to);
  return text + "}\n";
}

}  // namespace heed
