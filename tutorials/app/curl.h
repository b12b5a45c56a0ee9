// Downloads with curl, as a child process without a shell: it knows proxies, certificates and every kind of HTTP.
//
//   Reply reply = fetch({.url = url, .from = 4096}, [&](std::string_view bytes) { file.write(bytes); });
//
// The token is passed through a pipe, so that it is not in the list of processes, and curl sends it to the first host
// alone, not to one that it is redirected to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heed::app {

struct Request {
  std::string url;
  int64_t from = 0;  // the first byte that is wanted
  std::string token = {};
};
struct Reply {
  int curl = 0;           // its exit code; 0: all of the body has arrived
  int http = 0;           // 200, 404, ..; 0: no answer
  std::string complaint;  // of curl, in a line
};
constexpr int kNoRange = 33;  // curl: the server does not continue a file

// Passes the body to `receive` as it arrives, and nothing of a page that reports an error. What `receive` throws ends
// curl. InputError if there is no curl.
Reply fetch(const Request& request, const std::function<void(std::string_view)>& receive);

}  // namespace heed::app
