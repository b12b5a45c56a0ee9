// Ctrl-C as a flag: while an Interrupt lives, the first SIGINT only sets it, and the training loop that polls it
// finishes its step, saves and leaves. The second SIGINT ends the program at once with exit code 130.
//
//   Interrupt interrupt;
//   for (step = 0; step < steps && !interrupt.requested(); ++step) ...
//   interrupt.check();   // throws Interrupted: the program ends with 130, training saved
#pragma once

#include "tensor/error.h"

namespace heed::nn {

struct Interrupted : Error {
  using Error::Error;
};

class Interrupt {
 public:
  // Takes over SIGINT. Several may live at once, on any threads; they share one flag.
  Interrupt();
  ~Interrupt();  // the last one gives SIGINT back as it was
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
  static void check();  // throws Interrupted where requested
};

}  // namespace heed::nn
