// A library for LD_PRELOAD that makes the operating system refuse something: the nth call of one kind fails, that one
// or each from there on, or the process is killed instead of making it. fault_loop.sh tries every n.
//
// clang-format off
//   HEED_FAULT_CALL   open, read, write, sync, rename, memory or thread
//   HEED_FAULT_AT     the number of the first call that fails, from 1
//   HEED_FAULT_FOR    once: the next one works again (default)
//                     good: none works any more
//                     kill: SIGKILL at that call
//   HEED_FAULT_ERRNO  the number of the error of a system call (default: 28, ENOSPC on Linux)
//   HEED_FAULT_COUNT  a file that gets one line per kind when the process exits: `write 41`
// clang-format on
//
// Calls of the system are caught by a seccomp filter, which also sees those that the C library makes on its own behalf:
// the flush of standard output, the read of a std::ifstream. Allocations and threads are functions that this library
// defines in place of the C library's. Counting begins with the initialisation of the libraries.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// glibc's allocator under the names that no other library replaces.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum Kind { kOpen, kRead, kWrite, kSync, kRename, kMemory, kThread, kKinds };
constexpr const char* kNames[kKinds] = {"open", "read", "write", "sync", "rename", "memory", "thread"};
constexpr struct {
  int number;
  Kind kind;
} kCalls[] = {
    {SYS_openat, kOpen},    {SYS_read, kRead},       {SYS_readv, kRead},       {SYS_pread64, kRead},
    {SYS_write, kWrite},    {SYS_writev, kWrite},    {SYS_pwrite64, kWrite},   {SYS_fsync, kSync},
    {SYS_fdatasync, kSync}, {SYS_renameat, kRename}, {SYS_renameat2, kRename},
#if defined(__x86_64__)
    {SYS_open, kOpen},      {SYS_rename, kRename},
#endif
};
constexpr size_t kCallCount = sizeof kCalls / sizeof *kCalls;

// The filter lets a call through whose sixth argument, which none of them has, is this.
constexpr unsigned long kLetThrough = 0x68656564;

bool counting = false;
int chosen = -1, error_number = ENOSPC;
long first = 0;
bool for_good = false, by_kill = false;
long counts[kKinds];

// Counts the call; true if it must fail.
bool fails(Kind kind) {
  if (!counting) return false;
  long n = __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
  if (kind != chosen || (for_good ? n < first : n != first)) return false;
  if (by_kill) kill(getpid(), SIGKILL);
  return true;
}

long let_through(long number, const long* a) { return syscall(number, a[0], a[1], a[2], a[3], a[4], kLetThrough); }

void on_call(int, siginfo_t* info, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto& r = registers.gregs;
  const long arguments[] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8]};
#elif defined(__aarch64__)
  const auto& r = registers.regs;
  const long arguments[] = {static_cast<long>(r[0]), static_cast<long>(r[1]), static_cast<long>(r[2]),
                            static_cast<long>(r[3]), static_cast<long>(r[4])};
#endif
  int before = errno;
  long result = -error_number;
  Kind kind = kKinds;
  for (const auto& call : kCalls)
    if (call.number == info->si_syscall) kind = call.kind;
  if (kind == kKinds || !fails(kind)) {
    result = let_through(info->si_syscall, arguments);
    if (result < 0) result = -errno;
  }
  errno = before;
#if defined(__x86_64__)
  registers.gregs[REG_RAX] = result;
#elif defined(__aarch64__)
  registers.regs[0] = static_cast<unsigned long long>(result);
#endif
}

bool install_filter() {
  struct sigaction action {};
  action.sa_sigaction = on_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigfillset(&action.sa_mask);
  sigdelset(&action.sa_mask, SIGSYS);  // a call inside the handler of another signal
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;
  sock_filter program[kCallCount + 5] = {};
  size_t n = 0;
  auto statement = [&](unsigned code, unsigned value) {
    program[n++] = {static_cast<unsigned short>(code), 0, 0, value};
  };
  auto if_equal = [&](unsigned value, size_t then, size_t otherwise) {  // how many statements to skip
    program[n++] = {BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned char>(then), static_cast<unsigned char>(otherwise),
                    value};
  };
  statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 5 * sizeof(__u64));
  if_equal(kLetThrough, kCallCount + 1, 0);
  statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (size_t i = 0; i < kCallCount; ++i) if_equal(static_cast<unsigned>(kCalls[i].number), kCallCount - i, 0);
  statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  statement(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  sock_fprog filter{static_cast<unsigned short>(n), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

[[noreturn]] void stop(const char* why) {
  if (write(STDERR_FILENO, why, strlen(why)) < 0) _exit(125);
  _exit(125);
}

// The first initialiser of the process (linked with -z initfirst), when getenv knows no variables yet.
__attribute__((constructor)) void begin(int, char**, char** environment) {
  auto value_of = [environment](const char* name) -> const char* {
    for (char** entry = environment; *entry; ++entry)
      if (strncmp(*entry, name, strlen(name)) == 0 && (*entry)[strlen(name)] == '=') return *entry + strlen(name) + 1;
    return nullptr;
  };
  const char *call = value_of("HEED_FAULT_CALL"), *at = value_of("HEED_FAULT_AT"), *how = value_of("HEED_FAULT_FOR"),
             *number = value_of("HEED_FAULT_ERRNO");
  for (int kind = 0; call && kind < kKinds; ++kind)
    if (strcmp(call, kNames[kind]) == 0) chosen = kind;
  if (call && (chosen < 0 || !at)) stop("fail_nth: HEED_FAULT_CALL and HEED_FAULT_AT must name a call\n");
  if (at) first = atol(at);
  if (number) error_number = atoi(number);
  for_good = how && strcmp(how, "good") == 0;
  by_kill = how && strcmp(how, "kill") == 0;
  if (!install_filter()) stop("fail_nth: this system refuses a seccomp filter\n");
  counting = true;
}

__attribute__((destructor)) void end() {
  counting = false;
  const char* path = getenv("HEED_FAULT_COUNT");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
  if (file < 0) return;
  for (int kind = 0; kind < kKinds; ++kind) dprintf(file, "%s %ld\n", kNames[kind], counts[kind]);
  close(file);
}

}  // namespace

extern "C" {

void* malloc(size_t size) noexcept {
  if (!fails(kMemory)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(size_t count, size_t size) noexcept {
  if (!fails(kMemory)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* old, size_t size) noexcept {
  if (!fails(kMemory)) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}
void* memalign(size_t alignment, size_t size) noexcept {
  if (!fails(kMemory)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}
void* aligned_alloc(size_t alignment, size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return fails(kThread) ? EAGAIN : create(thread, attributes, work, argument);
}

}  // extern "C"
