// Nodes of Markdown as HTML, with what a chapter adds: formulas, highlighted code, definitions of terms, links between
// chapters, drawings put into the page.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tutorials/course/markdown.h"
#include "tutorials/course/tree.h"

namespace heed::course {

struct Heading {
  int level;
  std::string anchor, text;
};

class Html {
 public:
  // file: of the Markdown, relative to the tree's root. linked: other pages of the site lie beside this one.
  Html(const Tree& tree, std::string file, bool linked);

  std::string block(const Node& node);
  std::string blocks(const std::vector<Node>& nodes);
  std::string inlines(const std::vector<Node>& nodes);
  std::string heading(const Node& node);  // with its anchor; begins a new section for the terms
  std::string code_block(const std::string& code, const std::string& language) const;

  void mark_terms(bool on) { marks_terms_ = on; }
  const std::vector<Heading>& headings() const { return headings_; }

 private:
  std::string inline_node(const Node& node);
  std::string text(const std::string& words);  // with terms and lesson numbers
  std::string plain(const std::string& words) const;
  std::string link(const Node& node);
  std::string picture(const Node& node);
  std::string formula(const std::string& latex, bool display, std::size_t line) const;
  std::string raw(const Node& node);
  std::string summaries(const std::string& html);
  std::string path_in_tree(const std::string& target, std::size_t line) const;  // relative to the root; it exists

  const Tree& tree_;
  std::string file_, folder_;
  bool linked_, marks_terms_ = true;
  std::size_t drawings_ = 0;
  std::set<std::string> seen_;
  std::map<std::string, int> anchors_;
  std::vector<Heading> headings_;
};

// An SVG file for the inside of a page: its names get a prefix, so that two drawings do not share them, and it is
// described by `alternative`.
std::string inline_svg(const std::string& svg, const std::string& alternative, const std::string& prefix);

}  // namespace heed::course
