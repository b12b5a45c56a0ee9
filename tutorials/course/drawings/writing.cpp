#include "tutorials/course/drawings/writing.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace heed::course {
namespace {

// Hundredths of the size, for the characters from space to ~.
constexpr std::array<int, 95> kWidths = {32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
                                         64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
                                         58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,  61, 73, 68, 99, 69,
                                         61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,  63, 63, 28, 28, 58,
                                         28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59,  52, 64, 34, 64, 84};
constexpr int kLetterWidth = 67, kSignWidth = 87, kEllipsisWidth = 100;  // beyond ASCII

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

double hundredths(const std::string& words) {
  double sum = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    auto byte = static_cast<unsigned char>(words[i]);
    if (byte < 0x80)
      sum += byte >= 32 && byte < 127 ? kWidths[byte - 32U] : kSignWidth;
    else if (words.compare(i, 3, "…") == 0)
      sum += kEllipsisWidth;
    else if (byte >= 0xe0)
      sum += kSignWidth;
    else if (byte >= 0xc0)
      sum += words.compare(i, 2, "·") == 0 ? kWidths[0] : words.compare(i, 2, "×") == 0 ? kSignWidth : kLetterWidth;
  }
  return sum;
}

// Appends `words`; letters that stand alone become italic runs of their own, and two of them where they are lowered.
void append(std::vector<Run>& runs, const std::string& words, int level) {
  for (size_t i = 0; i < words.size(); ++i) {
    const bool before = i > 0 && letter(words[i - 1]), after = i + 1 < words.size() && letter(words[i + 1]);
    const bool italic = letter(words[i]) && ((!before && !after) || (level != 0 && words.size() == 2));
    if (runs.empty() || runs.back().level != level || runs.back().italic != italic) runs.push_back({"", level, italic});
    runs.back().words += words[i];
  }
}

}  // namespace

std::vector<Run> runs_of(const std::string& text, const TextStyle& style) {
  if (style.code || (!style.math && text.find_first_of("_^") == std::string::npos)) return {{text}};
  std::vector<Run> runs;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '_' && text[i] != '^') {
      size_t end = std::min(text.find_first_of("_^", i), text.size());
      append(runs, text.substr(i, end - i), 0);
      i = end;
      continue;
    }
    int level = text[i] == '^' ? 1 : -1;
    bool braced = i + 1 < text.size() && text[i + 1] == '{';
    size_t begin = i + (braced ? 2 : 1), end = braced ? text.find('}', begin) : begin + 1;
    while (!braced && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) ++end;  // UTF-8
    append(runs, text.substr(begin, end - begin), level);
    i = braced ? end + 1 : end;
  }
  return runs;
}

double width_of(const std::string& text, const TextStyle& style) {
  double sum = 0;
  for (const Run& run : runs_of(text, style)) sum += hundredths(run.words) * (run.level == 0 ? 1 : kSmall);
  return sum / 100 * style.size * (style.bold ? 1.12 : 1);
}

bool has_unmarked_symbol(const std::string& text, const TextStyle& style) {
  if (style.code || style.math || text.find_first_of("_^") != std::string::npos) return false;
  if (text == "a" || text == "i") return false;  // words, in English and French
  const auto in_word = [&](size_t i) { return letter(text[i]) || text[i] == '\'' || (text[i] & 0x80) != 0; };
  for (size_t i = 0; i < text.size(); ++i) {
    const bool alone = (i == 0 || !in_word(i - 1)) && (i + 1 == text.size() || !in_word(i + 1));
    if (letter(text[i]) && text[i] != 'a' && alone) return true;
  }
  return false;
}

std::string as_xml(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace heed::course
