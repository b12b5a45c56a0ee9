#include "tutorials/course/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/markdown.h"

namespace heed::course {

namespace fs = std::filesystem;

namespace {

// The first sentence of the first paragraph: up to a full stop or question mark before a space, or all of it.
std::string first_sentence(const Node& document) {
  for (const Node& node : document.children) {
    if (node.tag != "p") continue;
    std::string text = trimmed(plain_text(node));
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      if ((text[i] == '.' || text[i] == '?' || text[i] == '!') && text[i + 1] == ' ') return text.substr(0, i + 1);
    }
    return text;
  }
  return "";
}

// Whether a node or what is inside it links to `target`.
bool links_to(const Node& node, const std::string& target) {
  if (node.tag == "a" && node.target == target) return true;
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const Node& child) { return links_to(child, target); });
}

// The table of lessons in tutorials/README.md: | NN | [title](its README) | its question | time |.
void add_questions(Tree& tree) {
  const std::string list = tree.root + "/tutorials/README.md";
  if (!io::exists(list)) return;
  Node document = parse_markdown(io::read_file(list));
  for (const Node& table : document.children) {
    if (table.tag != "table" || table.children.size() < 2) continue;
    for (const Node& row : table.children[1].children) {
      for (LessonFile& lesson : tree.lessons) {
        if (row.children.size() < 4 || !links_to(row.children[1], lesson.name + "/README.md")) continue;
        if (std::string question = trimmed(plain_text(row.children[2])); !question.empty()) lesson.question = question;
        lesson.time = trimmed(plain_text(row.children[3]));
      }
    }
  }
}

LessonFile lesson_of(const std::string& root, const std::string& name) {
  LessonFile lesson{.name = name, .number = name.substr(0, 2), .title = {}, .question = {}, .time = {}};
  Node document = parse_markdown(io::read_file(root + "/tutorials/" + name + "/README.md"));
  const std::string file = "tutorials/" + name + "/README.md";
  if (document.children.empty() || document.children.front().tag != "h1")
    refuse_at(file, 1, "course: a chapter must begin with its title, # NN · Title; got something else");
  static const std::regex numbered("(\\d\\d)\\s*(?:·\\s*)?(.+)");
  std::string title = trimmed(plain_text(document.children.front()));
  std::smatch part;
  if (!std::regex_match(title, part, numbered) || part[1].str() != lesson.number)
    refuse_at(file, 1,
              fmt::format("course: the title must begin with the number {}; got \"{}\"", lesson.number, title));
  lesson.title = part[2].str();
  lesson.question = first_sentence(document);
  for (std::size_t p = 0; p < parts().size(); ++p) {
    if (std::stoi(lesson.number) >= parts()[p].first) lesson.part = p;
  }
  return lesson;
}

}  // namespace

const std::vector<Part>& parts() {
  static const std::vector<Part> list{{"Part I: the engine", 0},
                                      {"Part II: recurrent encoders", 8},
                                      {"Part III: attention, 2014 to 2017", 11},
                                      {"Part IV: the transformer", 22},
                                      {"Part V: beyond", 28}};
  return list;
}

const std::vector<Note>& notes() {
  static const std::vector<Note> list{
      {"from_zero", "tutorials/course/from_zero.md", "twelve lessons for those who know C++ and nothing else."},
      {"plans", "tutorials/course/plans.md", "lessons week by week."},
      {"teaching", "tutorials/teaching.md", "slides, minutes, an edition without solutions, grades."},
      {"translator", "tutorials/app/README.md", "training one on your own text, and using it."},
      {"map", "tutorials/map.md", "a concept, its file, its lesson and its test; and the source in reading order."},
      {"web_notes", "tutorials/course/web_notes.md", "sentences that go round, and what the papers say."}};
  return list;
}

Tree Tree::of_source() { return at(source_root()); }

Tree Tree::at(const std::string& root) {
  Tree tree{.root = root, .lessons = {}, .glossary = {}};
  if (!io::is_folder(root + "/tutorials"))
    throw InputError(fmt::format("course: the source tree must be there; got no folder \"{}/tutorials\"", root));
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(root + "/tutorials", error), end;
  for (; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    bool numbered = name.size() > 3 && std::isdigit(static_cast<unsigned char>(name[0])) &&
                    std::isdigit(static_cast<unsigned char>(name[1])) && name[2] == '_';
    if (numbered && io::exists(entry->path().string() + "/README.md")) names.push_back(name);
  }
  if (error) io::cannot_read(root + "/tutorials", error.value());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) tree.lessons.push_back(lesson_of(root, name));
  add_questions(tree);
  const std::string glossary = "tutorials/course/glossary.md";
  if (io::exists(root + "/" + glossary)) tree.glossary = Glossary(io::read_file(root + "/" + glossary), glossary);
  return tree;
}

const LessonFile* Tree::lesson(const std::string& wanted) const {
  for (const LessonFile& lesson : lessons) {
    if (lesson.name == wanted || lesson.number == wanted || lesson.number == "0" + wanted ||
        lesson.name.substr(3) == wanted)
      return &lesson;
  }
  return nullptr;
}

std::string Tree::readme(const LessonFile& lesson) const { return "tutorials/" + lesson.name + "/README.md"; }

}  // namespace heed::course
