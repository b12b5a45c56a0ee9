// The course as a static site: one page per lesson, index.html with four paths and a search box, the glossary, and the
// quiz by part. Every page is one file that opens from the file system and loads nothing.
//
//   write_site(Tree::of_source(), "out/course")
//
// The same chapters are the pages of runs, with the figures of the run (lesson_page.h).
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "tutorials/course/chapter.h"
#include "tutorials/course/tree.h"

namespace heed::course {

struct SitePage {
  std::string file, html;
};

// A page that another part of the program has made, such as the museum: its line in the index, and its entries in
// the search.
struct ExtraPage {
  SitePage page;
  std::string title, what;  // "The museum of bugs": "mistakes that were published or shipped."
  struct Find {
    std::string words, anchor, more;
  };
  std::vector<Find> finds = {};
};

struct SiteOptions {
  const LessonFile* only = nullptr;  // the chapter of one lesson alone
  bool playground = false;           // playground.html lies beside the pages, so that the index links to it
  std::string playground_page = {};  // a page to be put there; write_site also finds one that is in the folder
  bool slides = false;               // slides of each chapter, too
  bool solutions = true;             // false: nothing that solves an exercise or answers the quiz (chapter.h)
  std::vector<ExtraPage> extra = {};
};

// All pages. InputError where a README is wrong.
std::vector<SitePage> site_pages(const Tree& tree, const SiteOptions& options = {});

// Writes the pages into a folder and returns their names.
std::vector<std::string> write_site(const Tree& tree, const std::string& folder, SiteOptions options = {});

// ---- parts of the site ----
struct RenderedLesson {
  const LessonFile* lesson;
  Chapter chapter;
  std::string html;
};
SitePage index_page(const Tree& tree, const std::vector<RenderedLesson>& lessons, bool playground,
                    const std::vector<ExtraPage>& extra);
SitePage glossary_page(const Tree& tree);
SitePage quiz_page(const Tree& tree, const std::vector<RenderedLesson>& lessons);
std::vector<SitePage> catalogue_pages(const Tree& tree);          // of attention: the list, and a page for each entry
std::string anchor_of_family(const std::string& family);          // there, and on the page of the league
SitePage league_page(const Tree& tree);                           // html is empty if no results are recorded
std::vector<SitePage> note_pages(const Tree& tree, bool slides);  // one for each note whose file exists
std::string teaching_table(const Tree& tree, bool slides);        // minutes, at the end of the page for teachers
std::string note_list(const Tree& tree);                          // their lines in the index

// A row of the table "concept, file, lesson, test" of tutorials/map.md, without mark-up.
struct MapRow {
  std::string words, files, lessons, anchor;
};
std::vector<MapRow> map_rows(const Tree& tree);
io::Json search_entries(const Tree& tree, const std::vector<RenderedLesson>& lessons, bool playground,
                        const std::vector<ExtraPage>& extra);

}  // namespace heed::course
