#include "nn/train/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

namespace heed::nn {

namespace {

std::atomic<bool> flag{false};  // written by the handler, polled by any thread
static_assert(std::atomic<bool>::is_always_lock_free);
std::mutex mutex;  // protects the two variables below
int living = 0;
struct sigaction before;

// Only async-signal-safe operations are allowed here; a lock-free atomic is one.
void on_interrupt(int) {
  if (flag.exchange(true)) _exit(130);
  const char text[] = "\ninterrupted: finishing this step; Ctrl-C again ends at once\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

}  // namespace

Interrupt::Interrupt() {
  std::lock_guard lock(mutex);
  if (living++ > 0) return;
  flag = false;
  struct sigaction ours {};
  ours.sa_handler = on_interrupt;
  sigemptyset(&ours.sa_mask);
  ours.sa_flags = SA_RESTART;
  sigaction(SIGINT, &ours, &before);
}

Interrupt::~Interrupt() {
  std::lock_guard lock(mutex);
  if (--living == 0) sigaction(SIGINT, &before, nullptr);
}

bool Interrupt::requested() { return flag; }

void Interrupt::check() {
  if (requested()) throw Interrupted("interrupted: stopped by Ctrl-C");
}

}  // namespace heed::nn
