// The first Ctrl-C sets a flag, the second ends the program with 130, and afterwards SIGINT is what it was before.
#include "nn/train/interrupt.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using heed::nn::Interrupt;

namespace {

// Runs `body` in a child whose standard error is silent; its exit code, or minus the signal that ended it.
template <typename Body>
int in_child(Body body) {
  pid_t child = fork();
  if (child == 0) {
    int silent = open("/dev/null", O_WRONLY);
    dup2(silent, STDERR_FILENO);
    signal(SIGINT, SIG_DFL);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the first interrupt sets the flag, which training polls") {
    CHECK(in_child([] {
            Interrupt interrupt;
            if (Interrupt::requested()) _exit(1);
            Interrupt::check();
            raise(SIGINT);
            if (!Interrupt::requested()) _exit(2);
            try {
              Interrupt::check();
            } catch (const heed::nn::Interrupted&) { _exit(7); }
          }) == 7);
  }

  TEST_CASE("the second ends the program at once") {
    CHECK(in_child([] {
            Interrupt outer, inner;
            raise(SIGINT);
            raise(SIGINT);
            _exit(5);
          }) == 130);
  }

  TEST_CASE("afterwards SIGINT is what it was, and a new guard starts fresh") {
    CHECK(in_child([] {
            {
              Interrupt outer;
              { Interrupt inner; }
              raise(SIGINT);
            }
            Interrupt again;
            if (Interrupt::requested()) _exit(1);
          }) == 0);
    CHECK(in_child([] {
            { Interrupt interrupt; }
            raise(SIGINT);
          }) == -SIGINT);
  }
}
