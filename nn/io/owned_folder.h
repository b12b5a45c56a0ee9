// A folder for results has one owner: the command that first wrote into it. No other command writes there, so a mistake
// on the command line (`--out run` instead of `--model run`) cannot replace a trained model.
//
//   FolderKind kind{.command = "translate", .owner = "heed translate", .files = {"model.safetensors", "report.html"}};
//   require_own(out, kind);          // before the work: IoError if another command owns the folder or writes to it
//   OwnedFolder folder(out, kind);   // the same; then creates, locks and marks the folder
//
// The mark is the text of the file `lock`: "This folder belongs to heed translate." The lock is flock(2) on that file,
// so the system releases it when the process ends, for whatever reason. The owner of a folder without a mark is
// recognised by its files:
//
//   config.json with "options"          heed train
//   league.json with "sizes"            heed attention --compare
//   result.json with "lesson"           that lesson
//   report.html, index.html             the owner follows from the title of the page
//   model.safetensors                   the owner follows from the metadata
//
// In any other folder a command may write if none of its files exist there, or if those that exist are pages or
// drawings made by heed. A refusal is one sentence, before any file is written.
#pragma once

#include <string>
#include <vector>

namespace heed::io {

struct FolderKind {
  std::string command;             // error messages begin with it: "translate"
  std::string owner;               // as in the mark and in messages: "heed translate", "lesson 02_derivatives"
  std::vector<std::string> files;  // all that may be written or replaced, relative to the folder
  std::string hint = "--out names another folder";
  bool marked = true;  // false: there may be other files beside `files`, so no mark; the folder itself is locked
};

void require_own(const std::string& path, const FolderKind& kind);

class OwnedFolder {
 public:
  OwnedFolder(std::string path, const FolderKind& kind);  // also deletes temporary files of dead writers
  ~OwnedFolder();
  OwnedFolder(const OwnedFolder&) = delete;
  OwnedFolder& operator=(const OwnedFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace heed::io
