// What the textbook says of the catalogue's entries: one note for each, in three sentences, with a file and a lesson
// that exist.
#include "tutorials/course/entries.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "nn/attention/catalogue.h"
#include "tensor/error.h"

using namespace heed;
using namespace heed::course;

namespace {

int sentences(const std::string& text) {
  int count = 0;
  for (size_t i = 0; i < text.size(); ++i)
    count += (text[i] == '.' || text[i] == '?') && (i + 1 == text.size() || text[i + 1] == ' ');
  return count;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("entries: every entry of the catalogue has its note, and no note is of anything else") {
    const std::vector<EntryNote> notes = entry_notes();
    const Tree tree = Tree::of_source();
    std::set<std::string> once;
    for (const EntryNote& note : notes) CHECK_MESSAGE(once.insert(note.id).second, note.id << " has two notes");
    for (const nn::CatalogueEntry& e : nn::catalogue()) {
      const EntryNote* note = note_of(notes, e.id);
      CHECK_MESSAGE(note, "no note of " << e.id << " " << e.name << " in tutorials/course/entries.md");
      if (!note) continue;
      INFO(e.id, " ", e.name);
      once.erase(e.id);
      CHECK(note->name == e.name);
      CHECK(sentences(note->idea) == 3);
      CHECK(sentences(note->wrong) >= 1);
      CHECK_MESSAGE(std::filesystem::exists(tree.root + "/" + note->file), note->file);
      if (!note->lesson.empty()) CHECK_MESSAGE(tree.lesson(note->lesson), "no lesson " << note->lesson);
    }
    for (const std::string& id : once) FAIL_CHECK("a note of " << id << ", which is not in the catalogue");
  }

  TEST_CASE("entries: the form, and what is refused") {
    auto notes = read_entry_notes("# T\n\n## A1 x\nfile: f.h\nlesson: -\nwrong: One\nor two.\n\nA. B.\nC.\n", "e.md");
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].wrong == "One or two.");
    CHECK(notes[0].idea == "A. B. C.");
    CHECK(notes[0].lesson.empty());
    CHECK_THROWS_WITH_AS(read_entry_notes("## A1 x\nfile: f\n\nA.\n", "e.md"),
                         doctest::Contains("A1 x must have a file, a lesson, wrong and an idea"), InputError);
    CHECK_THROWS_WITH_AS(read_entry_notes("## A1\n", "e.md"), doctest::Contains("must be ## ID NAME"), InputError);
  }
}
