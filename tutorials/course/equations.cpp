#include "tutorials/course/equations.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "tutorials/course/excerpt.h"
#include "tutorials/course/html_text.h"

namespace heed::course {

std::vector<Node> with_symbols(const std::vector<Node>& cell) {
  std::vector<Node> out;
  for (const Node& node : cell) {
    const std::string& words = node.text;
    std::size_t written = 0;
    auto put = [&](const char* tag, std::size_t begin, std::size_t end) {
      Node text{.tag = "text", .text = words.substr(begin, end - begin), .line = node.line};
      if (end > begin) out.push_back(std::string(tag) == "em" ? Node{.tag = "em", .children = {text}} : text);
    };
    auto in_word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(words[i]);
      return std::isalpha(c) != 0 || c == '\'' || c >= 0x80;
    };
    for (std::size_t i = 0; node.tag == "text" && i < words.size(); ++i) {
      const bool alone = (i == 0 || !in_word(i - 1)) && (i + 1 == words.size() || !in_word(i + 1));
      const bool article = words[i] == 'a' && i + 2 < words.size() && words[i + 1] == ' ' && in_word(i + 2) &&
                           i + 3 < words.size() && in_word(i + 3);
      if (std::isalpha(static_cast<unsigned char>(words[i])) == 0 || !alone || article) continue;
      put("text", written, i);
      put("em", i, i + 1);
      written = i + 1;
    }
    if (node.tag == "text")
      put("text", written, words.size());
    else
      out.push_back(node);
  }
  return out;
}

std::string with_line(Node& row, const std::string& folder, const std::string& root, const std::string& readme) {
  auto alone = [&](std::size_t cell, const char* tag) -> Node* {  // what is in the cell, if it is one such node
    if (row.children.size() != 3 || row.children[cell].children.size() != 1) return nullptr;
    Node& node = row.children[cell].children[0];
    return node.tag == tag ? &node : nullptr;
  };
  Node *const link = alone(1, "a"), *const words = alone(2, "code");
  const std::string file = link ? link->target : "", name = file.substr(file.rfind('/') + 1);
  if (!link || !words || plain_text(*link) != name) {
    std::string got;
    for (const Node& cell : row.children) got += "| " + plain_text(cell) + " ";
    refuse_at(readme, row.line,
              "equation: a row must be | EQUATION | [FILE](path/to/FILE) | `words of its line` |; got " + got + "|");
  }
  const std::string number =
      fmt::format(":{}", only_line_with(words->text, file, root + "/" + folder, readme, row.line));
  link->children = {{.tag = "text", .text = name + number, .line = row.line}};
  return std::filesystem::path(folder + "/" + file).lexically_normal().string() + number;
}

}  // namespace heed::course
