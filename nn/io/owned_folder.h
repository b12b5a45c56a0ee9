// A folder has one owner: the command that first wrote into it. Nobody else writes there, so a slip of the keyboard
// (`--out run` where `--model run` was meant) cannot replace a trained model.
//
//   FolderKind kind{.command = "translate", .owner = "heed translate", .files = {"model.safetensors", "report.html"}};
//   require_own(out, kind);          // before the work: IoError if the folder belongs to somebody else
//   OwnedFolder folder(out, kind);   // the same, then created, locked and marked
//
// The mark is the text of the file `lock`: "This folder belongs to heed translate." The lock is flock(2) on that file,
// so it ends with its process, however that ends. A folder without a mark is recognised by its files:
//
//   config.json with "options"          heed train
//   league.json with "sizes"            heed attention --compare
//   result.json with "lesson"           that lesson
//   report.html, index.html             by the title of the page
//   model.safetensors                   by its metadata
//
// In any other folder we may write if no file that we would replace exists, or if all of those are pages and drawings
// that heed made. Every refusal is one sentence, made before anything is touched.
#pragma once

#include <string>
#include <vector>

namespace heed::io {

struct FolderKind {
  std::string command;             // begins each sentence: "translate"
  std::string owner;               // "heed translate", "lesson 02_derivatives": for users, and for the mark
  std::vector<std::string> files;  // all that may be written or replaced, relative to the folder
  std::string hint = "--out names another folder";
  bool marked = true;  // false: `files` are written among files of others, so no mark; the folder itself is locked
};

void require_own(const std::string& path, const FolderKind& kind);

class OwnedFolder {
 public:
  OwnedFolder(std::string path, const FolderKind& kind);  // also deletes what dead writers left (temporary.h)
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
