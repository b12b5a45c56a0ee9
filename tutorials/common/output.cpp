#include "tutorials/common/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "nn/io/console.h"
#include "nn/io/json_scanner.h"
#include "tutorials/report/wrap.h"

namespace heed::app {
namespace {

constexpr size_t kLongestPiece = 300, kPieceShown = 80, kLongest = 2000;

struct Character {
  size_t bytes;
  std::string shown;
};

// The first character of the text, which is not empty.
Character first_character(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  if (first == '\n') return {1, "\\n"};
  if (first == '\t') return {1, "\\t"};
  if (first == '\r') return {1, "\\r"};
  if (first < 0x20 || first == 0x7F) return {1, fmt::format("\\x{:02x}", first)};
  size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::string_view whole = text.substr(0, bytes);
  if (!io::is_utf8(whole)) return {1, fmt::format("\\x{:02x}", first)};
  unsigned code = bytes == 1 ? first : first & (0xFFu >> (bytes + 1));
  for (char c : whole.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 63u);
  bool control = code >= 0x80 && code < 0xA0;
  bool direction = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                   (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
  if (control || direction) return {bytes, fmt::format("\\u{:04x}", code)};
  return {bytes, std::string(whole)};
}

// The escaped text without its middle, if it is long. No character is cut.
std::string without_middle(const std::string& text) {
  if (text.size() <= kLongest) return text;
  auto continues = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  size_t end = kLongest * 3 / 4, begin = text.size() - kLongest / 4;
  while (continues(end)) --end;
  while (continues(begin)) ++begin;
  return text.substr(0, end) + " ... " + text.substr(begin);
}

}  // namespace

OutputError::OutputError(int number)
    : Error(std::string("write: cannot write to standard output: ") + std::strerror(number)), error(number) {}

void open_standard_streams() {
  // Opened for reading only, standard output refuses what is printed: a result that nobody can get is an error.
  constexpr int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  // In this order, each gets the lowest number that is free: its own.
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[file]) < 0) _exit(3);
}

void tell_text(const std::string& text) {
  const io::Console console = io::console(STDOUT_FILENO);
  const bool known = console.terminal || std::getenv("COLUMNS");
  fmt::print("{}", known ? report::folded(text, console.width) : text);
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw OutputError(errno != 0 ? errno : EIO);
}

void say(const std::string& message) { std::fputs((legible(message) + "\n").c_str(), stderr); }

std::string legible(std::string_view message) {
  std::string result;
  for (size_t at = 0; at < message.size();) {
    if (message[at] == ' ') {
      result += message[at++];
      continue;
    }
    size_t count = 0, kept = 0;  // characters of this piece; bytes of `result` that hold the first ones
    for (; at < message.size() && message[at] != ' '; ++count) {
      Character next = first_character(message.substr(at));
      at += next.bytes;
      if (count < kLongestPiece) result += next.shown;
      if (count < kPieceShown) kept = result.size();
    }
    if (count > kLongestPiece) result.resize(kept), result += "...";
  }
  return without_middle(result);
}

void require_place(const std::string& option, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  if (path.empty() || (!fs::is_directory(path, failed) && (folder.empty() || fs::is_directory(folder, failed)))) return;
  throw InputError(fmt::format("{} must be a file in a folder that exists; got \"{}\"", option, path));
}

void require_apart(const std::string& option, const std::string& path, const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  std::error_code failed;  // what does not exist or cannot be read is refused elsewhere
  const fs::path to = fs::weakly_canonical(path, failed);
  for (const std::string& input : inputs) {
    const fs::path read = fs::weakly_canonical(input, failed);
    if (path.empty() || input.empty()) continue;
    fs::path at = to;  // and the folders that it lies in
    while (at != read && at.has_relative_path()) at = at.parent_path();
    if (at != read) continue;
    throw InputError(
        fmt::format("{} must be a file apart from what is read; got \"{}\", and reads \"{}\"", option, path, input));
  }
}

}  // namespace heed::app
