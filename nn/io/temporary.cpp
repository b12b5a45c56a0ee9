#include "nn/io/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>

namespace heed::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBefore = ".heed-", kAfter = ".tmp";
constexpr std::time_t kForgotten = 600;  // seconds without a write, after which a file counts as forgotten

uint64_t random_bits() {
  std::random_device device;
  return (uint64_t{device()} << 32) ^ device();
}

bool is_temporary(std::string_view name) {
  if (name.size() <= kBefore.size() + kAfter.size() || !name.starts_with(kBefore) || !name.ends_with(kAfter))
    return false;
  std::string_view middle = name.substr(kBefore.size(), name.size() - kBefore.size() - kAfter.size());
  return middle.size() == 16 && middle.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void clear(const std::string& path, bool held) {
  int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return;
  struct stat info {};
  bool ours = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  bool old = held || info.st_mtime + kForgotten < std::time(nullptr);
  if (ours && old && flock(file, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  close(file);
}

}  // namespace

Temporary create_temporary(const std::string& folder) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string path = (fs::path(folder) / fmt::format("{}{:016x}{}", kBefore, random_bits(), kAfter)).string();
    int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) return {};
    // Between open and flock, another writer may think that this file has no writer: it then holds the lock, or has
    // deleted the file, and we take another name. On a file system without locks errno is another one, and no writer
    // deletes files.
    bool taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat info {};
    if (!taken && fstat(file, &info) == 0 && info.st_nlink > 0) return {path, file};
    close(file);
  }
  errno = EEXIST;
  return {};
}

void clear_temporaries(const std::string& folder, bool held) {
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
  for (; !error && entry != end; entry.increment(error))
    if (is_temporary(entry->path().filename().string())) clear(entry->path().string(), held);
}

}  // namespace heed::io
