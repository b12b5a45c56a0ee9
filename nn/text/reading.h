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
#include <fstream>
#include <istream>
#include <optional>
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

// The lines of a file, one at a time. Errors: as of LineReader, and a file that cannot be opened.
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

// Pairs one at a time, in the memory of one pair: a corpus too large to hold as text is read twice, once to learn the
// words and once to turn them into numbers. Pairs with a blank side are left out and counted; a line with text but
// without TAB is an error, and so are parallel files of unequal length (said at the end of the shorter one) and files
// without a single pair (said at the end).
//
//   PairFile file(source_path, target_path);
//   for (SentencePair pair; file.next(pair);) words.add(tokenizer.split(pair.source));
class PairFile {
 public:
  explicit PairFile(const std::string& path, ReadOptions options = {});  // source TAB target
  PairFile(const std::string& source_path, const std::string& target_path, ReadOptions options = {});  // parallel

  bool next(SentencePair& pair);  // false at the end
  int64_t pairs() const { return pairs_; }
  int64_t blank() const { return blank_; }  // lines left out so far

 private:
  bool next_line(SentencePair& pair);  // the next line, blank or not

  LineFile first_;
  std::optional<LineFile> second_;
  std::string path_;  // of the first, for messages
  ReadOptions options_;
  int64_t pairs_ = 0, blank_ = 0;
};

// Every line, blank ones too, so that answers can be given line by line. An empty file is an error.
std::vector<std::string> read_lines(const std::string& path, ReadOptions options = {});

// All of a PairFile.
Pairs read_pairs(const std::string& path, ReadOptions options = {});
Pairs read_parallel(const std::string& source_path, const std::string& target_path, ReadOptions options = {});

}  // namespace heed::text
