// Markdown as a tree: what the chapters, the glossary and the quiz are read from.
//
// The parser is md4c (CommonMark, with tables and `$..$` for formulas). It reports a document as a sequence of calls;
// here they become nodes, and every node remembers the line of the source on which its text begins, so that an error in
// a formula or a link can say where it is.
//
// clang-format off
//   tag                                     text              target
//   p h1..h6 ul ol li blockquote hr                           ol: the first number
//   table thead tbody tr th td                                th, td: left, right, ..;
//                                                             tr: its anchor, set by no parser
//   em strong                                                 -
//   a, img                                                    where it leads
//   text, code, math (inline), display      its characters    -
//   entity, html                            its characters    -
//   pre                                     the code          the language: first word of the fence
//   br, softbreak
// clang-format on
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed::course {

struct Node {
  std::string tag = {}, text = {}, target = {};
  std::size_t line = 0;  // from 1; 0 where the node has no text
  std::vector<Node> children = {};
};

Node parse_markdown(const std::string& source);  // the tag of the root is "document"

// The words of a node without any mark-up.
std::string plain_text(const Node& node);

}  // namespace heed::course
