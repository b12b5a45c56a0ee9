// A set of strings as a tree of their bytes, to find those that begin at a place of a text in one walk.
//
//   a, an, and, be:      a* - n* - d*        * ends a string
//                        b  - e*
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

class Trie {
 public:
  Trie() = default;
  explicit Trie(const std::vector<std::string>& strings) {  // of equal strings, the first one counts; empty ones do not
    std::vector<std::pair<std::string_view, int64_t>> sorted;
    for (size_t i = 0; i < strings.size(); ++i) sorted.emplace_back(strings[i], static_cast<int64_t>(i));
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    // Breadth first: the children of a node are next to each other. A node is a range of strings that begin alike.
    struct Range {
      size_t begin, end, depth;
    };
    std::vector<Range> ranges = {{0, sorted.size(), 0}};
    nodes_.push_back({});
    for (size_t i = 0; i < ranges.size(); ++i) {
      auto [begin, end, depth] = ranges[i];
      for (; begin < end && sorted[begin].first.size() == depth; ++begin)
        if (depth > 0 && nodes_[i].string < 0) nodes_[i].string = sorted[begin].second;
      nodes_[i].first_child = nodes_.size();
      while (begin < end) {
        auto label = static_cast<unsigned char>(sorted[begin].first[depth]);
        size_t next = begin;
        while (next < end && static_cast<unsigned char>(sorted[next].first[depth]) == label) ++next;
        nodes_.push_back({.label = label});
        ranges.push_back({begin, next, depth + 1});
        begin = next;
      }
      nodes_[i].children = nodes_.size() - nodes_[i].first_child;
    }
  }

  // Calls found(index of the string, its length) for each string that begins the text, the shortest first.
  template <class Found>
  void prefixes(std::string_view text, const Found& found) const {
    size_t node = 0;
    for (size_t i = 0; i < text.size() && node < nodes_.size(); ++i) {
      auto first = nodes_.begin() + static_cast<std::ptrdiff_t>(nodes_[node].first_child);
      auto last = first + static_cast<std::ptrdiff_t>(nodes_[node].children);
      auto label = static_cast<unsigned char>(text[i]);
      auto child = std::lower_bound(first, last, label, [](const Node& n, unsigned char l) { return n.label < l; });
      if (child == last || child->label != label) return;
      node = static_cast<size_t>(child - nodes_.begin());
      if (child->string >= 0) found(child->string, i + 1);
    }
  }

 private:
  struct Node {
    size_t first_child = 0, children = 0;
    int64_t string = -1;
    unsigned char label = 0;
  };
  std::vector<Node> nodes_;
};

}  // namespace heed::text
