#include "tutorials/course/html_text.h"

#include <fmt/format.h>

#include <regex>

#include "tensor/error.h"

namespace heed::course {

std::string anchor_of(const std::string& heading) {
  std::string name;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    auto c = static_cast<unsigned char>(heading[i]);
    if (c == 0xC2 && i + 1 < heading.size()) {  // U+0080 to U+00BF: signs such as the middle dot
      ++i;
    } else if (c == 0xE2 && i + 2 < heading.size()) {  // U+2000 to U+2FFF: dashes, quotes, arrows
      i += 2;
    } else if (c == ' ') {
      name += '-';
    } else if (c >= 'A' && c <= 'Z') {
      name += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c >= 0x80) {
      name += static_cast<char>(c);
    }
  }
  return name;
}

void refuse_at(const std::string& file, std::size_t line, const std::string& sentence) {
  throw InputError(line > 0 ? fmt::format("{}:{}: {}", file, line, sentence) : fmt::format("{}: {}", file, sentence));
}

std::string trimmed(const std::string& text) {
  std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

namespace {

// A piece that must be in one line, and, in words that are not code, an index or a power.
const char* const kPieces = R"(\d[\d.,]*(?:e-?\d+)?(?: ?/ ?\d[\d.,]*(?:e-?\d+)?)*(?: ?%)?|--[a-z-]+)";
const char* const kRaised =
    R"(\b([A-Za-z]{1,2}|sum|max|min|log|exp)_([a-z0-9]{1,2})\b|([A-Za-z0-9)\]]+)\^(-?[A-Za-z0-9]+|\((?:[^()]|\([^()]*\))*\))|)";

std::string with_pieces(const std::string& text, const std::regex& piece) {
  std::string html;
  auto from = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), piece), end; at != end; ++at) {
    const std::smatch& found = *at;
    const bool index = found.size() > 1 && found[1].matched, power = found.size() > 1 && found[3].matched;
    const std::string one = found.str();
    if (!index && !power && one.find_first_of(" /-") == std::string::npos) continue;
    html += report::escaped(std::string(from, found[0].first));
    if (index) {
      html += found[1].str() + "<sub>" + found[2].str() + "</sub>";
    } else if (power) {
      const std::string raised = found[4].str();
      html += found[3].str() + "<sup>" + (raised[0] == '(' ? raised.substr(1, raised.size() - 2) : raised) + "</sup>";
    } else {
      html += "<span class=\"unbroken\">" + report::escaped(one) + "</span>";
    }
    from = found[0].second;
  }
  return html + report::escaped(std::string(from, text.cend()));
}

}  // namespace

std::string escaped_whole(const std::string& text) {
  static const std::regex piece(kPieces, std::regex::optimize);
  return text.find_first_of("%/-") == std::string::npos ? report::escaped(text) : with_pieces(text, piece);
}

std::string escaped_words(const std::string& text) {
  static const std::regex piece(std::string(kRaised) + kPieces, std::regex::optimize);
  return text.find_first_of("%/-_^") == std::string::npos ? report::escaped(text) : with_pieces(text, piece);
}

}  // namespace heed::course
