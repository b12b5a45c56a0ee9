#include "autograd/node.h"

#include <utility>

#include "autograd/modes.h"

namespace heed {
namespace {
thread_local int64_t live = 0;
thread_local uint64_t sequence_counter = 1;
}  // namespace

int64_t live_nodes() { return live; }
uint64_t next_sequence() { return sequence_counter; }

Node::Node(const char* op) : sequence(sequence_counter++), name(op), path(current_path()) { ++live; }
Node::~Node() { --live; }

Node::Extras& Node::make_extras() {
  if (!extras) {
    extras = std::make_unique<Extras>();
    extras->retained.resize(outputs.size());
    extras->wants.resize(outputs.size(), false);
  }
  return *extras;
}

// Deleting a node lets go of its inputs' nodes, which may be the last owner's goodbye again, and so on down a chain.
// The outermost call works off a list instead: the stack stays flat. The list is threaded through the nodes and needs
// no destructor, so that Variables with static storage can be destroyed after it.
void Node::destroy(Node* node) noexcept {
  thread_local Node* doomed = nullptr;
  thread_local bool draining = false;
  node->next_doomed = doomed;
  doomed = node;
  if (draining) return;
  draining = true;
  while (doomed) delete std::exchange(doomed, doomed->next_doomed);
  draining = false;
}

}  // namespace heed
