// Ranks that are threads of one process, so that a test needs no launcher: every call waits for the others.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "nn/ranks.h"
#include "tensor/elementwise.h"

namespace heed::nn_test {

class ThreadRanks final : public nn::Ranks {
 public:
  struct Shared {
    explicit Shared(int64_t size)
        : all(size), texts(static_cast<size_t>(size)), numbers(texts.size()), tensors(texts.size()) {}
    std::barrier<> all;
    std::vector<std::string> texts;
    std::vector<std::vector<double>> numbers;
    std::vector<Tensor> tensors;
  };
  ThreadRanks(Shared& shared, size_t rank) : shared_(shared), rank_(rank) {}
  int64_t rank() const override { return static_cast<int64_t>(rank_); }
  int64_t size() const override { return static_cast<int64_t>(shared_.texts.size()); }
  std::string host() const override { return "thread"; }

  Started start_sum(Tensor x) override {
    Tensor total = total_of(x);
    copy_into(x, total);
    return std::make_unique<Work>();
  }
  Started start_scattered_sum(Tensor parts, Tensor own) override {
    copy_into(own, total_of(parts).select(0, rank()));
    return std::make_unique<Work>();
  }
  Started start_gather(Tensor own, Tensor parts) override {
    shared_.tensors[rank_] = own.clone();
    shared_.all.arrive_and_wait();
    for (int64_t r = 0; r < size(); ++r) {
      Tensor row = parts.select(0, r);
      copy_into(row, shared_.tensors[static_cast<size_t>(r)]);
    }
    shared_.all.arrive_and_wait();
    return std::make_unique<Work>();
  }
  void sum(std::vector<double>& values) override {
    shared_.numbers[rank_] = values;
    shared_.all.arrive_and_wait();
    values.assign(values.size(), 0);
    for (const auto& those : shared_.numbers)
      for (size_t i = 0; i < values.size(); ++i) values[i] += those[i];
    shared_.all.arrive_and_wait();
  }
  double largest(double value) override {
    double most = value;
    for (const std::string& text : gather(std::to_string(value))) most = std::max(most, std::stod(text));
    return most;
  }
  void broadcast(std::string& text) override { text = gather(text)[0]; }
  std::vector<std::string> gather(const std::string& text) override {
    shared_.texts[rank_] = text;
    shared_.all.arrive_and_wait();
    std::vector<std::string> out = shared_.texts;
    shared_.all.arrive_and_wait();
    return out;
  }
  void barrier() override { shared_.all.arrive_and_wait(); }

 private:
  Tensor total_of(const Tensor& x) {
    shared_.tensors[rank_] = x.clone();
    shared_.all.arrive_and_wait();
    Tensor total = shared_.tensors[0].clone();
    for (size_t r = 1; r < shared_.tensors.size(); ++r) add_into(total, shared_.tensors[r]);
    shared_.all.arrive_and_wait();
    return total;
  }
  Shared& shared_;
  size_t rank_;
};

// Calls work as each of `size` ranks. What a rank throws is thrown here; the others must end by themselves.
inline void as_ranks(int64_t size, const std::function<void(nn::Ranks&)>& work) {
  ThreadRanks::Shared shared(size);
  std::vector<std::exception_ptr> errors(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (size_t r = 0; r < errors.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        ThreadRanks ranks(shared, r);
        work(ranks);
      } catch (...) {
        errors[r] = std::current_exception();
        shared.all.arrive_and_drop();  // or the others would wait for ever
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace heed::nn_test
