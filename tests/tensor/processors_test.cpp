// The processors that a process may use: its affinity, and the quotas of control groups of both versions.
#include "tensor/processors.h"

#include <doctest/doctest.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <filesystem>
#include <fstream>
#include <map>

#include "tensor/thread_pool.h"

using namespace heed;
namespace fs = std::filesystem;

namespace {

// The quota that a system with these files would tell.
double quota_with(const std::map<std::string, std::string>& files) {
  const fs::path root = fs::temp_directory_path() / "heed_processors_test";
  fs::remove_all(root);
  for (const auto& [name, text] : files) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text << "\n";
  }
  const double quota = processor_quota((root / "proc").string(), (root / "groups").string());
  fs::remove_all(root);
  return quota;
}

}  // namespace

TEST_CASE("processors: the quota of a control group, version 2") {
  const std::string own = "proc/self/cgroup";
  CHECK(quota_with({}) == 0);
  CHECK(quota_with({{own, "0::/"}}) == 0);
  CHECK(quota_with({{own, "0::/"}, {"groups/cpu.max", "150000 100000"}}) == 1.5);
  CHECK(quota_with({{own, "0::/"}, {"groups/cpu.max", "max 100000"}}) == 0);
  CHECK(quota_with({{own, "0::/a/b"}, {"groups/a/b/cpu.max", "max 100000"}, {"groups/a/cpu.max", "200000 50000"}}) ==
        4);
  CHECK(quota_with({{own, "0::/a/b"}, {"groups/a/b/cpu.max", "30000 10000"}, {"groups/a/cpu.max", "80000 10000"}}) ==
        3);
  CHECK(quota_with({{own, "0::/docker/7"}, {"groups/cpu.max", "20000 10000"}}) == 2);  // mounted as the root
  CHECK(quota_with({{own, "0::/other"}, {"groups/a/cpu.max", "10000 10000"}}) == 0);
  for (const char* damaged : {"", "many", "1000", "0 100000", "-5 100000", "1000 0"})
    CHECK(quota_with({{own, "0::/"}, {"groups/cpu.max", damaged}}) == 0);
  for (const char* damaged : {"", "0", "0:", "0::", "::", "0::a"})
    CHECK(quota_with({{own, damaged}, {"groups/a/cpu.max", "10000 10000"}}) == 0);
}

TEST_CASE("processors: the quota of a control group, version 1") {
  const std::string own = "proc/self/cgroup", a = "groups/cpu/a/", root = "groups/cpu/";
  const std::string groups = "9:memory:/m\n4:cpu,cpuacct:/a\n1:name=systemd:/";
  CHECK(quota_with({{own, groups}, {a + "cpu.cfs_quota_us", "250000"}, {a + "cpu.cfs_period_us", "100000"}}) == 2.5);
  CHECK(quota_with({{own, groups}, {a + "cpu.cfs_quota_us", "-1"}, {a + "cpu.cfs_period_us", "100000"}}) == 0);
  CHECK(quota_with({{own, groups}, {root + "cpu.cfs_quota_us", "50000"}, {root + "cpu.cfs_period_us", "100000"}}) ==
        0.5);
  CHECK(quota_with({{own, "4:cpuset:/a"}, {a + "cpu.cfs_quota_us", "50000"}, {a + "cpu.cfs_period_us", "50000"}}) == 0);
}

#if defined(__linux__)
TEST_CASE("processors: those that the process may run on") {
  CHECK((usable_processors() >= 1 && thread_count() >= 1));
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(usable_processors() == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}
#endif
