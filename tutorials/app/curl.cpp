#include "tutorials/app/curl.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "tensor/error.h"

extern char** environ;

namespace heed::app {
namespace {

struct Pipe {
  std::array<int, 2> end = {-1, -1};  // to read, to write
  Pipe() {
    if (pipe(end.data()) != 0) throw InputError(fmt::format("get: needs a pipe to curl; got {}", std::strerror(errno)));
    for (int one : end) fcntl(one, F_SETFD, FD_CLOEXEC);
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(size_t which) {
    if (end[which] >= 0) close(end[which]);
    end[which] = -1;
  }
  // Calls take with what comes, up to the end.
  template <class Take>
  void drain(const Take& take) const {
    std::vector<char> bytes(size_t{1} << 16);
    for (;;) {
      const ssize_t got = read(end[0], bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      take(std::string_view(bytes.data(), static_cast<size_t>(got)));
    }
  }
};

// Ends with this object, whatever happens.
struct Child {
  pid_t id = -1;
  int wait() {
    int status = 0;
    while (id > 0 && waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
    id = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ~Child() {
    if (id <= 0) return;
    kill(id, SIGTERM);
    wait();
  }
};

std::vector<std::string> arguments(const Request& r) {
  std::vector<std::string> all = {
      "curl",          "--silent",    "--show-error",      "--fail",
      "--location",    "--globoff",   "--connect-timeout", "30",
      "--speed-limit", "1",           "--speed-time",      "60",
      "--proto",       "=http,https", "--proto-redir",     r.url.starts_with("https:") ? "=https" : "=http,https",
      "--config",      "-",           "--write-out",       "%{stderr}\nheed %{http_code}"};
  if (r.from > 0) all.insert(all.end(), {"--continue-at", std::to_string(r.from)});
  all.insert(all.end(), {"--url", r.url});
  return all;
}

// What the last line says; the line before it is a complaint.
void read_report(const std::string& report, Reply& reply) {
  const size_t mark = report.rfind("\nheed ");
  if (mark != std::string::npos) reply.http = std::atoi(report.c_str() + mark + 6);
  const std::string before = report.substr(0, mark == std::string::npos ? report.size() : mark);
  reply.complaint = before.substr(0, before.find('\n'));
}

}  // namespace

Reply fetch(const Request& request, const std::function<void(std::string_view)>& receive) {
  Pipe config, body, report;
  if (!request.token.empty()) {  // of at most 1000 bytes, which any pipe takes
    const std::string line = fmt::format("header = \"Authorization: Bearer {}\"\n", request.token);
    if (write(config.end[1], line.data(), line.size()) != std::ssize(line))
      throw InputError("get: the token must reach curl; got a pipe that does not take it");
  }
  config.close_end(1);
  std::vector<std::string> words = arguments(request);
  std::vector<char*> argv;
  for (std::string& one : words) argv.push_back(one.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, config.end[0], 0);
  posix_spawn_file_actions_adddup2(&actions, body.end[1], 1);
  posix_spawn_file_actions_adddup2(&actions, report.end[1], 2);
  Child child;
  const int error = posix_spawnp(&child.id, "curl", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    child.id = -1;
    throw InputError(fmt::format("get: needs the program curl; got {}; hint: install the package curl",
                                 error == ENOENT ? "none in PATH" : std::strerror(error)));
  }
  body.close_end(1);
  report.close_end(1);
  body.drain(receive);
  std::string said;
  report.drain([&](std::string_view bytes) { said += bytes; });
  Reply reply;
  reply.curl = child.wait();
  read_report(said, reply);
  return reply;
}

}  // namespace heed::app
