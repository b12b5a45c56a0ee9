// Files that exist completely or not at all. The contents are written to a temporary file in the same folder, flushed
// to the disk and then renamed over the target, so a crash, a full disk or Ctrl-C leaves the old file as it was.
//
//   io::make_folder("out/02");
//   io::atomic_write("out/02/result.json", text);
//   std::string text = io::read_file(path);
//
// Every failure is an IoError of one sentence with the reason that the system gives:
//   write: cannot write "out/02/result.json": No space left on device
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::io {

// For contents too large for one string. Nothing appears under `path` before commit(); without it, the destructor
// deletes the temporary file (temporary.h). A target that is a device or a pipe (/dev/stdout, /dev/null) is written to
// directly, never replaced.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();  // flush, fsync, rename

 private:
  [[noreturn]] void fail(int error);
  void discard();

  std::string path_;    // as the user wrote it, for error messages
  std::string target_;  // with symbolic links resolved
  std::string temporary_;
  int file_ = -1;
};

void atomic_write(const std::string& path, std::string_view contents);
// A regular file, or a link to one. A pipe or a device is refused at once, because reading it could wait for ever: text
// that may come from a pipe is read by nn/text/reading.h.
std::string read_file(const std::string& path);
std::string read_start(const std::string& path, std::size_t bytes);  // the same, but at most the first `bytes`
// Also creates its parent folders; a folder that already exists is not an error.
void make_folder(const std::string& path);
// False only if nothing is there. IoError if the system cannot tell: a folder that may not be searched, a path that is
// too long, a loop of links. (std::filesystem::exists throws an exception of its own then.)
bool exists(const std::string& path);
bool is_folder(const std::string& path);  // IoError in the same cases

// Throw these IoErrors, for code that makes its own system calls. `error` is an errno.
[[noreturn]] void cannot_read(const std::string& path, int error);
[[noreturn]] void cannot_write(const std::string& path, int error);
[[noreturn]] void cannot_make_folder(const std::string& path, int error);

}  // namespace heed::io
