#include "tutorials/common/main.h"

#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "nn/train/interrupt.h"
#include "tensor/error.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/common/version.h"

// ---- the processor: plain C and system calls only, compiled for the baseline ----
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
namespace {

constexpr bool compiled_avx512 =
#ifdef __AVX512F__
    true;
#else
    false;
#endif
constexpr bool compiled_avx2 =
#ifdef __AVX2__
    true;
#else
    false;
#endif
constexpr bool compiled_fma =
#ifdef __FMA__
    true;
#else
    false;
#endif

__attribute__((target("no-avx"), noinline)) void refuse_processor(const char* feature) {
  for (const char* part : {"start: this program was compiled for processors with ", feature,
                           ", which this one lacks; build it here, or with -DHEED_NATIVE=OFF\n"}) {
    unsigned long length = 0;
    while (part[length] != '\0') ++length;
    if (write(STDERR_FILENO, part, length) < 0) break;
  }
  _exit(3);
}

__attribute__((constructor(101), target("no-avx"))) void check_processor() {
  __builtin_cpu_init();
  if (compiled_avx512 && !__builtin_cpu_supports("avx512f")) refuse_processor("AVX-512");
  if (compiled_avx2 && !__builtin_cpu_supports("avx2")) refuse_processor("AVX2");
  if (compiled_fma && !__builtin_cpu_supports("fma")) refuse_processor("FMA");
}

}  // namespace
#endif

namespace heed::app {

namespace {

constexpr const char* kMemory = "memory: the work must fit into the memory of this machine; got no more";

// Without memory and without a buffer: this must work when every allocation fails.
int complain(std::string_view before, std::string_view sentence, int code) {
  std::fflush(stdout);
  char end[] = "\n";
  iovec parts[] = {{const_cast<char*>(before.data()), before.size()},
                   {const_cast<char*>(sentence.data()), sentence.size()},
                   {end, 1}};
  // A message that cannot be written changes nothing: the exit code still says what happened.
  if (writev(STDERR_FILENO, parts, 3) < 0) return code;
  return code;
}

// An error message may quote text from outside, so it is made legible first.
int refuse(const char* before, const std::exception& error, int code) {
  return complain(before, legible(error.what()), code);
}

// A reader that has enough, such as `| head`, is no error: the program ends quietly, with the code that a shell gives
// to filters that SIGPIPE has ended.
int lost_output(int error) {
  if (error == EPIPE) return 128 + SIGPIPE;
  return refuse("", OutputError(error), 2);
}

// --version is handled here, so that programs that read their own command line have it too.
int print_version() {
  std::puts(version());
  return 0;
}

int guarded(int argc, char** argv, const std::function<int(int, char**)>& work) {
  try {
    const std::string_view first = argc > 1 ? argv[1] : "";
    int code = first == "--version" || first == "-V" ? print_version() : work(argc, argv);
    flush_output();
    return code;
  } catch (const ExitProgram& done) { return done.code; } catch (const nn::Interrupted& stop) {
    return refuse("", stop, 130);
  } catch (const OutputError& lost) { return lost_output(lost.error); } catch (const InputError& error) {
    return refuse("", error, 2);
  } catch (const std::bad_alloc&) {  // of a tensor
    return complain("", kMemory, 3);
  } catch (const std::system_error& error) {  // from fmt::print, whose buffer could not be written
    if (std::ferror(stdout)) return lost_output(error.code().value());
    if (std::ferror(stderr)) return 2;
    return refuse("internal error: ", error, 3);
  } catch (const std::exception& error) { return refuse("internal error: ", error, 3); }
}

// What is thrown where nobody can catch it, such as an allocation that fails before main, is a sentence too. Nothing
// here allocates: the exception is thrown on as it is. If there was no memory for it, there is none.
[[noreturn]] void end_program() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {  // below
  } catch (const std::exception& error) { _exit(complain("internal error: ", error.what(), 3)); } catch (...) {
  }
  _exit(complain("", kMemory, 3));
}

// If operator new fails, the stack is not unwound: no caller could continue, and unwinding itself may fail. GCC 12
// destroys members twice if a table of aggregates cannot be built (a row of the catalogue), and a JSON value of
// nlohmann's that could not be allocated is destroyed as if it had been.
[[noreturn]] void out_of_memory() { _exit(complain("", kMemory, 3)); }

// Before the static initialisers, which allocate, and after check_processor.
__attribute__((constructor(102))) void end_with_a_sentence() {
  std::set_terminate(end_program);
  std::set_new_handler(out_of_memory);
}

}  // namespace

int run_main(int argc, char** argv, const std::function<int(int, char**)>& work) {
  open_standard_streams();
  signal(SIGPIPE, SIG_IGN);  // `| head` closes our output: writing then fails, which is not a crash
  signal(SIGXFSZ, SIG_IGN);  // so does a file that grows beyond its limit
  int code = guarded(argc, argv, work);
  errno = 0;
  bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;  // of the help, or before an error
  if (lost && code == 0) return lost_output(errno != 0 ? errno : EIO);
  return code;
}

}  // namespace heed::app
