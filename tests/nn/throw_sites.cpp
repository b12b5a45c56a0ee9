#include "tests/nn/throw_sites.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace heed::nn_test {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\n'; }
bool is_name(const std::string& s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_word) && s[0] > '9'; }

// Behind the literal that begins at `at` with a quote of either kind.
size_t behind_literal(const std::string& text, size_t at) {
  char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

std::string read_without_comments(const std::string& path) {
  std::ifstream file(path);
  std::stringstream stream;
  stream << file.rdbuf();
  std::string text = stream.str();
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\'' && at > 0 && is_word(text[at - 1])) {
      text[at] = '_';  // 100'000: no literal begins here
    } else if (text[at] == '"' || text[at] == '\'') {
      at = behind_literal(text, at);
    } else if (text.compare(at, 2, "//") == 0) {
      for (; at < text.size() && text[at] != '\n'; ++at) text[at] = ' ';
    } else {
      ++at;
    }
  }
  return text;
}

// The pieces of text[begin, end) between `separator`s that stand outside brackets and literals.
std::vector<std::string> split_outside(const std::string& text, size_t begin, size_t end, char separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (size_t at = begin; at < end;) {
    char c = text[at];
    size_t next = c == '"' || c == '\'' ? behind_literal(text, at) : at + 1;
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (c == separator && depth == 0)
      out.emplace_back();
    else
      out.back() += text.substr(at, next - at);
    at = next;
  }
  for (std::string& s : out) {
    while (!s.empty() && is_blank(s.back())) s.pop_back();
    while (!s.empty() && is_blank(s.front())) s.erase(0, 1);
  }
  return out;
}

// The bracket that closes the one at `open`.
size_t closing(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size();) {
    char c = text[at];
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (depth == 0) return at;
    at = c == '"' || c == '\'' ? behind_literal(text, at) : at + 1;
  }
  return text.size();
}

// "a" "b\"" -> ab"; nothing if there is more than literals.
std::optional<std::string> joined_literals(const std::string& s) {
  std::string out;
  for (size_t at = 0; at < s.size();) {
    if (is_blank(s[at])) {
      ++at;
    } else if (s[at] == '"') {
      size_t end = behind_literal(s, at);
      for (++at; at + 1 < end; ++at) {
        if (s[at] == '\\') ++at;
        out += s[at - 1] == '\\' && s[at] == 'n' ? '\n' : s[at];
      }
      at = end;
    } else {
      return std::nullopt;
    }
  }
  if (s.empty()) return std::nullopt;
  return out;
}

// A sentence as the source has it: text, a parameter by its name, or something else that is only known when it runs.
struct Part {
  enum Kind { text, name, other } kind;
  std::string s = {};
};
using Sentence = std::vector<Part>;

Sentence sentence_of(const std::string& expression) {
  if (auto literal = joined_literals(expression)) return {{Part::text, *literal}};
  if (is_name(expression)) return {{Part::name, expression}};
  for (const char* wrapper : {"fmt::format(", "std::string("}) {
    size_t open = std::string(wrapper).size() - 1;
    if (expression.rfind(wrapper, 0) != 0 || closing(expression, open) + 1 != expression.size()) continue;
    std::vector<std::string> arguments = split_outside(expression, open + 1, expression.size() - 1, ',');
    if (wrapper[0] == 's') return sentence_of(arguments[0]);
    std::string format = joined_literals(arguments[0]).value_or("{}");
    Sentence out{{Part::text}};
    for (size_t at = 0, k = 1; at < format.size(); ++at) {
      if (format[at] != '{') {
        out.back().s += format[at];
        continue;
      }
      bool known = k < arguments.size() && is_name(arguments[k]);
      out.push_back(known ? Part{Part::name, arguments[k]} : Part{Part::other});
      out.push_back({Part::text});
      at = format.find('}', at);
      ++k;
    }
    return out;
  }
  std::vector<std::string> terms = split_outside(expression, 0, expression.size(), '+');
  Sentence out;
  for (const std::string& term : terms) {
    if (terms.size() == 1) return {{Part::other}};
    for (const Part& part : sentence_of(term)) out.push_back(part);
  }
  return out;
}

// The texts, neighbours joined; parameters of the function that throws are put in place where they are known.
std::vector<std::string> pieces_of(const Sentence& sentence, const std::map<std::string, Sentence>& known) {
  std::vector<std::string> pieces(1);
  auto append = [&](const Part& part) {
    if (part.kind == Part::text)
      pieces.back() += part.s;
    else
      pieces.emplace_back();
  };
  for (const Part& part : sentence)
    if (auto given = known.find(part.s); part.kind == Part::name && given != known.end())
      for (const Part& inner : given->second) append(inner);
    else
      append(part);
  std::erase(pieces, "");
  return pieces;
}

bool says(const Part& part) { return part.kind == Part::text && !part.s.empty(); }

struct Function {
  std::string name;
  std::vector<std::string> parameters;
};

