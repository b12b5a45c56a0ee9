// What is measured, as a program of its own: heed, libtorch, ONNX Runtime, OpenBLAS, BLIS and oneDNN each become one
// ("a subject"), started anew for every row. So their pools of threads never share a process, and a process's memory is
// that of one workload.
//
//   bench_heed lstm 2 32 20 64 128        kind, threads, sizes
//
// It prepares the workload, answers "ready", and then one line for each line of standard input:
//   run 0.05    ->  seconds of one repetition (of as many as fill 0.05 s), repetitions
//   memory      ->  the highest memory of the process so far, minus its memory before the workload was made, in bytes;
//                   allocations from the system in one more repetition (-1: not counted)
//   operations  ->  floating-point operations of the matrix products in one repetition (0: not counted)
//   peak        ->  bytes that one repetition holds at its highest (-1: not counted)
//   profile     ->  where the time of one repetition goes, as many lines as it takes and an empty one
// A kind or a size that the subject does not know is answered by "none". No heed headers here: peers include this too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

using Sizes = std::vector<int64_t>;
using Work = std::function<void()>;               // one repetition
using Maker = std::function<Work(const Sizes&)>;  // makes the data and warms nothing; empty: not with these sizes

struct Subject {
  std::map<std::string, Maker> kinds;
  std::function<void(int)> set_threads;
  std::function<int64_t()> system_allocations = {};      // so far
  std::function<int64_t(const Work&)> peak_bytes = {};   // at the highest while one repetition runs
  std::function<double(const Work&)> operations = {};    // of matrix products, in one repetition
  std::function<std::string(const Work&)> profile = {};  // a table, of one repetition
};

// Adds to each product [M, K] x [K, N] a workload NAME_cold, which goes through 256 MiB of matrices, so that operands
// come from memory, as they often do inside a training step.
std::map<std::string, Maker> with_cold(std::map<std::string, Maker> products);

int serve(const Subject& subject, int argc, char** argv);

}  // namespace bench
