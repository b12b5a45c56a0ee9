#include "tutorials/app/repository.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/train/progress.h"
#include "tensor/error.h"
#include "tutorials/app/curl.h"
#include "tutorials/app/digest.h"

namespace heed::app {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {".json", ".txt", ".model", ".safetensors"};
// Folders with the same weights for other programs.
constexpr std::array<std::string_view, 5> kElsewhere = {"onnx/", "openvino/", "coreml/", "original/", "gguf/"};
constexpr int64_t kLargest = int64_t{1} << 50;
constexpr size_t kLongestReply = size_t{64} << 20;
constexpr int kAttempts = 20;  // of a file whose connection breaks, as long as each brings some of it

[[noreturn]] void refuse_get(const std::string& sentence) { throw InputError("get: " + sentence); }

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

bool plain_part(std::string_view part) {  // of a name: letters, digits, . _ -
  const bool known = std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-';
  });
  return known && !part.empty() && part.size() <= 96 && part.front() != '.' && part.front() != '-' &&
         part.find("..") == std::string_view::npos;
}

void require_name(const std::string& name) {
  const size_t slash = name.find('/');
  const bool fine = slash == std::string::npos ? plain_part(name)
                                               : plain_part(std::string_view(name).substr(0, slash)) &&
                                                     plain_part(std::string_view(name).substr(slash + 1));
  if (!fine)
    refuse_get(
        fmt::format("NAME must be OWNER/MODEL or MODEL, of letters, digits, \".\", \"_\" and \"-\"; got \"{}\"; "
                    "hint: such as sentence-transformers/all-MiniLM-L6-v2",
                    name));
}

// Does the name of a file stay in its folder? What it may be called is for the file system to say.
bool stays_inside(const std::string& name) {
  if (name.empty() || name.size() > 1000 || name.front() == '/' || name.back() == '/') return false;
  for (char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return false;
  const std::string path = "/" + name + "/";
  return path.find("/../") == std::string::npos && path.find("/./") == std::string::npos &&
         path.find("//") == std::string::npos;
}

bool is_taken(const std::string& name) {
  for (std::string_view folder : kElsewhere)
    if (name.starts_with(folder)) return false;
  return std::any_of(kKinds.begin(), kKinds.end(), [&](std::string_view kind) { return name.ends_with(kind); });
}

std::string percent_encoded(const std::string& path) {
  std::string out;
  for (char c : path)
    if (plain_part({&c, 1}) || c == '/' || c == '.' || c == '-')
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
  return out;
}

// Why the server gave nothing. `what`: the model, or a file of it.
[[noreturn]] void refuse_reply(const Repository& r, const std::string& what, const Reply& reply) {
  const std::string page = r.endpoint + "/" + r.name;
  if (reply.http == 404)
    refuse_get(
        fmt::format("{} must be at {}; got 404, there is none; hint: a name has an owner, as in "
                    "sentence-transformers/all-MiniLM-L6-v2",
                    what, r.endpoint));
  if (reply.http == 401)
    refuse_get(
        fmt::format("{} must be open to you; got 401 from {}; hint: either there is none of this name, or it "
                    "needs HF_TOKEN, an access token of your account",
                    what, r.endpoint));
  if (reply.http == 403)
    refuse_get(
        fmt::format("{} must be open to you; got 403, it is gated; hint: accept the conditions at {} and set "
                    "HF_TOKEN to an access token of your account",
                    what, page));
  if (reply.http >= 400) refuse_get(fmt::format("{} must be at {}; got the answer {}", what, r.endpoint, reply.http));
  refuse_get(fmt::format("{} must answer; got curl's {}: {}; hint: the same command continues what is begun",
                         r.endpoint, reply.curl, reply.complaint.empty() ? "no reason" : reply.complaint));
}

RemoteFile file_in(const io::Json& one) {
  RemoteFile file;
  file.name = one.text("rfilename");
  if (!stays_inside(file.name))
    refuse_get(
        fmt::format("the name of a file must stay in the folder of the model; got \"{}\" from the server", file.name));
  if (!is_taken(file.name)) return {};
  const io::Json* stored = one.find("lfs");
  if (stored && !stored->is_object()) stored = nullptr;
  file.size = (stored ? *stored : one).integer("size");
  if (file.size < 0 || file.size > kLargest)
    one.refuse("size", fmt::format("must be a number of bytes; got {}", file.size));
  file.digest = stored ? stored->text("sha256", stored->text("oid", "")) : one.text("blobId", "");
  if (file.digest.starts_with("sha256:")) file.digest = file.digest.substr(7);
  const bool known = file.digest.empty() || file.digest.size() == (stored ? 64 : 40);
  if (!known || file.digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    one.refuse(stored ? "lfs" : "blobId", fmt::format("must have hexadecimal digits; got \"{}\"", file.digest));
  return file;
}

// What a file has, added to a digest of the right kind.
Digest begun_digest(const RemoteFile& file) {
  Digest digest(file.digest.size() == 40 ? Digest::sha1 : Digest::sha256);
  if (file.digest.size() == 40) digest.add(fmt::format("blob {}", file.size) + std::string(1, '\0'));
  return digest;
}

struct Closer {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
void add_file(Digest& digest, const std::string& path) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) io::cannot_read(path, errno);
  std::string bytes(size_t{1} << 18, '\0');
  for (size_t got; (got = std::fread(bytes.data(), 1, bytes.size(), file.get())) > 0;) digest.add({bytes.data(), got});
  if (std::ferror(file.get())) io::cannot_read(path, errno);
}

// A file that grows, and is on the disk when it is closed.
class Part {
 public:
  explicit Part(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666)) {
    if (file_ < 0) io::cannot_write(path_, errno);
  }
  ~Part() { close(file_); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t done = write(file_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) io::cannot_write(path_, errno);
      bytes.remove_prefix(static_cast<size_t>(done));
    }
  }
  void flush() {
    if (fsync(file_) != 0 && errno != EINVAL) io::cannot_write(path_, errno);
  }

 private:
  std::string path_;
  int file_;
};

}  // namespace

