// Ctrl-C as a flag. While an Interrupt exists, the first SIGINT only sets the flag, and the training loop that polls it
// finishes its step, saves and returns. The second SIGINT ends the program at once with exit code 130.
//
// SIGTERM (`kill`, a system that shuts down) and SIGHUP (a terminal that closes) do the same. A second signal ends the
// program only if it is the same as the first: a system that shuts down sends SIGTERM and SIGHUP together, which is one
// request. A SIGHUP that is ignored, as under nohup, stays ignored.
//
//   Interrupt interrupt;
//   for (step = 0; step < steps && !interrupt.requested(); ++step) ...
//   save(..);
//   interrupt.check();   // throws Interrupted if requested; main then ends with exit code 130
#pragma once

#include "tensor/error.h"

namespace heed::nn {

struct Interrupted : Error {
  using Error::Error;
};

class Interrupt {
 public:
  // Several may exist at the same time, on any threads; they share one flag.
  Interrupt();
  ~Interrupt();  // the last one restores the previous handlers
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
  static void check();  // throws Interrupted if requested
};

}  // namespace heed::nn
