#include "tests/bench/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "tensor/error.h"

namespace bench {

Child::Child(const std::string& program, const std::string& kind, const Sizes& sizes, int threads) {
  std::vector<std::string> words{program, kind, std::to_string(threads)};
  for (int64_t s : sizes) words.push_back(std::to_string(s));
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) throw heed::Error("bench: cannot make a pipe");
  // Closed in programs started later: a pipe that another child still holds open never ends.
  for (int end : {in[0], in[1], out[0], out[1]}) fcntl(end, F_SETFD, FD_CLOEXEC);
  process_ = fork();
  if (process_ < 0) throw heed::Error("bench: cannot start a process");
  if (process_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    setenv("OMP_WAIT_POLICY", "passive", 0);  // a peer's threads must not burn the core while others are measured
    // libtorch is told its number of threads and asks OpenMP for them, but its products come from a pool of OpenBLAS's.
    for (const char* library : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"})
      setenv(library, std::to_string(threads).c_str(), 1);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1], from_ = out[0];
  const std::string first = answer();
  ready_ = first == "ready", broken_ = !ready_ && first != "none";
}

Child::~Child() {
  close(to_);  // the end of its input is its end
  close(from_);
  waitpid(process_, nullptr, 0);
}

std::string Child::answer() {
  std::string line;
  for (char c; read(from_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string Child::ask(const std::string& line) {
  std::string text = line + "\n";
  if (write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw heed::Error("bench: a measured program ended early");
  std::string said = answer();
  if (said.empty()) throw heed::Error("bench: a measured program ended early");
  return said;
}

std::vector<std::string> Child::profile() {
  std::vector<std::string> lines;
  for (std::string line = ask("profile"); !line.empty(); line = answer()) lines.push_back(line);
  return lines;
}

double Child::run(double seconds) {
  const std::string said = ask(fmt::format("run {}", seconds));
  double time = std::atof(said.c_str());
  if (!(time > 0 && time < 1e6)) throw heed::Error(fmt::format("bench: a measured program answered \"{}\"", said));
  return time;
}

Child::Memory Child::memory() {
  std::string said = ask("memory");
  return {std::atof(said.c_str()), std::atof(said.substr(said.find(' ') + 1).c_str())};
}
double Child::operations() { return std::atof(ask("operations").c_str()); }
double Child::peak() { return std::atof(ask("peak").c_str()); }

}  // namespace bench
