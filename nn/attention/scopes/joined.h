// Several scopes as one: a&b allows what both allow, a|b what either does; & binds closer than |.
//
//   causal&window:64        the 64 words before the query, and the query
//   window:2|dilated:8,gap=4
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct JoinedScope final : Scope {
  using Options = ScopeOptions;
  JoinedScope(const Options& options, Generator& rng);
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  std::optional<int64_t> reach() const override;
  bool only_limits_order() const override;
  bool causal() const override;
  bool by_place() const override;
  bool needs_whole_source() const override;
  bool modulates() const override;
  bool rows_sum_to_one() const override;
  void visit(Visitor& v) override;
  Options options;
  std::vector<std::unique_ptr<Scope>> parts;

 private:
  bool all_;  // & joins them, else |
};

}  // namespace heed::nn
