// One byte at a time from the stream's buffer: quick enough for files of gigabytes, and it never waits for more than a
// line, nor keeps more than one that is too long.
#include "nn/text/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

constexpr size_t longest_line = size_t{64} << 20;
constexpr size_t shown_path = 4096;

// The reason is taken from errno, which the failed open has set.
std::ifstream open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw IoError(fmt::format("read: a file is needed; got the folder {}", in_quotes(path, shown_path)));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw IoError(fmt::format("read: the file must exist and be readable; got {} ({})", in_quotes(path, shown_path),
                              std::strerror(errno ? errno : EIO)));
  return file;
}

[[noreturn]] void refuse_empty(const std::string& path) {
  throw IoError(fmt::format("read: the file must not be empty; got {}", in_quotes(path, shown_path)));
}

// A file without pairs: either without a byte, or blank throughout.
void require_pairs(const Pairs& read, const std::string& path) {
  if (!read.pairs.empty()) return;
  if (read.blank == 0) refuse_empty(path);
  throw IoError(fmt::format("read: there must be a line with text on both sides; got {} with {} blank line{}",
                            in_quotes(path, shown_path), read.blank, read.blank == 1 ? "" : "s"));
}

// One rule for both layouts: a pair with a blank side teaches nothing.
void add_pair(Pairs& read, std::string source, std::string target) {
  if (is_blank(source) || is_blank(target))
    ++read.blank;
  else
    read.pairs.push_back({std::move(source), std::move(target)});
}

bool reached(ReadOptions options, size_t count) {
  return options.limit > 0 && count >= static_cast<size_t>(options.limit);
}

}  // namespace

bool LineReader::next_bytes(std::string& line) {
  line.clear();
  std::streambuf* buffer = stream_.rdbuf();
  constexpr int end_of_file = std::char_traits<char>::eof();
  int c = buffer->sbumpc();
  if (c == end_of_file) return false;
  ++number_;
  for (; c != end_of_file && c != '\n'; c = buffer->sbumpc()) {
    if (c == 0)
      throw IoError(fmt::format("read: a text file must not hold NUL bytes; got one in line {} of {}, byte {}", number_,
                                name_, line.size() + 1));
    if (line.size() == longest_line)
      throw IoError(fmt::format("read: a line must be at most {} MiB; got more in line {} of {}", longest_line >> 20,
                                number_, name_));
    line += static_cast<char>(c);
    if (number_ == 1 && (line == "\xFF\xFE" || line == "\xFE\xFF"))
      throw IoError(
          fmt::format("read: text must be UTF-8; got UTF-16 in {}; convert it with iconv -f UTF-16 -t UTF-8", name_));
  }
  return true;
}

bool LineReader::next(std::string& line) {
  try {
    if (!next_bytes(line)) return false;
  } catch (const std::ios_base::failure&) {
    throw IoError(
        fmt::format("read: the file must stay readable; got a read error after line {} of {}", number_, name_));
  }
  size_t skipped = 0;
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, skipped = 3);
  if (line.ends_with('\r')) line.pop_back();
  if (auto bad = invalid_utf8(line))
    throw IoError(
        fmt::format("read: text must be UTF-8; got byte 0x{:02X} in line {} of {}, byte {}; if the file is "
                    "Latin-1, convert it with iconv -f LATIN1 -t UTF-8",
                    static_cast<unsigned char>(line[*bad]), number_, name_, *bad + skipped + 1));
  return true;
}

std::vector<std::string> read_lines(const std::string& path, ReadOptions options) {
  std::ifstream file = open(path);
  LineReader reader(file, in_quotes(path, shown_path));
  std::vector<std::string> lines;
  for (std::string line; !reached(options, lines.size()) && reader.next(line);) lines.push_back(std::move(line));
  if (lines.empty()) refuse_empty(path);
  return lines;
}

Pairs read_pairs(const std::string& path, ReadOptions options) {
  std::ifstream file = open(path);
  LineReader reader(file, in_quotes(path, shown_path));
  Pairs read;
  for (std::string line; !reached(options, read.pairs.size()) && reader.next(line);) {
    size_t tab = line.find('\t');
    if (tab == std::string::npos) {
      if (!is_blank(line))
        throw IoError(fmt::format("read: every line must be source TAB target; got one column in line {} of {}: {}",
                                  reader.line_number(), reader.name(), in_quotes(line)));
      ++read.blank;
      continue;
    }
    size_t end = std::min(line.find('\t', tab + 1), line.size());
    add_pair(read, line.substr(0, tab), line.substr(tab + 1, end - tab - 1));
  }
  require_pairs(read, path);
  return read;
}

Pairs read_parallel(const std::string& source_path, const std::string& target_path, ReadOptions options) {
  std::ifstream source_file = open(source_path), target_file = open(target_path);
  LineReader source_reader(source_file, in_quotes(source_path, shown_path));
  LineReader target_reader(target_file, in_quotes(target_path, shown_path));
  Pairs read;
  std::string source, target;
  while (!reached(options, read.pairs.size())) {
    bool more_source = source_reader.next(source), more_target = target_reader.next(target);
    if (more_source != more_target) {  // count both to the end: the numbers tell what went wrong
      while (source_reader.next(source)) {}
      while (target_reader.next(target)) {}
      throw IoError(fmt::format("read: parallel files must have as many lines; got {} in {} and {} in {}",
                                source_reader.line_number(), source_reader.name(), target_reader.line_number(),
                                target_reader.name()));
    }
    if (!more_source) break;
    add_pair(read, std::move(source), std::move(target));
  }
  require_pairs(read, source_path);
  return read;
}

}  // namespace heed::text
