#include "autograd/node.h"

#include "autograd/modes.h"
#include "tensor/allocator.h"

namespace heed {
namespace {
thread_local int64_t live = 0;
thread_local uint64_t sequence_counter = 1;
}  // namespace

bool& grad_enabled_slot() {
  thread_local bool enabled = true;
  return enabled;
}
bool& anomaly_slot() {
  thread_local bool enabled = false;
  return enabled;
}

int64_t live_nodes() { return live; }
uint64_t next_sequence() { return sequence_counter; }

Node::Node(const char* op) : sequence(sequence_counter++), name(op), path(current_path()) { ++live; }
Node::~Node() { --live; }
void* Node::operator new(size_t bytes) { return allocate(bytes); }
void Node::operator delete(void* p, size_t bytes) noexcept { deallocate(p, bytes); }

Node::Extras& Node::make_extras() {
  if (!extras) {
    extras = std::make_unique<Extras>();
    extras->retained.resize(outputs.size());
    extras->wants.resize(outputs.size(), false);
  }
  return *extras;
}

// Deleting a node lets go of its inputs' nodes, which may be the last owner's goodbye again, and so on down a chain.
// The outermost call drains a queue instead: the stack stays flat.
void Node::destroy(Node* node) noexcept {
  struct Queue {
    std::vector<Node*> waiting;
    bool draining = false;
  };
  thread_local Queue queue;
  queue.waiting.push_back(node);
  if (queue.draining) return;
  queue.draining = true;
  while (!queue.waiting.empty()) {
    Node* next = queue.waiting.back();
    queue.waiting.pop_back();
    delete next;
  }
  queue.draining = false;
}

}  // namespace heed
