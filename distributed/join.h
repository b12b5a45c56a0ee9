// The ranks of the job that this process belongs to: those of MPI (Message Passing Interface) under mpirun or srun, and
// this process alone otherwise.
//
//   mpirun -n 4 ./heed train ..       ./heed train ..
//
// This library is the only one that knows MPI; nn/ranks.h is what the loop of training sees. Without MPI on the system
// it is built from absent.cpp, where a process that mpirun has started is refused with a sentence.
#pragma once

#include "nn/ranks.h"

namespace heed::distributed {

// The first call enters MPI, if a launcher has started this process. InputError where that is impossible.
nn::Ranks& join();
// Whether join has been called in a process of several, and those it found. Never enters MPI.
bool joined();
// The launcher's variable in the environment that numbers this process: "OMPI_COMM_WORLD_RANK", ..; "" if there is
// none.
const char* launched_by();

// This process's share of the processors of its machine: those that it may use, each divided among the ranks that may
// use it. At least 1. All ranks call it.
int64_t share_of_processors();

// At the end of a program: waits for the others to end, too. A rank that has failed waits for kPatience seconds only;
// false if the others have not ended then, because this rank alone has failed. True outside MPI.
inline constexpr double kPatience = 2;
bool all_leave(bool failed);
// Leaves MPI. `ended`: what all_leave returned; if false, this ends the whole job, at once.
void leave(int exit_code, bool ended);

}  // namespace heed::distributed
