// Work for the end of each thread that asks for it: a thread returns its cached memory.
//
//   static const ThreadEnd give_back([](void*) { trim(); });
//   give_back.watch();  // in each such thread, as often as one likes
//
// The destructor of a thread_local object would do the same, but the C library allocates when it registers one, and
// aborts the program where that fails. A POSIX key needs no memory. The main thread's work is left out: its process
// ends with it.
#pragma once

#include <pthread.h>

namespace heed {

class ThreadEnd {
 public:
  explicit ThreadEnd(void (*work)(void*)) : made_(pthread_key_create(&key_, work) == 0) {}
  void watch() const {
    if (made_) pthread_setspecific(key_, this);  // if it fails, the thread's cached memory is never returned
  }

 private:
  pthread_key_t key_{};
  bool made_;
};

}  // namespace heed
