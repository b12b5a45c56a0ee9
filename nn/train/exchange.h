// The gradients of all ranks, added up while backward still computes.
//
// clang-format off
//   backward    |  last layer |  ...  | first layer | embeddings |
//   buckets        [ bucket 0 travels ] [ bucket 1 .. ]  [ bucket 2 ]
//   step                                                           | the rest | clip, optimiser |
// clang-format on
//
// Parameters share buckets of at least `bytes` (the last of fewer) in the order in which their gradients become whole;
// the first step measures that order on rank 0. A bucket travels when it is full and those before it have left, because
// all ranks must start the same work in the same order. (Li et al., "PyTorch Distributed", VLDB 2020, section 3.2.)
//
// Sharded (ZeRO, stage 1: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
// SC 2020), a rank receives the sum of a piece of each gradient only, 1/R of it. Its optimiser, made for pieces(),
// holds the moments of these alone and updates them; then gather_parameters() gives every rank the whole parameters:
//
//   sum:  reduce-scatter + all-gather of g        sharded:  reduce-scatter of g, update, all-gather of w
//
// P parameters, R ranks, n numbers of a parameter, c = ceil(n / R) of a piece (the last ones have fewer).
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "autograd/picture.h"
#include "nn/io/safetensors.h"
#include "nn/ranks.h"

namespace heed::nn {

class GradientExchange {
 public:
  struct Options {
    bool shard = false;
    int64_t bytes = int64_t{1} << 22;  // of a bucket, at least
  };
  GradientExchange(Ranks& ranks, const std::vector<NamedVariable>& parameters, const Options& options);

  // What an optimiser updates: the parameters, or this rank's pieces of them, views of their memory of shape [c], or
  // [c, 1] for a matrix, under the same names. If a parameter has no numbers left for the last ranks, they get an empty
  // piece of it, so that every rank's optimiser has the same groups and names, even where it has nothing to update.
  const std::vector<NamedVariable>& pieces() const { return pieces_; }
  // For BackwardOptions::ready of a step's last backward pass.
  std::function<void(Node&)> ready();
  // After it: waits until all have travelled. Then .grad of pieces() is the sum over the ranks; a parameter that no
  // rank has a gradient for has none. `numbers` are summed over the ranks, too. The next step begins with zero_grad()
  // of the parameters, because what is left in .grad would be added up again, once per rank.
  void finish(std::vector<double>& numbers);
  // After the optimiser's step; nothing to do if not sharded. No parameter may get a new tensor between finish() and
  // this call.
  void gather_parameters();

  // The state of an optimiser of pieces(), made whole on every rank, and this rank's pieces of a whole one. Not
  // sharded: the same.
  io::SafeTensors whole(io::SafeTensors state);
  io::SafeTensors own(io::SafeTensors state) const;

 private:
  struct Place {
    size_t bucket = 0;
    int64_t begin = 0, each = 0;  // each: numbers of a row of the bucket
    int64_t count = 0;            // of the parameter
  };
  struct Bucket {
    std::vector<size_t> members;
    Tensor all, own;  // [rows, n]; sharded, [n]
    size_t waits = 0;
    Ranks::Started work;
  };
  int64_t rows() const { return options_.shard ? ranks_.size() : 1; }
  int64_t each(size_t p) const;            // numbers of a parameter in a row of its bucket
  Tensor flat(const Tensor& t) const;      // [n], a view of a contiguous tensor
  Tensor piece_of(const Tensor& t) const;  // of this rank
  // The index of the parameter of a tensor in an optimiser's state; parameters_.size(): there is none.
  size_t parameter_of(const std::string& slot) const;
  void fill_buckets(const std::vector<size_t>& order);
  void put(size_t p);  // copies its gradient into its bucket
  void start_full();   // sends the full buckets whose turn it is
  void begin_step();

  Ranks& ranks_;
  Options options_;
  std::vector<NamedVariable> parameters_, pieces_;
  std::unordered_map<const Node*, size_t> index_;
  std::vector<Place> places_;
  std::vector<Bucket> buckets_;
  std::vector<bool> arrived_;
  std::vector<size_t> order_;  // as they arrived in the first step
  size_t next_ = 0;            // the first bucket that has not left
  bool ordered_ = false;
};

}  // namespace heed::nn
