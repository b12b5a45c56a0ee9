// What every page of the course has around its text: the head with the policy that forbids requests, the style sheets,
// the bar with previous and next, contents at the side, and only the scripts that the page needs.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "tutorials/course/html.h"

namespace heed::course {

struct PageLink {
  std::string href = {}, title = {};
};

struct Page {
  std::string title = {}, description = {};
  std::string body = {};                         // of <main>
  std::vector<Heading> contents = {};            // those of level 2 are listed at the side
  PageLink home = {}, previous = {}, next = {};  // without href: left out
  std::vector<std::string> kinds = {};           // of its panels
  std::vector<std::string> plays = {};           // names of files in play/
  std::vector<io::Json> panels = {};             // their data, in the order of data-panel
  std::vector<std::string> scripts = {};         // further files, such as course/search.js
  std::vector<std::string> styles = {};          // further style sheets
  std::string data = {};                         // further elements at the end of the page
  std::string css_class = {};
  bool frames = false;  // it shows another page of the site inside; nothing else can be loaded
};

std::string page_of(const Page& page);

bool has_page_file(const std::string& name);  // "play/soft_lookup.js"

// The scripts for these panels and plays in the order in which they are needed. A script that uses heed.name needs the
// file that sets it.
std::vector<std::string> scripts_for(const Page& page);

}  // namespace heed::course
