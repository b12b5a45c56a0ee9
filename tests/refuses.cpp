#include "tests/refuses.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace heed::bad_input {
namespace {

std::vector<Refusal> refusals;
std::set<std::string> test_cases_run;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Is text[begin, end) no part of a longer word, number or path? 1 is none of 10, -1, 0.1 and 1.5.
bool stands_alone(const std::string& text, size_t begin, size_t end) {
  auto letter = [&](size_t at) { return at < text.size() && is_letter(text[at]); };
  auto joins = [&](size_t at, const char* marks) { return at < text.size() && std::strchr(marks, text[at]); };
  if (letter(begin) && begin > 0 && (letter(begin - 1) || joins(begin - 1, "-/#."))) return false;
  if (text[begin] == '-' && begin > 0 && letter(begin - 1)) return false;
  return !letter(end - 1) || !(letter(end) || (joins(end, "-/#.~") && letter(end + 1)));
}

// What is wrong with the form  operation: rule; got ..; hint,  or "".
std::string fault_of_form(const std::string& sentence) {
  size_t colon = sentence.find(": "), rule = colon + 2, got = sentence.find("; got");
  if (colon == 0 || colon == std::string::npos) return "no operation";
  if (rule >= sentence.size() || sentence.find(';') <= rule) return "no rule";
  if (got != std::string::npos && (got + 6 >= sentence.size() || sentence[got + 5] != ' ')) return "nothing after got";
  if (std::strchr(" .,;:", sentence.back()) || sentence.find('\n') != std::string::npos) return "not one sentence";
  return "";
}

std::string name_of(const std::type_info& type) {
  std::string name = type.name();  // mangled: the words end with the type's own
  for (const char* known : {"ShapeError", "DTypeError", "IndexError", "ValueError", "GraphError", "InputError",
                            "IoError", "Interrupted", "Error"})
    if (name.find(known) != std::string::npos) return known;
  return name;
}

}  // namespace

std::vector<Refusal> refusals_of(const std::string& folder) {
  run_test_cases_of(folder, [](const std::string& name) {
    return !name.starts_with("all rows:") && test_cases_run.insert(name).second;
  });
  std::vector<Refusal> out;
  for (const Refusal& r : refusals)
    if (std::string(r.file).find(folder) != std::string::npos) out.push_back(r);
  return out;
}

std::string& shown_as_home() {
  static std::string folder;
  return folder;
}

std::vector<std::string> words_of(const std::string& row) {
  std::vector<std::string> words;
  for (size_t at = 0, end = 0; at < row.size(); at = end + 1) {
    bool bracket = row[at] == '[' || row[at] == '(';
    end = bracket ? row.find_first_of("])", at) : row.find(' ', at);
    if (bracket && end != std::string::npos) ++end;
    end = std::min(end, row.size());
    if (end > at) words.push_back(row.substr(at, end - at));
  }
  return words;
}

bool accepts(const std::string& row, const std::string& sentence) {
  size_t colon = row.find(": ");
  if (colon == std::string::npos || sentence.compare(0, colon + 2, row, 0, colon + 2) != 0) return false;
  size_t at = colon + 2;
  for (const std::string& word : words_of(row.substr(at))) {
    bool got = word == "got";
    const std::string wanted = got ? "; got " : word;
    at = sentence.find(wanted, at);
    while (!got && at != std::string::npos && !stands_alone(sentence, at, at + wanted.size()))
      at = sentence.find(wanted, at + 1);
    if (at == std::string::npos) return false;
    at += got ? wanted.size() - 1 : wanted.size();
  }
  return true;
}

void require_refusal(const std::type_info& type, const std::string& row, const Attempt& f, const char* file, int line) {
  test_cases_run.insert(doctest::getContextOptions()->currentTest->m_name);
  std::string said = "nothing: it was accepted", thrown = "nothing", fault;
  bool exact = false;
  try {
    f();
  } catch (const std::exception& e) {
    exact = typeid(e) == type;
    thrown = name_of(typeid(e));
    said = e.what();
    const std::string& home = shown_as_home();
    for (size_t at = 0; !home.empty() && (at = said.find(home)) != std::string::npos;)
      said.replace(at, home.size(), "~");
    fault = fault_of_form(said);
    refusals.push_back({&type, row, said, file, line});
  }
  if (exact && fault.empty() && accepts(row, said))
    CHECK(true);
  else
    ADD_FAIL_CHECK_AT(file, line, "wanted: " << row << "\n  got: " << said << "\n as: " << thrown << "  " << fault);
}

}  // namespace heed::bad_input
