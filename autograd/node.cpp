#include "autograd/node.h"

#include <atomic>

#include "autograd/hooks.h"
#include "tensor/allocator.h"

namespace heed {
namespace {
constinit thread_local int64_t live = 0;
constinit thread_local uint64_t recording_scope = 0;
uint64_t next_scope() {
  static std::atomic<uint64_t> last{0};
  return last += 2;
}
}  // namespace

int64_t live_nodes() { return live; }

RecordingScope::RecordingScope() : id_(next_scope()), scope_(recording_scope, id_) {}

Node::Node() : path(current_path()), mark(recording_scope) { ++live; }

void Node::lay_out(Edge* edges, size_t edge_count, std::span<const Tensor> outputs) {
  edges_ = edges;
  edge_count_ = static_cast<uint32_t>(edge_count);
  output_count_ = static_cast<uint32_t>(outputs.size());
  for (Edge& e : this->edges()) new (&e) Edge();
  for (size_t k = 0; k < outputs.size(); ++k) new (&this->outputs()[k]) Output(outputs[k]);
}

Node::~Node() {
  for (Edge& e : edges()) e.~Edge();
  for (Output& o : outputs()) o.~Output();
  --live;
}

// Destroying a node drops its inputs' nodes, which may destroy these too, and so on down a chain of any length. The
// outermost call works off a list instead, so the stack stays flat. The list is threaded through the nodes and needs no
// destructor itself: Variables with static storage may be destroyed after it.
void Node::destroy(Node* node) noexcept {
  constinit thread_local Node* doomed = nullptr;
  constinit thread_local bool draining = false;
  node->next_doomed = doomed;
  doomed = node;
  if (draining) return;
  draining = true;
  while (Node* next = doomed) {
    doomed = next->next_doomed;
    size_t bytes = next->bytes_;
    next->~Node();
    deallocate(next, bytes);
  }
  draining = false;
}

}  // namespace heed
