// Weight matrices that are packed once, in the order in which the kernel reads them, and kept for all calls without
// gradients (PackedWeights, autograd/ops_matmul.h). A module that owns a Packed opens a Use in its calls:
//
//   Packed::Use use(packed);
//
// Several threads may call a module at once, and a set of packed matrices belongs to one thread at a time. So a call
// borrows a set that nobody uses, or makes a new one. A model has as many sets as calls have run at the same time, and
// each is as large as its weights. Calls that record gradients borrow none.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "autograd/modes.h"
#include "autograd/ops_matmul.h"

namespace heed::nn::published {

class Packed {
  struct Idle {
    std::mutex mutex;
    std::vector<std::unique_ptr<PackedWeights>> sets;
  };

 public:
  class Use {
   public:
    explicit Use(const Packed& packed) : idle_(*packed.idle_) {
      if (grad_enabled()) return;
      {
        std::lock_guard lock(idle_.mutex);
        if (!idle_.sets.empty()) set_ = std::move(idle_.sets.back()), idle_.sets.pop_back();
      }
      if (!set_) set_ = std::make_unique<PackedWeights>();
      step_.emplace(*set_);
    }
    ~Use() {
      step_.reset();
      if (!set_) return;
      std::lock_guard lock(idle_.mutex);
      idle_.sets.push_back(std::move(set_));
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Idle& idle_;
    std::unique_ptr<PackedWeights> set_;
    std::optional<PackedWeights::Step> step_;
  };

 private:
  std::unique_ptr<Idle> idle_ = std::make_unique<Idle>();  // so that a module can be moved
};

}  // namespace heed::nn::published
