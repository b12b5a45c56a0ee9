#include "tutorials/common/main.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "nn/train/interrupt.h"
#include "tensor/error.h"
#include "tutorials/common/options.h"

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

constexpr const char* kLost = "write: cannot write to standard output";

int complain(const char* before, const char* sentence, int code) {
  std::fflush(stdout);
  std::fputs(fmt::format("{}{}\n", before, sentence).c_str(), stderr);
  return code;
}

int guarded(int argc, char** argv, const std::function<int(int, char**)>& work) {
  try {
    return work(argc, argv);
  } catch (const ExitProgram& done) { return done.code; } catch (const nn::Interrupted& stop) {
    return complain("", stop.what(), 130);
  } catch (const InputError& error) { return complain("", error.what(), 2); } catch (const Error& error) {
    return complain("internal error: ", error.what(), 3);
  } catch (const std::bad_alloc&) {
    return complain("", "memory: the work must fit into the memory of this machine; got no more", 3);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return complain("", kLost, 2);
    return complain("internal error: ", error.what(), 3);
  } catch (const std::exception& error) { return complain("internal error: ", error.what(), 3); }
}

}  // namespace

int run_main(int argc, char** argv, const std::function<int(int, char**)>& work) {
  signal(SIGPIPE, SIG_IGN);  // `| head` closes our output: writing then fails, which is not a crash
  signal(SIGXFSZ, SIG_IGN);  // so does a file that grows beyond its limit
  int code = guarded(argc, argv, work);
  bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (lost && code == 0) return complain("", kLost, 2);
  return code;
}

}  // namespace heed::app
