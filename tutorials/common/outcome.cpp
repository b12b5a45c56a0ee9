// Outcomes of an exercise, compared, written and read (see outcome.h).
#include "tutorials/common/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

bool same(const std::vector<Measured>& learner, const std::vector<Measured>& recorded) {
  auto close = [](double x, double y, double allowed) {
    if (!std::isfinite(x) || !std::isfinite(y)) return x == y || (std::isnan(x) && std::isnan(y));
    return std::abs(x - y) <= allowed * std::max(1.0, std::abs(y));
  };
  return std::ranges::equal(learner, recorded, [&](const Measured& a, const Measured& b) {
    const double allowed = std::clamp(a.tolerance, 1e-9, 1e-5);
    return a.what == b.what &&
           std::ranges::equal(a.numbers, b.numbers, [&](double x, double y) { return close(x, y, allowed); });
  });
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
