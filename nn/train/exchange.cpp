#include "nn/train/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "autograd/node.h"
#include "nn/io/pack.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"

namespace heed::nn {

GradientExchange::GradientExchange(Ranks& ranks, const std::vector<NamedVariable>& parameters, const Options& options)
    : ranks_(ranks), options_(options), parameters_(parameters) {
  options_.shard = options.shard && ranks.size() > 1;
  std::unordered_map<const void*, std::string> seen;
  for (size_t p = 0; p < parameters.size(); ++p) {
    const Variable& whole = parameters[p].variable;
    if (const auto [first, fresh] = seen.emplace(whole.identity(), parameters[p].name); !fresh)
      throw ValueError(fmt::format("exchange: each parameter must be given once; got \"{}\" and \"{}\", which are one",
                                   first->second, parameters[p].name));
    if (ranks.size() > 1 && !(whole.requires_grad() && whole.value().is_contiguous()))
      throw ValueError(fmt::format("exchange: a parameter must require a gradient and be contiguous; got \"{}\", {}",
                                   parameters[p].name, whole.requires_grad() ? "strided" : "a constant"));
    pieces_.push_back({parameters[p].name, options_.shard ? Variable(piece_of(whole.value()), Variable::kRequiresGrad)
                                                          : parameters[p].variable});
  }
  if (ranks.size() == 1) return;                 // which needs no buckets
  std::vector<size_t> order(parameters.size());  // backward begins with what forward used last
  std::iota(order.rbegin(), order.rend(), size_t{0});
  fill_buckets(order);
}

int64_t GradientExchange::each(size_t p) const { return (parameters_[p].variable.count() + rows() - 1) / rows(); }

Tensor GradientExchange::flat(const Tensor& t) const { return t.reshape({t.count()}); }

Tensor GradientExchange::piece_of(const Tensor& t) const {
  const int64_t n = t.count(), c = (n + rows() - 1) / rows();
  const int64_t begin = std::min(n, ranks_.rank() * c), end = std::min(n, begin + c);
  Tensor piece = flat(t).slice(0, begin, end);
  return t.rank() < 2 ? piece : piece.reshape({end - begin, 1});  // a matrix for is_matrix, which decides what decays
}

void GradientExchange::fill_buckets(const std::vector<size_t>& order) {
  buckets_.clear();
  places_.assign(parameters_.size(), {});
  int64_t bytes = 0;
  for (size_t p : order) {
    const DType dtype = parameters_[p].variable.dtype();
    if (buckets_.empty() || bytes >= options_.bytes ||
        parameters_[buckets_.back().members[0]].variable.dtype() != dtype) {
      buckets_.emplace_back();
      bytes = 0;
    }
    Bucket& bucket = buckets_.back();
    int64_t begin = 0;
    if (!bucket.members.empty()) begin = places_[bucket.members.back()].begin + places_[bucket.members.back()].each;
    places_[p] = {buckets_.size() - 1, begin, each(p), parameters_[p].variable.count()};
    bucket.members.push_back(p);
    bytes += parameters_[p].variable.count() * static_cast<int64_t>(size_of(dtype));
  }
  for (Bucket& bucket : buckets_) {
    const Place& last = places_[bucket.members.back()];
    const DType dtype = parameters_[bucket.members[0]].variable.dtype();
    bucket.all = Tensor::zeros({rows(), last.begin + last.each}, dtype);
    if (options_.shard) bucket.own = Tensor::zeros({last.begin + last.each}, dtype);
  }
  begin_step();
}

void GradientExchange::begin_step() {
  arrived_.assign(parameters_.size(), false);
  for (Bucket& bucket : buckets_) bucket.waits = bucket.members.size();
  next_ = 0;
}

std::function<void(Node&)> GradientExchange::ready() {
  if (ranks_.size() == 1) return {};
  index_.clear();  // now, since a parameter that was frozen in between has another node, or none
  for (size_t p = 0; p < parameters_.size(); ++p)
    if (parameters_[p].variable.requires_grad()) index_[parameters_[p].variable.node().get()] = p;
  return [this](Node& leaf) {
    auto found = index_.find(&leaf);
    if (found == index_.end()) return;
    if (arrived_[found->second])
      throw ValueError(
          fmt::format("exchange: the gradient of \"{}\" must be whole when it leaves; got a second backward pass; "
                      "hint: ready() for the last pass of a step alone",
                      parameters_[found->second].name));
    if (!ordered_) order_.push_back(found->second);
    put(found->second);
    start_full();
  };
}

void GradientExchange::put(size_t p) {
  const Place& place = places_[p];
  Bucket& bucket = buckets_[place.bucket];
  arrived_[p] = true;
  --bucket.waits;
  if (const Tensor& now = parameters_[p].variable.value();
      now.count() != place.count || now.dtype() != bucket.all.dtype() || !now.is_contiguous())
    throw ValueError(fmt::format(
        "exchange: a parameter must keep its size and type and stay contiguous; got \"{}\" as {} {}{}; hint: "
        "make the exchange when the model has its final form",
        parameters_[p].name, name_of(now.dtype()), to_string(now.shape()), now.is_contiguous() ? "" : ", strided"));
  const Tensor g = parameters_[p].variable.grad();
  const Tensor from = g.defined() ? flat(g.contiguous()) : Tensor();
  for (int64_t r = 0; r < rows(); ++r) {
    Tensor row = bucket.all.select(0, r).slice(0, place.begin, place.begin + place.each);
    const int64_t begin = std::min(place.count, r * place.each), end = std::min(place.count, begin + place.each);
    if (!from.defined() || end - begin < place.each) fill_into(row, 0);
    if (!from.defined() || begin == end) continue;
    Tensor part = row.slice(0, 0, end - begin);
    copy_into(part, from.slice(0, begin, end));
  }
}

void GradientExchange::start_full() {
  for (size_t b = 0; b < next_; ++b)
    if (buckets_[b].work) buckets_[b].work->push();
  for (; next_ < buckets_.size() && buckets_[next_].waits == 0; ++next_) {
    Bucket& bucket = buckets_[next_];
    bucket.work = options_.shard ? ranks_.start_scattered_sum(bucket.all, bucket.own) : ranks_.start_sum(bucket.all);
  }
}

void GradientExchange::finish(std::vector<double>& numbers) {
  if (ranks_.size() == 1) return;
  std::vector<double> sums = numbers;
  for (const NamedVariable& p : parameters_) sums.push_back(p.variable.grad().defined() ? 1 : 0);
  for (size_t p = 0; p < parameters_.size(); ++p)
    if (!arrived_[p]) put(p);
  start_full();
  ranks_.sum(sums);
  for (Bucket& bucket : buckets_) {
    bucket.work->wait();
    bucket.work.reset();
    for (size_t p : bucket.members) {
      Variable whole = parameters_[p].variable;
      const Place& place = places_[p];
      const bool any = sums[numbers.size() + p] > 0;
      if (!options_.shard) {
        if (!any && !whole.requires_grad()) continue;  // frozen
        whole.set_grad(
            any ? bucket.all.select(0, 0).slice(0, place.begin, place.begin + place.each).reshape(whole.shape()).clone()
                : Tensor());
        continue;
      }
      if (whole.requires_grad()) whole.zero_grad();
      Variable piece = pieces_[p].variable;
      piece.set_value(piece_of(whole.value()));  // its memory is another one after a checkpoint was loaded
      piece.set_grad(any ? bucket.own.slice(0, place.begin, place.begin + piece.count()).reshape(piece.shape()).clone()
                         : Tensor());
    }
  }
  std::copy_n(sums.begin(), numbers.size(), numbers.begin());
  if (!ordered_) {  // rank 0's, whether or not this rank had a backward pass
    ordered_ = true;
    for (size_t p = 0; p < parameters_.size(); ++p)
      if (std::find(order_.begin(), order_.end(), p) == order_.end()) order_.push_back(p);
    io::Packer mine;
    for (size_t p : order_) mine.add(static_cast<int64_t>(p));
    ranks_.broadcast(mine.bytes);
    io::Unpacker roots(mine.bytes);
    for (size_t& p : order_) p = static_cast<size_t>(roots.number());
    fill_buckets(order_);
  }
  begin_step();
}

void GradientExchange::gather_parameters() {
  if (!options_.shard) return;
  for (Bucket& bucket : buckets_) {
    for (size_t p : bucket.members) {
      const Tensor piece = pieces_[p].variable.value(), place = piece_of(parameters_[p].variable.value());
      if (piece.storage().data() != place.storage().data() || piece.offset() != place.offset())
        throw ValueError(fmt::format(
            "exchange: a parameter must keep its value from finish() to gather_parameters(); got \"{}\" with "
            "a new one, which the others' pieces would overwrite; hint: set_value before the backward pass",
            parameters_[p].name));
      Tensor to = bucket.own.slice(0, places_[p].begin, places_[p].begin + piece.count());
      copy_into(to, flat(piece));
    }
    bucket.work = ranks_.start_gather(bucket.own, bucket.all);
  }
  for (Bucket& bucket : buckets_) {
    bucket.work->wait();
    bucket.work.reset();
    for (size_t p : bucket.members) {
      Tensor value = parameters_[p].variable.value(), to = flat(value);
      const Place& place = places_[p];
      for (int64_t r = 0; r < rows(); ++r) {
        const int64_t begin = std::min(to.count(), r * place.each), end = std::min(to.count(), begin + place.each);
        if (begin == end) break;
        Tensor part = to.slice(0, begin, end);
        copy_into(part, bucket.all.select(0, r).slice(0, place.begin, place.begin + end - begin));
      }
    }
  }
}

size_t GradientExchange::parameter_of(const std::string& slot) const {  // "mean.decoder.weight"
  const std::string name = slot.substr(slot.find('.') + 1);
  auto found = std::find_if(parameters_.begin(), parameters_.end(), [&](const auto& v) { return v.name == name; });
  return static_cast<size_t>(found - parameters_.begin());
}

io::SafeTensors GradientExchange::whole(io::SafeTensors state) {
  if (!options_.shard) return state;
  io::Packer names;  // rank 0's; those of all ranks are the same
  for (const auto& [name, tensor] : state.tensors) names.add(name);
  std::string count = std::to_string(state.tensors.size());
  ranks_.broadcast(names.bytes);
  ranks_.broadcast(count);
  io::Unpacker wanted(names.bytes);
  io::SafeTensors out{.tensors = {}, .metadata = state.metadata};
  for (int64_t i = std::stoll(count); i > 0; --i) {
    const std::string name = wanted.text();
    const size_t p = parameter_of(name);
    const Tensor* mine = state.find(name);
    if (p == parameters_.size() || (mine && mine->count() > each(p)))
      throw ValueError(
          fmt::format("exchange: the state must be that of an optimiser of pieces(); got the tensor \"{}\"{}", name,
                      mine ? " " + to_string(mine->shape()) : ""));
    const Variable& value = parameters_[p].variable;
    Tensor own = Tensor::zeros({each(p)}, value.dtype()), all = Tensor::zeros({rows(), each(p)}, value.dtype());
    if (mine) {
      Tensor to = own.slice(0, 0, mine->count());
      copy_into(to, flat(*mine));
    }
    ranks_.start_gather(own, all)->wait();
    out.tensors.emplace_back(name, flat(all).slice(0, 0, value.count()).reshape(value.shape()).clone());
  }
  return out;
}

io::SafeTensors GradientExchange::own(io::SafeTensors state) const {
  if (!options_.shard) return state;
  io::SafeTensors out{.tensors = {}, .metadata = state.metadata};
  for (const auto& [name, tensor] : state.tensors) {
    const size_t p = parameter_of(name);
    const bool fits = p < parameters_.size() && parameters_[p].variable.shape() == tensor.shape();
    out.tensors.emplace_back(name, fits ? piece_of(tensor.contiguous()).clone() : tensor);  // else it is refused later
  }
  return out;
}

}  // namespace heed::nn
