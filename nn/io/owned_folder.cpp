#include "nn/io/owned_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/io/temporary.h"
#include "tensor/error.h"

namespace heed::io {
namespace {

constexpr const char* kLock = "lock";
constexpr std::string_view kMark = "This folder belongs to ", kMarkEnd = ".\n";
constexpr size_t kHead = 1 << 16;  // the search for a title or metadata reads this many bytes of a file

struct PageTitle {
  std::string_view file, title, owner;
};
constexpr std::array<PageTitle, 5> kPages = {{{"report.html", "heed translate", "heed translate"},
                                              {"report.html", "heed train", "heed train"},
                                              {"report.html", "The museum of bugs", "heed museum"},
                                              {"report.html", "The league of attention", "heed attention --league"},
                                              {"index.html", "heed: a course on attention", "heed course"}}};

std::string join(const std::string& folder, std::string_view name) { return fmt::format("{}/{}", folder, name); }

// True for pages and drawings that heed wrote, by what is near their beginning.
bool made_by_heed(const std::string& path) {
  std::string head = read_start(path, kHead);
  if (path.ends_with(".svg")) return head.starts_with("<svg ") && head.find("class=\"heed-drawing\"") < 200;
  return path.ends_with(".html") && head.starts_with("<!doctype html>") &&
         head.find("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'") < 400;
}

// The value of a key of the JSON object in the file; null if there is no such file, object or key.
Json member(const std::string& path, const char* key) {
  if (!exists(path)) return {};
  try {
    const Json json = parse(read_file(path), path);
    const Json* found = json.find(key);
    return found ? *found : Json();
  } catch (const IoError&) { return {}; }
}

// The owner of a folder without a mark, from its files; "" if they do not tell.
std::string recognised(const std::string& folder) {
  if (member(join(folder, "config.json"), "options").is_object()) return "heed train";
  if (member(join(folder, "league.json"), "sizes").is_object()) return "heed attention --compare";
  Json lesson = member(join(folder, "result.json"), "lesson");
  if (lesson.is_string()) return "lesson " + lesson.as_string();
  for (const PageTitle& page : kPages) {
    const std::string path = join(folder, page.file);
    if (!exists(path) || !made_by_heed(path)) continue;
    if (read_start(path, kHead).find(fmt::format("<title>{}</title>", page.title)) != std::string::npos)
      return std::string(page.owner);
  }
  const std::string model = join(folder, "model.safetensors");
  if (!exists(model)) return "";
  const std::string head = read_start(model, kHead);
  if (head.find("\"heed.complete\":") != std::string::npos) return "heed translate";
  if (head.find("\"heed.kind\":\"sentence encoder") != std::string::npos) return "lesson 25_cls_and_masked_words";
  if (head.find("\"heed.mine\":") != std::string::npos) return "heed translate --mine";
  return head.find("\"heed.kind\":\"translator") != std::string::npos ? "heed train" : "";
}

// Refuses pipes and devices: opening a pipe could wait for ever, and reading a device could never end.
void require_regular(const std::string& folder, const FolderKind& kind) {
  std::vector<std::string> names = kind.files;
  if (kind.marked) names.emplace_back(kLock);
  for (const std::string& name : names) {
    struct stat info {};
    const std::string path = join(folder, name);
    if (!exists(path) || (stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))) continue;
    throw IoError(fmt::format("{}: a folder for results must hold regular files; got \"{}\", {}; hint: {}",
                              kind.command, path, S_ISDIR(info.st_mode) ? "a folder" : "a pipe or a device",
                              kind.hint));
  }
}

[[noreturn]] void refuse_foreign(const std::string& path, const FolderKind& kind) {
  throw IoError(fmt::format("{}: a file that heed did not write is never replaced; got \"{}\"; hint: {}", kind.command,
                            path, kind.hint));
}

// The owner in the mark; "" if there is no mark yet: the file `lock` is missing, or still empty.
std::string marked(const std::string& folder, const FolderKind& kind) {
  const std::string path = join(folder, kLock);
  if (!exists(path)) return "";
  const std::string text = read_start(path, kHead);
  if (text.empty()) return "";
  if (text.starts_with(kMark) && text.ends_with(kMarkEnd))
    return text.substr(kMark.size(), text.size() - kMark.size() - kMarkEnd.size());
  refuse_foreign(path, kind);
}

[[noreturn]] void refuse_busy(const std::string& folder, const FolderKind& kind) {
  throw IoError(fmt::format("{}: a folder takes one writer at a time; got \"{}\", where another is at work; hint: {}",
                            kind.command, folder, kind.hint));
}

// Opens the file to lock: `lock`, or the folder itself if the kind has no mark.
int open_lock(const std::string& folder, bool marked, int flags) {
  const std::string path = marked ? join(folder, kLock) : folder;
  return open(path.c_str(), (marked ? flags : O_RDONLY | O_DIRECTORY) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
}

// False if another process holds the lock. True on a file system without locks. There are several attempts, because
// require_own of another process takes the lock for a moment.
bool take(int lock, int operation) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    if (flock(lock, operation | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    usleep(20000);
  }
  return false;
}

void require_files_own(const std::string& folder, const FolderKind& kind) {
  require_regular(folder, kind);
  std::string owner = kind.marked ? marked(folder, kind) : "";
  if (owner.empty() && kind.marked) owner = recognised(folder);
  if (kind.marked && owner == kind.owner) return;
  if (!owner.empty())
    throw IoError(
        fmt::format("{}: a folder keeps the results of one command; got \"{}\", which belongs to {}; hint: {}",
                    kind.command, folder, owner, kind.hint));
  for (const std::string& name : kind.files)
    if (const std::string path = join(folder, name); exists(path) && !made_by_heed(path)) refuse_foreign(path, kind);
}

}  // namespace

void require_own(const std::string& path, const FolderKind& kind) {
  if (path.empty()) throw IoError("write: a folder name must not be empty; got \"\"");
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) cannot_make_folder(path, errno);
    return;
  }
  if (!S_ISDIR(info.st_mode)) cannot_make_folder(path, EEXIST);
  require_files_own(path, kind);
  int lock = open_lock(path, kind.marked, O_RDONLY);
  if (lock < 0) return;  // nobody has used the folder yet
  bool free = take(lock, LOCK_SH);
  close(lock);
  if (!free) refuse_busy(path, kind);
}

OwnedFolder::OwnedFolder(std::string path, const FolderKind& kind) : path_(std::move(path)) {
  require_own(path_, kind);
  make_folder(path_);
  lock_ = open_lock(path_, kind.marked, O_RDWR | O_CREAT);
  if (lock_ < 0) cannot_write(kind.marked ? file(kLock) : path_, errno);
  try {
    if (!take(lock_, LOCK_EX)) refuse_busy(path_, kind);
    require_files_own(path_, kind);  // again: another command may have written since require_own
    clear_temporaries(path_, true);
    Temporary probe = create_temporary(path_);  // if no file can be created here, say so before the work
    if (probe.file < 0) cannot_write(path_, errno);
    unlink(probe.path.c_str());
    close(probe.file);
    const std::string mark = fmt::format("{}{}{}", kMark, kind.owner, kMarkEnd);
    if (!kind.marked || marked(path_, kind) == kind.owner) return;
    if (pwrite(lock_, mark.data(), mark.size(), 0) != std::ssize(mark))
      cannot_write(file(kLock), errno ? errno : ENOSPC);
  } catch (...) {
    close(lock_);
    throw;
  }
}

OwnedFolder::~OwnedFolder() { close(lock_); }

}  // namespace heed::io
