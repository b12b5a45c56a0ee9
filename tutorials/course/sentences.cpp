#include <algorithm>
#include <cctype>
#include <utility>

#include "tutorials/course/slides.h"

namespace heed::course {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n'; }

// Does a sentence end with this character of the text of children[k]? What follows decides: "e.g. words", "et al.
// (2017)", "J.-H. Bloggs" and "eq. 14" have none.
bool ends_at(const std::vector<Node>& children, std::size_t k, std::size_t i) {
  const std::string& text = children[k].text;
  if (text[i] != '.' && text[i] != '?' && text[i] != '!') return false;
  std::size_t next = i + 1;
  if (next < text.size() && (text[next] == ')' || text[next] == '"')) ++next;
  if (text.ends_with("al.") && next == text.size()) return false;
  const bool initial = text[i] == '.' && i > 1 &&
                       ((std::isupper(static_cast<unsigned char>(text[i - 1])) != 0 &&
                         (is_space(text[i - 2]) || text[i - 2] == '-' || text[i - 2] == '.')) ||
                        text.compare(i - 2, 2, "eq") == 0 || (i > 2 && text.compare(i - 3, 3, "eqs") == 0));
  if (next == text.size()) {
    if (k + 1 == children.size()) return true;
    if (children[k + 1].tag != "softbreak") return false;
    if (k + 2 == children.size() || children[k + 2].tag != "text" || children[k + 2].text.empty()) return true;
    const auto c = static_cast<unsigned char>(children[k + 2].text[0]);
    return !initial && std::islower(c) == 0 && c != '(';
  }
  if (!is_space(text[next])) return false;
  while (next < text.size() && is_space(text[next])) ++next;
  if (next == text.size()) return !initial;
  const auto c = static_cast<unsigned char>(text[next]);
  return !initial && std::islower(c) == 0 && !(c == '(' && i > 1 && text.compare(i - 2, 3, "al.") == 0);
}

}  // namespace

std::vector<Node> sentences_of(const Node& paragraph) {
  std::vector<Node> all;
  Node one{.tag = "p", .line = paragraph.line};
  auto put = [&](Node node) {
    if (node.tag == "softbreak" && one.children.empty()) return;
    if (node.tag == "text" && one.children.empty())
      node.text.erase(0, std::min(node.text.find_first_not_of(" \n"), node.text.size()));
    if (node.tag != "text" || !node.text.empty()) one.children.push_back(std::move(node));
  };
  for (std::size_t k = 0; k < paragraph.children.size(); ++k) {
    const Node& node = paragraph.children[k];
    std::size_t from = 0;
    for (std::size_t i = 0; node.tag == "text" && i < node.text.size(); ++i) {
      if (!ends_at(paragraph.children, k, i)) continue;
      std::size_t end = i + 1;
      while (end < node.text.size() && !is_space(node.text[end])) ++end;  // a closing quote or parenthesis
      put({.tag = "text", .text = node.text.substr(from, end - from), .line = node.line});
      all.push_back(std::exchange(one, {.tag = "p", .line = paragraph.line}));
      from = i = end;
    }
    if (from == 0)
      put(node);
    else
      put({.tag = "text", .text = node.text.substr(from), .line = node.line});
  }
  if (!one.children.empty()) all.push_back(one);
  return all;
}

}  // namespace heed::course
