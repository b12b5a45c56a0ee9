#include "tutorials/course/site.h"

#include "nn/io/file.h"
#include "nn/io/owned_folder.h"
#include "tutorials/course/from_zero.h"
#include "tutorials/course/lesson_page.h"
#include "tutorials/course/slides.h"

namespace heed::course {

namespace {

// The chapter of a lesson, and its slides if they are wanted.
RenderedLesson rendered(const Tree& tree, const std::vector<PathStep>& path, std::size_t index,
                        const SiteOptions& options, std::vector<SitePage>& slides) {
  const LessonFile& lesson = tree.lessons[index];
  std::optional<Figures> figures = read_figures(tree.root + "/tutorials/" + lesson.name + "/figures.json");
  const Figures* measured = figures ? &*figures : nullptr;
  Chapter chapter = chapter_of(tree, lesson, {.figures = measured, .solutions = options.solutions});
  if (options.slides) slides.push_back(slides_page(tree, lesson, chapter, measured));
  Page page = page_around(lesson, chapter, measured);
  auto link_to = [&](std::size_t i) { return PageLink{tree.lessons[i].name + ".html", titled(tree.lessons[i])}; };
  page.home = {"index.html", "Contents"};
  if (index > 0) page.previous = link_to(index - 1);
  if (index + 1 < tree.lessons.size()) page.next = link_to(index + 1);
  page.data = path_data(path, lesson);
  if (!page.data.empty()) page.scripts.emplace_back("course/from_zero.js");
  return {&lesson, std::move(chapter), page_of(page)};
}

}  // namespace

std::vector<SitePage> site_pages(const Tree& tree, const SiteOptions& options) {
  std::vector<SitePage> pages, slides;
  std::vector<RenderedLesson> lessons;
  const std::vector<PathStep> path = path_from_zero(tree);
  for (std::size_t i = 0; i < tree.lessons.size(); ++i) {
    if (options.only && options.only != &tree.lessons[i]) continue;
    lessons.push_back(rendered(tree, path, i, options, slides));
    pages.push_back({lessons.back().lesson->name + ".html", std::move(lessons.back().html)});
  }
  for (SitePage& page : slides) pages.push_back(std::move(page));
  if (options.only) return pages;
  pages.push_back(index_page(tree, lessons, options.playground, options.extra));
  if (!tree.glossary.terms().empty()) pages.push_back(glossary_page(tree));
  for (SitePage& page : catalogue_pages(tree)) pages.push_back(std::move(page));
  if (SitePage league = league_page(tree); !league.html.empty()) pages.push_back(std::move(league));
  for (SitePage& note : note_pages(tree, options.slides)) pages.push_back(std::move(note));
  for (const ExtraPage& one : options.extra) pages.push_back(one.page);
  if (SitePage quiz = quiz_page(tree, lessons); !quiz.html.empty()) pages.push_back(std::move(quiz));
  return pages;
}

std::vector<std::string> write_site(const Tree& tree, const std::string& folder, SiteOptions options) {
  io::FolderKind kind{.command = "course", .owner = "heed course", .files = {}};
  io::require_own(folder, kind);  // said before the work; which pages there are is known after it
  options.playground = !options.playground_page.empty() || io::exists(folder + "/playground.html");
  std::vector<SitePage> pages = site_pages(tree, options);  // all of them, before the first one is written
  for (const SitePage& page : pages) kind.files.push_back(page.file);
  if (!options.playground_page.empty()) pages.push_back({"playground.html", options.playground_page});
  const io::OwnedFolder to(folder, kind);
  for (const SitePage& page : pages) io::atomic_write(to.file(page.file), page.html);
  return kind.files;
}

}  // namespace heed::course
