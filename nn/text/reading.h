// The user's text files, read line by line. Every error in a file is an IoError of one sentence that says where it is.
//
// clang-format off
//   lines      one sentence per line
//   pairs      source TAB target; further columns (Tatoeba's licence, a score) are ignored
//   parallel   two files of the same length; line i of one translates line i of the other
// clang-format on
//
// Text is UTF-8. A byte order mark at the start and a carriage return at the end of a line (Windows) are removed, and
// the last line needs no newline. Binary files (NUL bytes), other encodings and lines of more than 64 MiB are refused.
#pragma once

#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace heed::text {

// Reads a stream as its text arrives, so that a program can answer a prompt or a pipe line by line.
class LineReader {
 public:
  // `name` is what error messages call the stream: a quoted path or "standard input". The stream must outlive the
  // reader.
  LineReader(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {}

  bool next(std::string& line);                    // false at the end; the line does not include its newline
  int64_t line_number() const { return number_; }  // number of the last line read, from 1
  const std::string& name() const { return name_; }

 private:
  bool next_bytes(std::string& line);

  std::istream& stream_;
  std::string name_;
  int64_t number_ = 0;
};

struct SentencePair {
  std::string source, target;
};

struct Pairs {
  std::vector<SentencePair> pairs;
  int64_t blank = 0;  // number of lines left out because one side, or both, was empty or white space
};

struct ReadOptions {
  int64_t limit = 0;  // stop after this many lines or pairs; 0: read everything
};

// The lines of a file, one at a time. Errors: those of LineReader, and a file that cannot be opened.
class LineFile {
 public:
  explicit LineFile(const std::string& path);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  bool next(std::string& line) { return reader_.next(line); }  // false at the end
  int64_t line_number() const { return reader_.line_number(); }
  const std::string& name() const { return reader_.name(); }

 private:
  std::ifstream file_;
  LineReader reader_;
};

// Pairs one at a time, with one pair in memory. A corpus that is too large for memory is read twice: once to collect
// the words, and once to convert them to ids. Pairs with a blank side are left out and counted. These are errors: a
// line with text but without TAB, parallel files of different lengths (detected when the shorter one ends), and files
// without a single pair (detected at the end).
//
//   PairFile file(source_path, target_path);
//   for (SentencePair pair; file.next(pair);) words.add(tokenizer.split(pair.source));
class PairFile {
 public:
  explicit PairFile(const std::string& path, ReadOptions options = {});  // source TAB target
  PairFile(const std::string& source_path, const std::string& target_path, ReadOptions options = {});  // parallel

  bool next(SentencePair& pair);  // false at the end
  int64_t pairs() const { return pairs_; }
  int64_t blank() const { return blank_; }  // number of lines left out so far

 private:
  bool next_line(SentencePair& pair);  // the next line, blank or not

  LineFile first_;
  std::optional<LineFile> second_;
  std::string path_;  // of the first file, for error messages
  ReadOptions options_;
  int64_t pairs_ = 0, blank_ = 0;
};

// Every line, blank ones too, so that a caller can answer line by line. An empty file is an error.
std::vector<std::string> read_lines(const std::string& path, ReadOptions options = {});

// All pairs of a PairFile.
Pairs read_pairs(const std::string& path, ReadOptions options = {});
Pairs read_parallel(const std::string& source_path, const std::string& target_path, ReadOptions options = {});

}  // namespace heed::text
