// Built where MPI was found (Open MPI, MPICH): the C interface, which both have.
#include <mpi.h>
#if defined(__linux__)
#include <sched.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "distributed/join.h"
#include "tensor/error.h"
#include "tensor/processors.h"

namespace heed::distributed {
namespace {

constexpr int64_t kMost = int64_t{1} << 30;  // elements of a message: MPI counts with int

MPI_Datatype type_of(const Tensor& t) { return t.dtype() == DType::f32 ? MPI_FLOAT : MPI_DOUBLE; }
void* memory_of(const Tensor& t) {
  return t.dtype() == DType::f32 ? static_cast<void*>(t.data<float>()) : static_cast<void*>(t.data<double>());
}

// One request for each message; a tensor of more than kMost numbers takes several.
class MpiWork final : public nn::Ranks::Work {
 public:
  explicit MpiWork(std::vector<Tensor> held) : held_(std::move(held)) {}
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  void push() override {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  }
  void wait() override { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  std::vector<Tensor> held_;
  std::vector<MPI_Request> requests_;
};

class MpiRanks final : public nn::Ranks {
 public:
  MpiRanks() {
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = rank, size_ = size;
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    host_.assign(name, static_cast<size_t>(length));
  }
  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }
  std::string host() const override { return host_; }

  Started start_sum(Tensor x) override {
    auto work = std::make_unique<MpiWork>(std::vector<Tensor>{x});
    for (int64_t at = 0; at < x.count(); at += kMost)
      MPI_Iallreduce(MPI_IN_PLACE, part(x, at), length(x.count() - at), type_of(x), MPI_SUM, MPI_COMM_WORLD,
                     work->next());
    return work;
  }
  Started start_scattered_sum(Tensor parts, Tensor own) override {
    auto work = std::make_unique<MpiWork>(std::vector<Tensor>{parts, own});
    MPI_Ireduce_scatter_block(memory_of(parts), memory_of(own), length(own.count()), type_of(own), MPI_SUM,
                              MPI_COMM_WORLD, work->next());
    return work;
  }
  Started start_gather(Tensor own, Tensor parts) override {
    auto work = std::make_unique<MpiWork>(std::vector<Tensor>{parts, own});
    MPI_Iallgather(memory_of(own), length(own.count()), type_of(own), memory_of(parts), length(own.count()),
                   type_of(own), MPI_COMM_WORLD, work->next());
    return work;
  }

  void sum(std::vector<double>& values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  double largest(double value) override {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
  }
  void broadcast(std::string& text) override {
    auto bytes = static_cast<int64_t>(text.size());
    MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    text.resize(static_cast<size_t>(bytes));
    for (int64_t at = 0; at < bytes; at += kMost)
      MPI_Bcast(text.data() + at, length(bytes - at), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  std::vector<std::string> gather(const std::string& text) override {
    std::vector<int> sizes(static_cast<size_t>(size_)), places(static_cast<size_t>(size_));
    const int own = static_cast<int>(text.size());
    MPI_Allgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int64_t total = 0;
    for (size_t r = 0; r < sizes.size(); ++r) places[r] = static_cast<int>(total), total += sizes[r];
    if (total > kMost) throw ValueError("ranks: the texts of all ranks must have at most 2^30 bytes; got more");
    std::string all(static_cast<size_t>(total), '\0');
    MPI_Allgatherv(text.data(), own, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
    std::vector<std::string> out;
    for (size_t r = 0; r < sizes.size(); ++r)
      out.push_back(all.substr(static_cast<size_t>(places[r]), static_cast<size_t>(sizes[r])));
    return out;
  }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }

 private:
  static int length(int64_t left) { return static_cast<int>(std::min(left, kMost)); }
  static void* part(const Tensor& t, int64_t at) {
    return static_cast<char*>(memory_of(t)) + static_cast<size_t>(at) * size_of(t.dtype());
  }
  int64_t rank_ = 0, size_ = 1;
  std::string host_;
};

std::unique_ptr<MpiRanks> ranks_of_job;
bool ended_alone = false;          // a job of one process
MPI_Comm leaving = MPI_COMM_NULL;  // apart, so that a rank that fails disturbs no sum that others have begun

}  // namespace

nn::Ranks& join() {
  if (*launched_by() == '\0' || ended_alone) return nn::alone();
  if (!ranks_of_job) {
    int provided = 0;  // only the thread of the loop calls MPI; an error in MPI ends the job
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
      throw InputError("train: MPI must begin; got an error; hint: mpirun and the library must be of one MPI");
    auto ranks = std::make_unique<MpiRanks>();
    if (ranks->size() == 1) {
      ended_alone = true;
      MPI_Finalize();
      return nn::alone();
    }
    ranks_of_job = std::move(ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &leaving);
  }
  return *ranks_of_job;
}

bool joined() { return ranks_of_job != nullptr; }

int64_t share_of_processors() {
#if defined(__linux__)
  cpu_set_t own;
  if (joined() && sched_getaffinity(0, sizeof own, &own) == 0) {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int here = 1;
    MPI_Comm_size(machine, &here);
    std::vector<cpu_set_t> all(static_cast<size_t>(here));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine);
    MPI_Comm_free(&machine);
    double share = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &own))
        share += 1.0 / static_cast<double>(std::count_if(all.begin(), all.end(),
                                                         [&](const cpu_set_t& s) { return CPU_ISSET(cpu, &s); }));
    if (const double quota = processor_quota(); quota > 0) share = std::min(share, std::ceil(quota) / here);
    return std::max<int64_t>(1, static_cast<int64_t>(share + 0.01));
  }
#endif
  return usable_processors();
}

bool all_leave(bool failed) {
  if (!joined()) return true;
  MPI_Request waiting = MPI_REQUEST_NULL;
  int done = 0;
  MPI_Ibarrier(leaving, &waiting);
  const double begin = MPI_Wtime();
  while (!done && !(failed && MPI_Wtime() - begin > kPatience)) {
    MPI_Test(&waiting, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(1000);
  }
  return done != 0;
}

void leave(int exit_code, bool ended) {
  if (!joined()) return;
  if (!ended) MPI_Abort(MPI_COMM_WORLD, exit_code);
  MPI_Finalize();
}

}  // namespace heed::distributed
