// The page's style sheet and scripts (page/*.css, page/*.js), compiled in when the project is built, so that a report
// is one file without any other. Which script draws which panel stands in one table in page.cpp.
#pragma once

#include <string>
#include <vector>

namespace heed::report {

struct PageFile {
  const char* name;
  const char* text;
};
const std::vector<PageFile>& page_files();  // generated from page/ at build time

const char* page_file(const std::string& name);  // ValueError if there is none
bool has_page_file(const std::string& name);

// The scripts that draw panels of these kinds, in the order in which they are needed; core.js comes before them.
std::vector<std::string> scripts_of(const std::vector<std::string>& kinds);

std::string escaped(const std::string& text);        // for HTML
std::string inside_script(const std::string& json);  // JSON that cannot close its <script> element
// <meta> that forbids every request; with frames, a page of the same folder may be shown inside
std::string page_policy(bool frames = false);

// The page around the panels' data: `kinds` are the kinds of panel used, whose scripts alone are put in.
std::string page_html(const std::string& title, const std::string& subtitle, const std::vector<std::string>& kinds,
                      const std::string& data_json, const std::string& home = "");

}  // namespace heed::report
