#include "tutorials/05_network/exercises/1_module.h"

namespace mine {

using namespace heed;

Variable Block::operator()(const Variable& x) const {
  Call call(*this);
  // ---- the gap: y, from x and the layers up and down ----
  // | return call.result("output", x);
  // ---- filled ----
  return call.result("output", x + down(relu(up(x))));
  // ---- end of the gap ----
}

void Block::visit(nn::Visitor& v) {
  // ---- the gap: name the two layers "up" and "down" ----
  // |
  // ---- filled: name the two layers ----
  v.child("up", up);
  v.child("down", down);
  // ---- end of the gap ----
}

}  // namespace mine
