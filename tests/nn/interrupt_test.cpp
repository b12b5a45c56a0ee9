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

TEST_CASE("SIGTERM and SIGHUP set the flag as well, and both together are one request") {
  for (int number : {SIGTERM, SIGHUP})
    CHECK(in_child([number] {
            signal(number, SIG_DFL);
            Interrupt interrupt;
            raise(number);
            if (!Interrupt::requested()) _exit(2);
            raise(number == SIGTERM ? SIGHUP : SIGTERM);
            _exit(7);
          }) == 7);
  CHECK(in_child([] {
          Interrupt interrupt;
          raise(SIGTERM);
          raise(SIGTERM);
          _exit(5);
        }) == 130);
}

TEST_CASE("a SIGHUP that is ignored stays ignored, and afterwards all are what they were") {
  CHECK(in_child([] {
          signal(SIGHUP, SIG_IGN);
          {
            Interrupt interrupt;
            raise(SIGHUP);
            if (Interrupt::requested()) _exit(2);
          }
          raise(SIGHUP);
          _exit(7);
        }) == 7);
  CHECK(in_child([] {
          signal(SIGTERM, SIG_DFL);
          { Interrupt interrupt; }
          raise(SIGTERM);
        }) == -SIGTERM);
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