int64_t Repository::size() const {
  int64_t sum = 0;
  for (const RemoteFile& one : files) sum += one.size;
  return sum;
}

std::string shown_size(int64_t bytes) {
  double value = static_cast<double>(bytes);
  const char* unit = "bytes";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (value < 999.5) break;
    value /= 1000, unit = larger;
  }
  return fmt::format("{:.3g} {}", value, unit);
}

Repository find_repository(const std::string& name) {
  require_name(name);
  Repository r{.endpoint = environment("HF_ENDPOINT", "https://huggingface.co"),
               .token = environment("HF_TOKEN", ""),
               .name = name,
               .files = {}};
  while (r.endpoint.ends_with('/')) r.endpoint.pop_back();
  if (!r.endpoint.starts_with("https://") && !r.endpoint.starts_with("http://"))
    refuse_get(fmt::format("HF_ENDPOINT must begin with https:// or http://; got \"{}\"", r.endpoint));
  if (r.token.size() > 1000 || r.token.find_first_of("\"\\\n\r") != std::string::npos)
    refuse_get("HF_TOKEN must be an access token, one word; got something else");
  std::string answer;
  const std::string what = fmt::format("the model {}", name), url = r.endpoint + "/api/models/" + name + "?blobs=true";
  const Reply reply = fetch({.url = url, .token = r.token}, [&](std::string_view bytes) {
    answer += bytes;
    if (answer.size() > kLongestReply)
      refuse_get(fmt::format("a list of files must be short; got {} and more", answer.size()));
  });
  if (reply.curl != 0) refuse_reply(r, what, reply);
  const io::Json list = io::parse(answer, url);
  if (!list.is_object())
    refuse_get(fmt::format("the list of files must be an object; got {} from {}", list.kind(), url));
  const std::string commit = list.text("sha", "");
  if (commit.size() == 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos) r.commit = commit;
  std::string pickle;
  bool weights = false;
  for (const io::Json& one : list.list("siblings")) {
    const std::string& file = one.text("rfilename");
    if (file.ends_with(".bin") || file.ends_with(".pt") || file.ends_with(".pth")) pickle = file;
    if (RemoteFile taken = file_in(one); !taken.name.empty()) r.files.push_back(std::move(taken));
    weights = weights || (!r.files.empty() && r.files.back().name.ends_with(".safetensors"));
  }
  if (!weights)
    refuse_get(fmt::format("{} must have its weights as safetensors; got {}; hint: {}", what,
                           pickle.empty() ? "none" : pickle + ", a pickle, which can run any program when it is read",
                           pickle.empty() ? "another model"
                                          : "convert it where you trust it, in Python: "
                                            "AutoModel.from_pretrained(name).save_pretrained(folder)"));
  return r;
}

int64_t bytes_there(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) ? static_cast<int64_t>(info.st_size) : 0;
}

bool is_whole(const RemoteFile& file, const std::string& path) {
  if (!io::exists(path) || bytes_there(path) != file.size) return false;
  Digest digest = begun_digest(file);
  add_file(digest, path);
  return file.digest.empty() || digest.digits() == file.digest;
}

void download(const Repository& from, const RemoteFile& file, const std::string& path) {
  const std::string part = path + ".part";
  const std::string url =
      fmt::format("{}/{}/resolve/{}/{}", from.endpoint, from.name, from.commit, percent_encoded(file.name));
  if (bytes_there(part) > file.size) unlink(part.c_str());
  Digest digest = begun_digest(file);
  int64_t have = bytes_there(part);
  if (have > 0) add_file(digest, part);
  nn::Progress progress(file.size, {.label = file.name, .unit = "bytes", .done = have});
  for (int attempt = 1; have < file.size || !io::exists(part); ++attempt) {
    Part grown(part);
    const int64_t before = have;
    const Reply reply = fetch({.url = url, .from = have, .token = from.token}, [&](std::string_view bytes) {
      have += std::ssize(bytes);
      if (have > file.size)
        refuse_get(
            fmt::format("the file {} must have {} bytes; got more from {}", file.name, file.size, from.endpoint));
      grown.add(bytes), digest.add(bytes);
      if (isatty(2)) progress.step({.items = std::ssize(bytes), .steps = std::ssize(bytes)});
    });
    if (have == file.size && reply.curl == 0) {
      grown.flush();
      break;
    }
    if (have > 0 && (reply.curl == kNoRange || reply.http == 416)) {  // from the beginning, then
      unlink(part.c_str());
      digest = begun_digest(file), have = 0;
    } else if (reply.http >= 400 || have == before || attempt == kAttempts) {
      refuse_reply(from, fmt::format("the file {} of {}", file.name, from.name), reply);
    } else if (reply.curl == 0) {
      refuse_get(
          fmt::format("the file {} must have {} bytes; got {} from {}", file.name, file.size, have, from.endpoint));
    }
  }
  if (!file.digest.empty() && digest.digits() != file.digest) {
    unlink(part.c_str());
    refuse_get(
        fmt::format("the file {} must have the digest {}; got {}, and it is removed; hint: the same command "
                    "downloads it again",
                    file.name, file.digest, digest.digits()));
  }
  if (rename(part.c_str(), path.c_str()) != 0) io::cannot_write(path, errno);
}

}  // namespace heed::app
