// Ranks: the processes that train one model together. Each has the whole model and a share of every batch.
//
//   rank 0      reads the texts, writes the files, decides when to stop
//   rank r      computes rows r, r + R, r + 2 R, ... of each batch; R ranks
//
// A loop written for ranks also runs alone: Ranks itself is the one rank of one process, and every call then does
// nothing. Those of MPI are in distributed/, a library of its own. All ranks make the same calls in the same order
// (started work included), as MPI asks for; a rank that ends without the others must end the job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed::nn {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int64_t rank() const { return 0; }
  virtual int64_t size() const { return 1; }
  bool root() const { return rank() == 0; }

  // Work that goes on while the caller computes. The tensors stay as they are until wait() has returned; they are
  // contiguous, f32 or f64.
  class Work {
   public:
    virtual ~Work() = default;
    virtual void push() {}  // lets it go on: called now and then, because MPI works inside its calls only
    virtual void wait() {}
  };
  using Started = std::unique_ptr<Work>;
  // x <- sum of the ranks' x
  virtual Started start_sum(Tensor x);
  // parts [R, n], own [n]: own <- row `rank` of the sum of the ranks' parts
  virtual Started start_scattered_sum(Tensor parts, Tensor own);
  // own [n], parts [R, n]: row r <- rank r's own
  virtual Started start_gather(Tensor own, Tensor parts);

  virtual void sum(std::vector<double>& values) { (void)values; }
  virtual double largest(double value) { return value; }
  virtual void broadcast(std::string& text) { (void)text; }  // rank 0's, to all
  // Every rank's text, at every rank.
  virtual std::vector<std::string> gather(const std::string& text) { return {text}; }
  virtual void barrier() {}
  virtual std::string host() const { return ""; }
};

Ranks& alone();

// The members of a batch that are this rank's: those at places rank, rank + R, ... Sorted by length as batches are, the
// shares of all ranks have about the same number of words. A rank without any takes the first (idle_share): its loss
// then counts nothing, but its random streams move on as those of the others.
std::vector<int64_t> share_of(const std::vector<int64_t>& members, int64_t rank, int64_t size);
inline bool idle_share(int64_t members, int64_t rank) { return rank >= members; }

// InputError that names the ranks whose text is not rank 0's: "ranks: all must have the same <what>; ..".
void require_same(Ranks& ranks, const std::string& what, const std::string& text);
// InputError that names the ranks whose tensors differ from those of most, if any do.
void require_same_tensors(Ranks& ranks, const std::vector<Tensor>& tensors, const std::string& when);

}  // namespace heed::nn
