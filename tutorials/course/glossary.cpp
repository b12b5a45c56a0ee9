#include "tutorials/course/glossary.h"

#include <algorithm>
#include <sstream>

#include "tutorials/course/html_text.h"
#include "tutorials/course/markdown.h"
#include "tutorials/course/mathml.h"

namespace heed::course {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool in_word(char c) {
  auto u = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || u >= 0x80;
}

// A formula for a tool-tip, which is plain text: w_i = e^x_i / Σ_j e^x_j.
std::string readable(const std::string& latex) {
  std::string text;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    if (latex[i] == '{' || latex[i] == '}') continue;
    if (latex[i] != '\\') {
      text += latex[i];
      continue;
    }
    std::size_t end = i + 1;
    while (end < latex.size() && in_word(latex[end]) && latex[end] != '_') ++end;
    std::string name = latex.substr(i + 1, end - i - 1);
    MathSymbol symbol = math_symbol(name);
    text += name == "top" ? "T" : symbol.kind == MathSymbol::Kind::none ? name : symbol.text;
    i = end - 1;
  }
  return text;
}

void make_readable(Node& node) {
  if (node.tag == "math") node.text = readable(node.text);
  for (Node& child : node.children) make_readable(child);
}

}  // namespace

std::string readable_text(Node node) {
  make_readable(node);
  return trimmed(plain_text(node));
}

Glossary::Glossary(const std::string& text, const std::string& file) {
  std::istringstream in(text);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (trimmed(line).empty() || line[0] == '#') continue;
    if (line.substr(0, 2) != "**") {
      if (!terms_.empty())
        refuse_at(file, number, "glossary: a line must be **term**: definition.; got \"" + line + "\"");
      continue;  // what is said before the first term
    }
    std::size_t end = line.find("**: ");
    std::string definition = end == std::string::npos ? "" : trimmed(line.substr(end + 4));
    if (definition.empty())
      refuse_at(file, number, "glossary: a line must be **term**: definition.; got \"" + line + "\"");
    std::string name = line.substr(2, end - 2);
    for (const Term& other : terms_) {
      if (lower(other.name) == lower(name))
        refuse_at(file, number, "glossary: a term must be defined once; got \"" + name + "\" twice");
    }
    terms_.push_back({name, definition, readable_text(parse_markdown(definition)), anchor_of(name)});
  }
  std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return lower(a.name) < lower(b.name); });
  for (const Term& term : terms_) lowered_.push_back(lower(term.name));
}

Glossary::Hit Glossary::find(const std::string& text, std::size_t from, const std::set<std::string>& seen) const {
  const std::string low = lower(text);
  Hit best;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const std::string& name = lowered_[i];
    if (seen.count(terms_[i].name)) continue;
    for (std::size_t at = low.find(name, from); at != std::string::npos; at = low.find(name, at + 1)) {
      std::size_t end = at + name.size();
      if (end < low.size() && low[end] == 's' && (end + 1 == low.size() || !in_word(low[end + 1]))) ++end;
      bool whole = (at == 0 || !in_word(low[at - 1])) && (end == low.size() || !in_word(low[end]));
      if (!whole) continue;
      if (at < best.begin || (at == best.begin && end - at > best.size)) best = {at, end - at, &terms_[i]};
      break;
    }
  }
  return best;
}

}  // namespace heed::course
