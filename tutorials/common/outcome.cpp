// Outcomes of an exercise, compared, written and read (see outcome.h).
#include "tutorials/common/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tensor/error.h"
#include "tutorials/course/source_root.h"

namespace heed::app {

Measured::Measured(std::string name, const std::vector<double>& all, double allowed)
    : what(std::move(name)), numbers(all), tolerance(allowed) {
  std::ranges::replace(what, '\n', ' ');
  if (all.size() <= kNumbers + 1) return;
  numbers.resize(kNumbers + 1);
  numbers[kNumbers] = 0;
  for (std::size_t i = kNumbers; i < all.size(); ++i) numbers[kNumbers] += all[i];
}

namespace {

bool close_to(double x, double y, double allowed) {
  if (!std::isfinite(x) || !std::isfinite(y)) return x == y || (std::isnan(x) && std::isnan(y));
  return std::abs(x - y) <= allowed * std::max(1.0, std::abs(y));
}

bool same_line(const Measured& learner, const Measured& recorded) {
  const double allowed = std::clamp(learner.tolerance, 1e-9, 1e-5);
  return learner.what == recorded.what &&
         std::ranges::equal(learner.numbers, recorded.numbers,
                            [&](double x, double y) { return close_to(x, y, allowed); });
}

bool same_line(const std::vector<Measured>& all, std::size_t i, const Measured& line) {
  return i < all.size() && same_line(all[i], line);
}

// Whether a line that differs from the solution's says much by itself: it has a number that is no integer, or three
// numbers differ.
bool telling(const Measured& line, const std::vector<Outcome>& known, std::size_t i) {
  const Measured* right = i < known[0].lines.size() ? &known[0].lines[i] : nullptr;
  int differing = 0;
  for (std::size_t k = 0; k < line.numbers.size(); ++k) {
    const double x = line.numbers[k];
    if (right != nullptr && k < right->numbers.size() && close_to(x, right->numbers[k], 1e-9)) continue;
    ++differing;
    if (std::isfinite(x) && std::abs(x - std::round(x)) > 1e-6) return true;
  }
  return differing >= 3;
}

// A word or a small number says less. Three of them are enough, if each is one of at least four different ones that
// were recorded there, and of this mistake alone, and if fewer lines of the mistake are missing.
bool of_its_own(const Measured& line, const std::vector<Outcome>& known, std::size_t i) {
  std::vector<const Measured*> different;
  int owners = 0;
  for (const Outcome& outcome : known) {
    if (!outcome.pair.empty() || i >= outcome.lines.size()) continue;
    const Measured& other = outcome.lines[i];
    owners += same_line(line, other);
    if (std::ranges::none_of(different, [&](const Measured* d) { return same_line(*d, other); }))
      different.push_back(&other);
  }
  return owners == 1 && different.size() >= 4;
}

}  // namespace

bool same(const std::vector<Measured>& learner, const std::vector<Measured>& recorded) {
  return std::ranges::equal(learner, recorded, [](const Measured& a, const Measured& b) { return same_line(a, b); });
}

Diagnosis diagnose(const std::vector<Measured>& learner, const std::vector<Outcome>& known) {
  struct Candidate {
    std::size_t number;
    std::set<std::size_t> explained;
    int missed;  // lines where it differs from the solution, and the learner's function differs from both
  };
  std::vector<Candidate> candidates;
  for (std::size_t number = 1; number < known.size(); ++number) {  // the first is the solution
    if (!known[number].pair.empty()) continue;
    const std::vector<Measured>& lines = known[number].lines;
    if (same(learner, lines)) return {true, {number}};
    Candidate c{number, {}, 0};
    bool told = false, ruled_out = false;
    int hints = 0;
    for (std::size_t i = 0; i < std::min(learner.size(), lines.size()); ++i) {
      if (same_line(known[0].lines, i, lines[i])) continue;
      if (i < known[0].lines.size() && same_line(learner[i], known[0].lines[i])) {
        ruled_out = true;
      } else if (same_line(learner[i], lines[i])) {
        c.explained.insert(i);
        told = told || telling(lines[i], known, i);
        hints += of_its_own(lines[i], known, i);
      } else {
        ++c.missed;
      }
    }
    if ((told || (hints >= 3 && hints > c.missed)) && !ruled_out) candidates.push_back(c);
  }
  Diagnosis result;
  std::set<std::size_t> done;
  auto left = [&](const Candidate& c) {
    return std::ranges::count_if(c.explained, [&](std::size_t i) { return !done.contains(i); });
  };
  auto better = [&](const Candidate& a, const Candidate& b) {
    return left(a) != left(b) ? left(a) > left(b) : a.missed < b.missed;
  };
  while (!candidates.empty()) {
    std::ranges::stable_sort(candidates, better);
    const Candidate best = candidates[0];
    if (left(best) == 0) break;
    candidates.erase(candidates.begin());
    // Another one that explains the same lines as well: nobody knows which of the two it is.
    const bool doubtful = std::ranges::any_of(candidates, [&](const Candidate& c) {
      return !better(best, c) && std::ranges::any_of(c.explained, [&](std::size_t i) {
        return best.explained.contains(i) && !done.contains(i);
      });
    });
    if (!doubtful) result.mistakes.push_back(best.number);
    done.insert(best.explained.begin(), best.explained.end());
  }
  return result;
}

std::string without_praise(const std::string& sentence) {
  const std::size_t praise = std::min(sentence.find(" is right"), sentence.find(" are right"));
  if (praise == std::string::npos || sentence.substr(0, praise).find_first_of(".:;") != std::string::npos)
    return sentence;
  const std::size_t after = sentence.find(" right", praise) + 6;
  for (const char* between : {". ", "; ", ", and ", ", but ", " and ", " but "}) {
    if (sentence.compare(after, std::string(between).size(), between) != 0) continue;
    std::string rest = sentence.substr(after + std::string(between).size());
    for (const char* word : {" is not: ", " are not: "}) {
      const std::size_t at = rest.find(word);
      if (at < rest.find_first_of(".:;") && at != std::string::npos) rest.insert(rest.find(':', at), " right");
    }
    if (rest.starts_with("the ") || rest.starts_with("you ")) rest[0] = rest[0] == 't' ? 'T' : 'Y';  // no names of code
    return rest;
  }
  return sentence;
}

namespace {

// Ten digits, and none beyond 1e-10: what is left out is rounding, which differs from processor to processor.
std::string number_text(double x) {
  if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (std::abs(x) >= 1) return fmt::format("{:.11g}", x);
  std::string text = fmt::format("{:.10f}", x);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

Measured line_of(const std::string& text) {  // what | number number
  const std::size_t bar = text.rfind('|');
  if (bar == std::string::npos || bar == 0)
    throw InputError(fmt::format("outcomes: a line is \"NUMBER CHECK | NUMBERS\"; got \"{}\"", text));
  Measured line(text.substr(0, bar - 1));
  std::istringstream numbers(text.substr(bar + 1));
  for (std::string word; numbers >> word;) line.numbers.push_back(std::strtod(word.c_str(), nullptr));
  return line;
}

}  // namespace

void write_outcome(const std::string& path, const std::vector<Measured>& lines) {
  std::ofstream file(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    file << i + 1 << ' ' << lines[i].what << " |";
    for (double x : lines[i].numbers) file << ' ' << number_text(x);
    file << '\n';
  }
  if (!file.flush()) throw IoError(fmt::format("outcomes: cannot write {}", path));
}

std::vector<Outcome> read_outcomes(const std::string& path) {
  std::ifstream file(path);
  std::vector<Outcome> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("* ")) {
      all.push_back({line.substr(2), all.empty() ? std::vector<Measured>{} : all.front().lines});
    } else if (!all.empty() && line.starts_with("& ")) {
      std::istringstream numbers(line.substr(2));
      std::size_t first = 0, second = 0;
      numbers >> first >> second;
      all.push_back({"", all.front().lines, {first, second}});
    } else if (!all.empty() && line.starts_with("end ")) {
      all.back().lines.resize(static_cast<std::size_t>(std::atoi(line.c_str() + 4)), Measured(""));
    } else if (!all.empty()) {
      const auto at = static_cast<std::size_t>(std::max(1, std::atoi(line.c_str()))) - 1;
      auto& lines = all.back().lines;
      if (at >= lines.size()) lines.resize(at + 1, Measured(""));
      lines[at] = line_of(line.substr(line.find(' ') + 1));
    }
  }
  return all;
}

std::vector<Outcome> recorded_outcomes(const std::string& lesson, int number) {
  namespace fs = std::filesystem;
  const std::string top = course::source_root() + "/tutorials", name = fmt::format("{}_", number);
  if (!fs::is_directory(top)) return {};
  for (const auto& folder : fs::directory_iterator(top)) {
    if (!folder.path().filename().string().starts_with(lesson + "_")) continue;
    for (const auto& file : fs::directory_iterator(folder.path() / "exercises"))
      if (file.path().extension() == ".outcomes" && file.path().filename().string().starts_with(name))
        return read_outcomes(file.path());
  }
  return {};
}

}  // namespace heed::app