std::vector<std::string> parameters_at(const std::string& text, size_t open) {
  std::vector<std::string> names;
  for (const std::string& p : split_outside(text, open + 1, closing(text, open), ',')) {
    std::string declared = p.substr(0, p.find(" ="));
    size_t end = declared.size();
    while (end > 0 && is_word(declared[end - 1])) --end;
    names.push_back(declared.substr(end));
  }
  return names;
}

// auto refuse = [..](parameters) { .. at .. };
std::optional<Function> lambda_around(const std::string& text, size_t at) {
  size_t begin = text.rfind("auto ", at);
  if (begin == std::string::npos) return std::nullopt;
  size_t end = begin += 5;
  while (is_word(text[end])) ++end;
  if (text.compare(end, 4, " = [") != 0) return std::nullopt;
  size_t open = closing(text, end + 3) + 1;
  size_t body = text.find('{', open);
  if (text[open] != '(' || body > at || closing(text, body) < at) return std::nullopt;
  return Function{text.substr(begin, end - begin), parameters_at(text, open)};
}

// The function whose body holds `at`: its first line begins at the start of a line, or two blanks inside a class.
Function function_around(const std::string& text, size_t at) {
  if (auto lambda = lambda_around(text, at)) return *lambda;
  for (size_t indent : {size_t{2}, size_t{0}}) {
    size_t line = text.rfind('\n', at);
    for (; line != std::string::npos && line > 0; line = text.rfind('\n', line - 1)) {
      size_t first = text.find_first_not_of(' ', line + 1);
      if (first == std::string::npos || first - line - 1 > indent || text[first] == '\n') continue;
      if (first - line - 1 < indent || text[first] == '}' || text[first] == ':') break;
      size_t open = text.find('(', first);
      size_t begin = open;
      while (begin > first && is_word(text[begin - 1])) --begin;
      Function f{text.substr(begin, open - begin), {}};
      bool statement = f.name == "if" || f.name == "for" || f.name == "while" || f.name == "switch" || open > at;
      if (statement || closing(text, open) > at ||
          text.find(';', closing(text, open)) < text.find('{', closing(text, open)))
        break;
      f.parameters = parameters_at(text, open);
      return f;
    }
  }
  return {};
}

struct Thrown {  // a throw that speaks of its function's parameters
  std::string file, type;
  Function in;
  Sentence sentence;
};

int line_of(const std::string& text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// visit(name, where it begins, the bracket behind it) for each word( outside literals.
template <class Visit>
void each_call(const std::string& text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = behind_literal(text, at);
      continue;
    }
    size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at > begin && at < text.size() && text[at] == '(') visit(text.substr(begin, at - begin), begin, at);
    if (at == begin) ++at;
  }
}

}  // namespace

std::vector<ThrowSite> throw_sites(const std::string& root, const std::vector<std::string>& folders) {
  std::map<std::string, std::string> sources;
  for (const std::string& folder : folders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/" + folder))
      if (auto kind = entry.path().extension(); kind == ".h" || kind == ".cpp")
        sources[std::filesystem::relative(entry.path(), root).string()] = read_without_comments(entry.path().string());

  std::vector<ThrowSite> sites;
  std::vector<Thrown> helpers;
  for (const auto& [file, text] : sources)
    each_call(text, [&, &file = file, &text = text](const std::string& type, size_t begin, size_t open) {
      if (begin < 6 || text.compare(begin - 6, 6, "throw ") != 0) return;
      Sentence sentence = sentence_of(split_outside(text, open + 1, closing(text, open), ',')[0]);
      sites.push_back({file, type, line_of(text, begin), pieces_of(sentence, {})});
      helpers.push_back({file, type, function_around(text, begin), sentence});
    });
  for (const auto& [file, text] : sources)
    each_call(text, [&, &file = file, &text = text](const std::string& name, size_t begin, size_t open) {
      auto defined_here = [&](const Thrown& t) { return t.in.name == name && t.file == file; };
      bool own = std::any_of(helpers.begin(), helpers.end(), defined_here);
      std::set<std::string> files;  // a name that several files give to helpers of theirs is nobody else's
      for (const Thrown& t : helpers)
        if (t.in.name == name) files.insert(t.file);
      if (!own && files.size() > 1) return;
      for (const Thrown& t : helpers) {
        if (t.in.name != name || name.empty() || (own && t.file != file)) continue;
        std::vector<std::string> given = split_outside(text, open + 1, closing(text, open), ',');
        std::map<std::string, Sentence> known;
        for (size_t k = 0; k < given.size() && k < t.in.parameters.size(); ++k)
          if (Sentence s = sentence_of(given[k]); std::any_of(s.begin(), s.end(), says)) known[t.in.parameters[k]] = s;
        bool told = std::any_of(t.sentence.begin(), t.sentence.end(),
                                [&](const Part& p) { return p.kind == Part::name && known.count(p.s); });
        if (told) sites.push_back({file, t.type, line_of(text, begin), pieces_of(t.sentence, known)});
      }
    });
  std::stable_sort(sites.begin(), sites.end(), [](const ThrowSite& a, const ThrowSite& b) {
    return a.file != b.file ? a.file < b.file : a.line < b.line;
  });
  return sites;
}

}  // namespace heed::nn_test
