// Numbers as a chapter prints them: where they begin and end, and what they round.
#include <cctype>
#include <cmath>
#include <regex>

#include "tests/tutorials/measured.h"

namespace heed::measured {

namespace {

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::vector<Number> numbers_of(const std::string& text) {
  std::vector<Number> all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char before = i == 0 ? ' ' : text[i - 1];
    bool starts = digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && digit(text[i + 1]));
    if (!starts || std::isalpha(static_cast<unsigned char>(before)) || before == '_' || before == '.') {
      if (starts)
        while (i + 1 < text.size() && (digit(text[i + 1]) || text[i + 1] == '.')) ++i;
      continue;
    }
    std::size_t end = i;
    std::string digits;
    int decimals = 0, exponent = 0;
    bool point = false;
    for (; end < text.size(); ++end) {
      char c = text[end];
      bool more = end + 1 < text.size() && digit(text[end + 1]);
      if (digit(c))
        decimals += point ? 1 : 0;
      else if (c == '.' && !point && more)
        point = true;
      else if (c == ',' && !point && end + 3 < text.size() && more && digit(text[end + 2]) && digit(text[end + 3]) &&
               (end + 4 == text.size() || !digit(text[end + 4])))
        continue;
      else
        break;
      digits += c;
    }
    static const std::regex power("e[-+]?[0-9]+");
    std::smatch found;
    std::string rest = text.substr(end, 8);
    if (std::regex_search(rest, found, power, std::regex_constants::match_continuous)) {
      exponent = std::stoi(found.str().substr(1));
      end += static_cast<std::size_t>(found.length());
    }
    bool minus = before == '-' && (i < 2 || std::string(" |(/").find(text[i - 2]) != std::string::npos);
    std::size_t at = minus ? i - 1 : i;
    double scale = std::pow(10, exponent);
    all.push_back(
        {text.substr(at, end - at), at, (minus ? -1 : 1) * std::stod(digits) * scale, std::pow(10, -decimals) * scale});
    i = end - 1;
  }
  return all;
}

bool rounds(const Number& printed, const Number& found) {
  if (found.step > printed.step * 1.001) return std::abs(printed.value - found.value) < printed.step * 1e-6;
  double value = printed.value >= 0 ? std::abs(found.value) : found.value;
  return std::abs(printed.value - value) <= 0.5 * printed.step +
                                                0.5 * (found.step < printed.step * 0.999 ? found.step : 0) +
                                                1e-9 * std::abs(printed.value);
}

}  // namespace heed::measured
