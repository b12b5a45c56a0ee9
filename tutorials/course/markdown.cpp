#include "tutorials/course/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <array>

#include "tensor/error.h"

namespace heed::course {

namespace {

// The nodes that are open, the root first; md4c's calls add to the last one.
struct Builder {
  const std::string& source;
  std::vector<std::size_t> line_starts;
  std::vector<Node> open;
};

std::string string_of(const MD_ATTRIBUTE& attribute) {
  return attribute.text ? std::string(attribute.text, attribute.size) : std::string();
}

Node block_node(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_DOC:
      return {.tag = "document"};
    case MD_BLOCK_QUOTE:
      return {.tag = "blockquote"};
    case MD_BLOCK_UL:
      return {.tag = "ul"};
    case MD_BLOCK_OL:
      return {.tag = "ol", .target = std::to_string(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start)};
    case MD_BLOCK_LI:
      return {.tag = "li"};
    case MD_BLOCK_HR:
      return {.tag = "hr"};
    case MD_BLOCK_H:
      return {.tag = "h" + std::to_string(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level)};
    case MD_BLOCK_CODE:
      return {.tag = "pre", .target = string_of(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang)};
    case MD_BLOCK_HTML:
      return {.tag = "html"};
    case MD_BLOCK_P:
      return {.tag = "p"};
    case MD_BLOCK_TABLE:
      return {.tag = "table"};
    case MD_BLOCK_THEAD:
      return {.tag = "thead"};
    case MD_BLOCK_TBODY:
      return {.tag = "tbody"};
    case MD_BLOCK_TR:
      return {.tag = "tr"};
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: {
      static constexpr std::array<const char*, 4> names{"", "left", "center", "right"};
      auto align = static_cast<std::size_t>(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align);
      return {.tag = type == MD_BLOCK_TH ? "th" : "td", .target = names[align]};
    }
  }
  throw ValueError("markdown: a block must be of a kind that is known; got another one");
}

Node span_node(MD_SPANTYPE type, void* detail) {
  switch (type) {
    case MD_SPAN_EM:
      return {.tag = "em"};
    case MD_SPAN_STRONG:
      return {.tag = "strong"};
    case MD_SPAN_A:
      return {.tag = "a", .target = string_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href)};
    case MD_SPAN_IMG:
      return {.tag = "img", .target = string_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src)};
    case MD_SPAN_CODE:
      return {.tag = "code"};
    case MD_SPAN_LATEXMATH:
      return {.tag = "math"};
    case MD_SPAN_LATEXMATH_DISPLAY:
      return {.tag = "display"};
    default:
      throw ValueError("markdown: a span must be of a kind that is known; got another one");
  }
}

// md4c hands out pieces of the source itself, apart from a few constants of its own.
std::size_t line_of(const Builder& b, const char* piece) {
  const char* begin = b.source.data();
  if (piece < begin || piece >= begin + b.source.size()) return 0;
  auto offset = static_cast<std::size_t>(piece - begin);
  auto next = std::upper_bound(b.line_starts.begin(), b.line_starts.end(), offset);
  return static_cast<std::size_t>(next - b.line_starts.begin());
}

void add_text(Builder& b, MD_TEXTTYPE type, const char* piece, std::size_t size) {
  Node& parent = b.open.back();
  std::string text(piece, size);
  std::size_t line = line_of(b, piece);
  for (auto node = b.open.rbegin(); node != b.open.rend() && node->line == 0 && line > 0; ++node) node->line = line;
  bool whole = parent.tag == "pre" || parent.tag == "html" || parent.tag == "code" || parent.tag == "math" ||
               parent.tag == "display";
  if (whole) {
    parent.text += text;
    return;
  }
  const char* tag = type == MD_TEXT_BR       ? "br"
                    : type == MD_TEXT_SOFTBR ? "softbreak"
                    : type == MD_TEXT_ENTITY ? "entity"
                    : type == MD_TEXT_HTML   ? "html"
                                             : "text";
  if (!parent.children.empty() && parent.children.back().tag == tag && type == MD_TEXT_NORMAL) {
    parent.children.back().text += text;
  } else {
    parent.children.push_back({.tag = tag, .text = text, .line = line});
  }
}

void close(Builder& b) {
  if (b.open.size() == 1) return;
  Node node = std::move(b.open.back());
  b.open.pop_back();
  b.open.back().children.push_back(std::move(node));
}

}  // namespace

Node parse_markdown(const std::string& source) {
  Builder builder{source, {0}, {}};
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\n') builder.line_starts.push_back(i + 1);
  }
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_LATEXMATHSPANS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    static_cast<Builder*>(user)->open.push_back(block_node(type, detail));
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE, void*, void* user) { return close(*static_cast<Builder*>(user)), 0; };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    static_cast<Builder*>(user)->open.push_back(span_node(type, detail));
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE, void*, void* user) { return close(*static_cast<Builder*>(user)), 0; };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    return add_text(*static_cast<Builder*>(user), type, text, size), 0;
  };
  md_parse(source.data(), static_cast<MD_SIZE>(source.size()), &parser, &builder);
  return std::move(builder.open.front());
}

std::string plain_text(const Node& node) {
  if (node.tag == "br" || node.tag == "softbreak") return " ";
  if (node.tag == "html" || node.tag == "img") return "";
  std::string text = node.text;
  for (const Node& child : node.children) text += plain_text(child);
  return text;
}

}  // namespace heed::course
