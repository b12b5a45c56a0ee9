// heed get: a published model by its public name, as a folder that the other commands open.
//
//   heed get sentence-transformers/all-MiniLM-L6-v2
//   heed embed --model out/models/sentence-transformers/all-MiniLM-L6-v2 < sentences.txt
//
// clang-format off
//   DIR.part/                    while it is downloaded
//     config.json                a file that is whole has its name
//     model.safetensors.part     a file that is begun
//   DIR/                         when all is whole: one rename, so nobody opens half a model
// clang-format on
//
// A download that was broken off continues when the command is given again. Every file is checked: its size, and its
// SHA-256, or for small ones git's SHA-1.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>

#include "nn/io/file.h"
#include "nn/io/owned_folder.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/repository.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

namespace fs = std::filesystem;

bool is_empty_folder(const std::string& path) {
  std::error_code error;
  return fs::is_empty(path, error) && !error;
}

bool all_whole(const Repository& model, const std::string& folder) {
  for (const RemoteFile& one : model.files)
    if (!is_whole(one, folder + "/" + one.name)) return false;
  return true;
}

// A folder of that name, from an earlier revision or of somebody else, must not become a part of this model.
void require_only_its_files(const Repository& model, const std::string& folder) {
  std::set<std::string> names;
  for (const RemoteFile& one : model.files) names.insert({one.name, one.name + ".part"});
  if (!io::is_folder(folder)) return;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_directory() && !entry.is_symlink()) continue;
    if (!names.contains(name) || !entry.is_regular_file() || entry.is_symlink())
      throw InputError(
          fmt::format("get: the folder \"{}\" must have files of {} alone; got {}; hint: remove the folder, "
                      "or --out",
                      folder, model.name, name));
  }
}

void require_space(const std::string& folder, int64_t bytes) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (!error && space.available < static_cast<uintmax_t>(bytes))
    throw InputError(fmt::format("get: the disk must have room for {}; got {} at \"{}\"; hint: --out",
                                 shown_size(bytes), shown_size(static_cast<int64_t>(space.available)), folder));
}

bool agreed() {
  fmt::print(stderr, "Download it? [Y/n] ");
  std::string answer;
  if (!std::getline(std::cin, answer)) return false;
  return answer.empty() || answer[0] == 'y' || answer[0] == 'Y';
}

}  // namespace

int get_main(int argc, char** argv) {
  std::string name, out;
  bool yes = false;
  Options options("heed get", "Downloads a published model by its name and prints the folder that it is in.");
  options.positional("NAME", &name, "its name at Hugging Face, as in sentence-transformers/all-MiniLM-L6-v2")
      .required();
  options.add("--out", &out, "folder for the model; default: out/models/NAME").placeholder("DIR");
  options.flag("--yes", &yes, "do not ask before the download; where standard input is no terminal, it never asks");
  options.epilogue(
      "It needs the program curl, and takes json, txt, model and safetensors files,\n"
      "never a pickle. A download that was broken off continues with the same\n"
      "command.\n"
      "HF_TOKEN: an access token, for models that need one.\n"
      "HF_ENDPOINT: another server, in the place of https://huggingface.co.");
  options.parse(argc, argv);
  if (out.empty()) out = "out/models/" + name;
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  const Repository model = find_repository(name);
  if (io::exists(out) && !is_empty_folder(out)) {
    if (!io::is_folder(out) || !all_whole(model, out))
      throw InputError(
          fmt::format("get: --out must be a new folder; got \"{}\", which is not this model as it is at {}; "
                      "hint: --out names another folder",
                      out, model.endpoint));
    say(fmt::format("get: {} is whole", out));
    fmt::print("{}\n", out);
    return 0;
  }
  const std::string staging = out + ".part";
  require_only_its_files(model, staging);
  int64_t missing = model.size();
  for (const RemoteFile& one : model.files)
    missing -= std::max(bytes_there(staging + "/" + one.name), bytes_there(staging + "/" + one.name + ".part"));
  say(fmt::format("get: {}: {} files, {}{}, into {}", name, model.files.size(), shown_size(model.size()),
                  missing < model.size() ? fmt::format(" ({} to go)", shown_size(std::max<int64_t>(missing, 0))) : "",
                  out));
  if (!yes && isatty(0) && isatty(2) && !agreed())
    throw InputError("get: nothing was downloaded; got another answer than y");

  const io::OwnedFolder folder(staging, {.command = "get", .owner = "heed get", .files = {}, .marked = false});
  require_space(staging, missing);
  for (const RemoteFile& one : model.files) {
    const std::string path = folder.file(one.name);
    io::make_folder(fs::path(path).parent_path().string());
    if (is_whole(one, path)) continue;
    download(model, one, path);
    if (one.digest.empty())
      say(fmt::format("get: {}: the server has no digest of it, only its size was checked", one.name));
  }
  require_only_its_files(model, staging);
  if (rename(staging.c_str(), out.c_str()) != 0) io::cannot_write(out, errno);
  fmt::print("{}\n", out);
  return 0;
}

}  // namespace heed::app
