#include "tests/bench/subject.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace bench {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Seconds of one repetition, from as many as fill `least` seconds.
struct Measured {
  double seconds;
  int64_t repetitions;
};
Measured measure(const Work& work, double least) {
  for (int64_t n = 1;;) {
    double start = now();
    for (int64_t i = 0; i < n; ++i) work();
    double passed = now() - start;
    if (passed >= least) return {passed / static_cast<double>(n), n};
    double more = passed > 0 ? 1.2 * least / passed : 16;
    n = static_cast<int64_t>(static_cast<double>(n) * (more < 16 ? more : 16)) + 1;
  }
}

// A line of /proc/self/status in bytes, 0 where there is none (other systems than Linux).
int64_t status(const char* key) {
  int64_t kilobytes = 0;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file))
      if (std::strncmp(line, key, std::strlen(key)) == 0) kilobytes = std::atoll(line + std::strlen(key));
    std::fclose(file);
  }
  return kilobytes * 1024;
}

}  // namespace

std::map<std::string, Maker> with_cold(std::map<std::string, Maker> products) {
  std::map<std::string, Maker> all = products;
  for (const auto& [name, product] : products)
    all[name + "_cold"] = [product = product](const Sizes& s) -> Work {
      std::vector<Work> works;
      for (int64_t bytes = 0; bytes < (256 << 20); bytes += 4 * (s[0] * s[1] + s[1] * s[2] + s[0] * s[2]))
        works.push_back(product(s));
      return [works, i = size_t{0}]() mutable { works[i++ % works.size()](); };
    };
  return all;
}

int serve(const Subject& subject, int argc, char** argv) {
  if (argc < 3) return 2;
  auto kind = subject.kinds.find(argv[1]);
  subject.set_threads(std::atoi(argv[2]));
  Sizes sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  int64_t before = status("VmRSS:");
  Work work = kind == subject.kinds.end() ? Work() : kind->second(sizes);
  if (!work) {
    std::puts("none");
    return 0;
  }
  work();  // pages touched, caches filled
  std::puts("ready");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    if (line.rfind("run ", 0) == 0) {
      Measured m = measure(work, std::atof(line.c_str() + 4));
      std::printf("%.9g %lld\n", m.seconds, static_cast<long long>(m.repetitions));
    } else if (line == "peak") {
      std::printf("%lld\n", static_cast<long long>(subject.peak_bytes ? subject.peak_bytes(work) : -1));
    } else if (line == "operations") {
      std::printf("%.9g\n", subject.operations ? subject.operations(work) : 0);
    } else if (line == "profile") {
      std::printf("%s\n", subject.profile ? subject.profile(work).c_str() : "");
    } else {
      int64_t asked = subject.system_allocations ? subject.system_allocations() : 0;
      work();
      asked = subject.system_allocations ? subject.system_allocations() - asked : -1;
      std::printf("%lld %lld\n", static_cast<long long>(status("VmHWM:") - before), static_cast<long long>(asked));
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace bench
