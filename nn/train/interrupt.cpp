#include "nn/train/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <iterator>
#include <mutex>

namespace heed::nn {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> first{0};  // the signal that asked to stop, 0: none. Written by the handler, polled by any thread
static_assert(std::atomic<int>::is_always_lock_free);
std::mutex mutex;  // protects the two variables below
int living = 0;
struct sigaction before[std::size(kSignals)];

// Only async-signal-safe operations are allowed here; a lock-free atomic is one.
void on_interrupt(int number) {
  int none = 0;
  if (!first.compare_exchange_strong(none, number)) {
    if (none == number) _exit(130);
    return;  // systems that stop send SIGTERM and SIGHUP together, which is one request
  }
  const char text[] = "\ninterrupted: finishing this step; Ctrl-C again ends at once\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

}  // namespace

Interrupt::Interrupt() {
  std::lock_guard lock(mutex);
  if (living++ > 0) return;
  first = 0;
  struct sigaction ours {};
  ours.sa_handler = on_interrupt;
  sigemptyset(&ours.sa_mask);
  ours.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &ours, &before[i]);
    bool ignored = kSignals[i] == SIGHUP && before[i].sa_handler == SIG_IGN;  // by nohup: the run must survive it
    if (ignored) sigaction(SIGHUP, &before[i], nullptr);
  }
}

Interrupt::~Interrupt() {
  std::lock_guard lock(mutex);
  if (--living > 0) return;
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

bool Interrupt::requested() { return first != 0; }

void Interrupt::check() {
  if (requested()) throw Interrupted("interrupted: stopped by Ctrl-C");
}

}  // namespace heed::nn
