#include "nn/sequential.h"

#include <fmt/format.h>

#include "tensor/error.h"

namespace heed::nn {

Variable Sequential::operator()(const Variable& x) const {
  Call call(*this);
  Variable y = x;
  for (const auto& child : children_) y = child->call(y);
  return call.result("output", y);
}

void Sequential::visit(Visitor& v) {
  for (size_t i = 0; i < size(); ++i) children_[i]->visit(v, std::to_string(i));
}

Sequential Sequential::clone() {
  Sequential copy;
  copy.training = training;
  for (size_t i = 0; i < size(); ++i) {
    copy.children_.push_back(children_[i]->clone());
    if (!copy.children_.back())
      throw ValueError(fmt::format("clone: a child of Sequential must have options or be copyable; got child {}", i));
  }
  return copy;
}

}  // namespace heed::nn
