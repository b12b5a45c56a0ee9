// Ctrl-C as a flag. While an Interrupt exists, the first SIGINT only sets the flag, and the training loop that polls it
// finishes its step, saves and returns. The second SIGINT ends the program at once with exit code 130.
//
// SIGTERM (`kill`, a system that shuts down) and SIGHUP (a terminal that closes) do the same; each of the three ends
// the program at once only if it was also the first. A SIGHUP that is ignored, as under nohup, stays ignored.
//
//   Interrupt interrupt;
//   for (step = 0; step < steps && !interrupt.requested(); ++step) ...
//   interrupt.check();   // throws Interrupted: exit code 130, after training has been saved
#pragma once

#include "tensor/error.h"

namespace heed::nn {

struct Interrupted : Error {
  using Error::Error;
};

class Interrupt {
 public:
  // Handles the three signals. Several may exist at once, on any threads; they share one flag.
  Interrupt();
  ~Interrupt();  // the last one restores the previous handlers
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
  static void check();  // throws Interrupted if requested
};

}  // namespace heed::nn
