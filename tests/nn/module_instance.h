// How a type of module becomes a ModuleCase (module_support.h).
#pragma once

#include <utility>

#include "tests/nn/module_support.h"

namespace heed::nn_test {

template <class M>
using Loss = Variable (*)(M&, DType);

template <class M>
struct Instance final : AnyModule {
  Instance(M m, Loss<M> l) : module(std::move(m)), loss_of(l) {}
  operator nn::Module&() override { return module; }
  void visit(nn::Visitor& visitor) override { module.visit(visitor); }
  Variable loss(DType dtype) override { return loss_of(module, dtype); }
  std::unique_ptr<AnyModule> clone() override { return std::make_unique<Instance>(nn::clone(module), loss_of); }
  M module;
  Loss<M> loss_of;
};

template <class M>
void add(std::vector<ModuleCase>& all, const std::string& name, const typename M::Options& options, int64_t parameters,
         Loss<M> loss) {
  all.push_back({name, parameters, [=](uint64_t seed) -> std::unique_ptr<AnyModule> {
                   return std::make_unique<Instance<M>>(heed::nn_test::make<M>(options, seed), loss);
                 }});
}

void transformers(std::vector<ModuleCase>& all);  // nn/transformer/
void sentences(std::vector<ModuleCase>& all);     // nn/sentence/

}  // namespace heed::nn_test
