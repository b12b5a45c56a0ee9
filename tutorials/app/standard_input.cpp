#include "tutorials/app/standard_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ios>
#include <system_error>

namespace heed::app {
namespace {

constexpr size_t kAtOnce = size_t{1} << 16;  // bytes

int wait_for(int descriptor, int milliseconds) {  // above 0: there is something, if only the end
  pollfd input{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&input, 1, milliseconds);
}

}  // namespace

bool StandardInput::line_ready(size_t most) {
  for (;;) {
    auto waiting = static_cast<size_t>(egptr() - gptr());
    if (ended_ || error_ != 0 || (waiting > 0 && std::memchr(gptr(), '\n', waiting))) return true;
    if (waiting > most || wait_for(descriptor_, 0) <= 0) return false;
    read_more();
  }
}

std::streambuf::int_type StandardInput::underflow() {
  while (gptr() == egptr() && !ended_ && error_ == 0) read_more();
  if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
  if (error_ != 0) throw std::ios_base::failure("standard input", std::error_code(error_, std::generic_category()));
  return traits_type::eof();
}

void StandardInput::read_more() {
  auto waiting = static_cast<size_t>(egptr() - gptr());
  if (waiting > 0 && gptr() != eback()) std::memmove(bytes_.data(), gptr(), waiting);
  bytes_.resize(waiting + kAtOnce);
  ssize_t got = read(descriptor_, bytes_.data() + waiting, kAtOnce);
  if (got == 0) ended_ = true;
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    wait_for(descriptor_, -1);
  else if (got < 0 && errno != EINTR)
    error_ = errno;
  setg(bytes_.data(), bytes_.data(), bytes_.data() + waiting + (got > 0 ? static_cast<size_t>(got) : 0));
}

}  // namespace heed::app
