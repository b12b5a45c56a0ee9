#include "nn/train/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace heed::nn {

namespace {

volatile sig_atomic_t flag = 0;
int living = 0;
struct sigaction before;

// Only async-signal-safe calls in here.
void on_interrupt(int) {
  if (flag) _exit(130);
  flag = 1;
  const char text[] = "\ninterrupted: finishing this step; Ctrl-C again ends at once\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

}  // namespace

Interrupt::Interrupt() {
  if (living++ > 0) return;
  flag = 0;
  struct sigaction ours {};
  ours.sa_handler = on_interrupt;
  sigemptyset(&ours.sa_mask);
  ours.sa_flags = SA_RESTART;
  sigaction(SIGINT, &ours, &before);
}

Interrupt::~Interrupt() {
  if (--living == 0) sigaction(SIGINT, &before, nullptr);
}

bool Interrupt::requested() { return flag != 0; }

void Interrupt::check() {
  if (requested()) throw Interrupted("interrupted: stopped by Ctrl-C");
}

}  // namespace heed::nn
