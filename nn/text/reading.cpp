// Reads one byte at a time from the stream's buffer. That is fast enough for files of gigabytes, never waits for more
// than one line, and never stores more of a line than the limit.
#include "nn/text/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

constexpr size_t longest_line = size_t{64} << 20;
constexpr size_t shown_path = 4096;
constexpr int end_of_file = std::char_traits<char>::eof();

// A file stream throws when the system cannot read; standard input only notes it, and looks as if it were at its end.
int next_byte(std::streambuf* buffer) {
  int c = buffer->sbumpc();
  if (c == end_of_file && buffer == std::cin.rdbuf() && std::ferror(stdin) != 0)
    throw std::ios_base::failure("standard input");
  return c;
}

// The reason comes from errno, which the failed open has set.
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

bool reached(ReadOptions options, int64_t count) { return options.limit > 0 && count >= options.limit; }

Pairs all_of(PairFile& file) {
  Pairs read;
  for (SentencePair pair; file.next(pair);) read.pairs.push_back(std::move(pair));
  read.blank = file.blank();
  return read;
}

}  // namespace

bool LineReader::next_bytes(std::string& line) {
  line.clear();
  std::streambuf* buffer = stream_.rdbuf();
  int c = next_byte(buffer);
  if (c == end_of_file) return false;
  ++number_;
  for (; c != end_of_file && c != '\n'; c = next_byte(buffer)) {
    if (c == 0)
      throw IoError(fmt::format("read: a text file must not hold NUL bytes; got one in line {} of {}, byte {}", number_,
                                name_, line.size() + 1));
    if (line.size() == longest_line)
      throw IoError(fmt::format("read: a line must be at most {} MiB; got more in line {} of {}", longest_line >> 20,
                                number_, name_));
    line += static_cast<char>(c);
    if (number_ == 1 && line.size() == 2 && (line == "\xFF\xFE" || line == "\xFE\xFF"))
      throw IoError(
          fmt::format("read: text must be UTF-8; got UTF-16 in {}; convert it with iconv -f UTF-16 -t UTF-8", name_));
  }
  return true;
}

bool LineReader::next(std::string& line) {
  try {
    errno = 0;
    const bool more = next_bytes(line);
#ifdef _LIBCPP_VERSION  // its file buffer takes an error for the end of the file
    if (errno == EIO || errno == EISDIR || errno == ESTALE) throw std::ios_base::failure("read");
#endif
    if (!more) return false;
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

LineFile::LineFile(const std::string& path) : file_(open(path)), reader_(file_, in_quotes(path, shown_path)) {}

PairFile::PairFile(const std::string& path, ReadOptions options) : first_(path), path_(path), options_(options) {}

PairFile::PairFile(const std::string& source_path, const std::string& target_path, ReadOptions options)
    : first_(source_path), path_(source_path), options_(options) {
  second_.emplace(target_path);
}

bool PairFile::next_line(SentencePair& pair) {
  bool more = first_.next(pair.source);
  if (second_) {
    if (more != second_->next(pair.target)) {  // read both to the end, because the error message states both counts
      while (first_.next(pair.source)) {}
      while (second_->next(pair.target)) {}
      throw IoError(fmt::format("read: parallel files must have the same number of lines; got {} in {} and {} in {}",
                                first_.line_number(), first_.name(), second_->line_number(), second_->name()));
    }
    return more;
  }
  if (!more) return false;
  const std::string& line = pair.source;
  size_t tab = line.find('\t');
  if (tab == std::string::npos) {
    if (!is_blank(line))
      throw IoError(fmt::format("read: every line must be source TAB target; got one column in line {} of {}: {}",
                                first_.line_number(), first_.name(), in_quotes(line)));
    pair.target.clear();
    return true;
  }
  size_t end = std::min(line.find('\t', tab + 1), line.size());
  pair.target = line.substr(tab + 1, end - tab - 1);
  pair.source.resize(tab);
  return true;
}

bool PairFile::next(SentencePair& pair) {
  if (reached(options_, pairs_)) return false;
  while (next_line(pair)) {
    if (!is_blank(pair.source) && !is_blank(pair.target)) {
      ++pairs_;
      return true;
    }
    ++blank_;  // a pair with a blank side is useless for training
  }
  if (pairs_ > 0) return false;
  if (blank_ == 0) refuse_empty(path_);
  throw IoError(fmt::format("read: there must be a line with text on both sides; got {} with {} blank line{}",
                            in_quotes(path_, shown_path), blank_, blank_ == 1 ? "" : "s"));
}

std::vector<std::string> read_lines(const std::string& path, ReadOptions options) {
  LineFile file(path);
  std::vector<std::string> lines;
  for (std::string line; !reached(options, static_cast<int64_t>(lines.size())) && file.next(line);)
    lines.push_back(std::move(line));
  if (lines.empty()) refuse_empty(path);
  return lines;
}

Pairs read_pairs(const std::string& path, ReadOptions options) {
  PairFile file(path, options);
  return all_of(file);
}

Pairs read_parallel(const std::string& source_path, const std::string& target_path, ReadOptions options) {
  PairFile file(source_path, target_path, options);
  return all_of(file);
}

}  // namespace heed::text
