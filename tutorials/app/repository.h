// Downloads a model by its public name, and checks the size and digest of each file.
//
//   GET <endpoint>/api/models/NAME?blobs=true     the list: names, sizes, digests, and the commit that it is of
//   GET <endpoint>/NAME/resolve/COMMIT/FILE       a file of that commit
//
// Of a model heed takes its json, txt, model and safetensors files, in sub-folders too (1_Pooling/config.json), but
// never a pickle or code, and no weights that are for other programs (kElsewhere).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::app {

struct RemoteFile {
  std::string name;    // relative to the folder, without ..
  int64_t size = 0;    // bytes
  std::string digest;  // hexadecimal; SHA-256 of the file, or git's SHA-1 of it ("blob SIZE\0" and the file); "": none
};
struct Repository {
  std::string endpoint, token;  // of the environment: HF_ENDPOINT, HF_TOKEN
  std::string name, commit = "main";
  std::vector<RemoteFile> files;
  int64_t size() const;  // of all files
};

// InputError for a name that cannot be one, for a model that is not there or closed, for names of files that would lead
// out of a folder, and where there are no safetensors.
Repository find_repository(const std::string& name);

bool is_whole(const RemoteFile& file, const std::string& path);  // size and digest; false if it is not there
int64_t bytes_there(const std::string& path);                    // 0 if nothing is there
// path.part grows until it is whole, and then becomes the file `path`. What an earlier call has left is continued.
void download(const Repository& from, const RemoteFile& file, const std::string& path);

std::string shown_size(int64_t bytes);  // 91.2 MB

}  // namespace heed::app
