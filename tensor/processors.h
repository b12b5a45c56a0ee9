// How many processors this process may use at the same time: the smallest of
//
//   the machine       all that are online
//   affinity          those that the process may run on (taskset, Slurm, a container's cpuset)
//   the quota         processor seconds a second of its control group and of the groups around it, rounded up
//                     (docker run --cpus 1.5, Kubernetes limits): Linux stops a group that has used up its own
//
// More threads than that wait for each other.
#pragma once

#include <string>

namespace heed {

int usable_processors();  // at least 1

// Processors of the quota that the files below a folder tell; 0 if there is none. It reads, in cgroup version 2,
//   PROC/self/cgroup    0::/a/b       and then the first of  GROUPS/a/b/cpu.max, GROUPS/a/cpu.max, GROUPS/cpu.max
// and in version 1, where the folder is that of the controller cpu,
//   PROC/self/cgroup    4:cpu,cpuacct:/a/b                    GROUPS/cpu/a/b/cpu.cfs_quota_us and cpu.cfs_period_us, ..
// In a container the own group may be mounted as the root. So every folder of the path that is there counts.
double processor_quota(const std::string& proc = "/proc", const std::string& groups = "/sys/fs/cgroup");

}  // namespace heed
