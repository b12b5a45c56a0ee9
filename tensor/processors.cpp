#include "tensor/processors.h"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

namespace heed {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// quota / period; infinite if it is absent, "max", -1 or no number.
double processors_of(const std::string& quota, const std::string& period) {
  std::istringstream q(quota), p(period);
  double microseconds = 0, each = 0;
  return q >> microseconds && p >> each && microseconds > 0 && each > 0 ? microseconds / each : kNone;
}

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

double quota_of(const std::string& folder) {
  std::istringstream both(first_line(folder + "/cpu.max"));  // "150000 100000" or "max 100000"
  std::string quota, period;
  if (both >> quota >> period) return processors_of(quota, period);
  return processors_of(first_line(folder + "/cpu.cfs_quota_us"), first_line(folder + "/cpu.cfs_period_us"));
}

// The smallest quota of GROUPS/a/b, GROUPS/a and GROUPS.
double least_quota(const std::string& groups, std::string path) {
  double least = quota_of(groups);
  for (; path.size() > 1; path.erase(path.rfind('/'))) least = std::min(least, quota_of(groups + path));
  return least;
}

}  // namespace

double processor_quota(const std::string& proc, const std::string& groups) {
  double least = kNone;
  std::ifstream file(proc + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // number:controllers:path
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos || line.size() == second + 1 || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, least_quota(groups, path));
    if (controllers.find(",cpu,") != std::string::npos) least = std::min(least, least_quota(groups + "/cpu", path));
  }
  return std::isinf(least) ? 0 : least;
}

int usable_processors() {
  int most = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 65536U));
#if defined(__linux__)
  if (cpu_set_t own; sched_getaffinity(0, sizeof own, &own) == 0) most = std::min(most, std::max(1, CPU_COUNT(&own)));
  if (const double quota = processor_quota(); quota > 0)
    most = static_cast<int>(std::min<double>(most, std::max(1.0, std::ceil(quota))));
#endif  // elsewhere there are no control groups, and a page in a browser has no files
  return most;
}

}  // namespace heed
