#include "nn/io/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace heed::io {

namespace {

bool names_utf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

int sensible(const std::string& text, int fallback) {
  if (text.empty() || text.size() > 4 ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return fallback;
  int value = std::stoi(text);
  return value > 0 ? value : fallback;
}

}  // namespace

Console console_from(bool terminal, int columns, int rows,
                     const std::function<std::string(const std::string&)>& environment) {
  Console result;
  result.terminal = terminal && environment("TERM") != "dumb";
  result.colour = result.terminal && environment("NO_COLOR").empty();
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name);
    if (locale.empty()) continue;
    result.unicode = names_utf8(locale);
    break;
  }
  result.width = columns > 0 ? columns : sensible(environment("COLUMNS"), 80);
  result.height = rows > 0 ? rows : sensible(environment("LINES"), 24);
  return result;
}

Console console(int file) {
  winsize size{};
  bool terminal = isatty(file) == 1;
  if (terminal && ioctl(file, TIOCGWINSZ, &size) != 0) size = {};
  return console_from(terminal, size.ws_col, size.ws_row, [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value ? value : "");
  });
}

}  // namespace heed::io
