// The user's text files, read line by line. Whatever is wrong with one is an IoError of one sentence that says where.
//
//   lines      one sentence a line
//   pairs      source TAB target [TAB anything]: further columns (Tatoeba's licence, a score) are ignored
//   parallel   two files of as many lines; line i of one translates line i of the other
//
// Text is UTF-8. A byte order mark at the start and a carriage return at the end of a line (Windows) are removed, the
// last line needs no line end. Binary files (NUL bytes), other encodings and lines of more than 64 MiB are refused.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace heed::text {

// Reads a stream as its text arrives: a prompt or a pipe is answered line by line.
class LineReader {
 public:
  // `name` is what messages call the stream: a quoted path or "standard input". The stream must outlive the reader.
  LineReader(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {}

  bool next(std::string& line);                    // false at the end; the line without its end
  int64_t line_number() const { return number_; }  // of the line read last, from 1
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
  int64_t blank = 0;  // lines left out because one side, or both, was empty or white space
};

struct ReadOptions {
  int64_t limit = 0;  // stop after so many lines or pairs; 0: read everything
};

// Every line, blank ones too, so that answers can be given line by line. An empty file is an error.
std::vector<std::string> read_lines(const std::string& path, ReadOptions options = {});

// Pairs with a blank side are left out and counted; a line with text but without TAB is an error, and so is a file
// without a single pair.
Pairs read_pairs(const std::string& path, ReadOptions options = {});
Pairs read_parallel(const std::string& source_path, const std::string& target_path, ReadOptions options = {});

}  // namespace heed::text
