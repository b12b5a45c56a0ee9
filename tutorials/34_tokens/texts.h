// The text that tokens are learned from, and the rest of it, on which they are measured.
//
// A file of the reader, or the chapters of lessons 00 to 33 without listings and comments. Every eighth line is held
// out: no vocabulary sees it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "nn/text/reading.h"
#include "nn/text/unicode.h"
#include "tensor/error.h"
#include "tutorials/course/source_root.h"

namespace from_text {

namespace text = heed::text;

struct Texts {
  std::string name;
  std::vector<std::string> learned, held_out;  // lines
};

// The lines of a chapter that are sentences, lists or tables.
inline std::vector<std::string> prose_of(const std::vector<std::string>& lines) {
  std::vector<std::string> prose;
  bool listing = false;
  for (const std::string& line : lines) {
    if (line.starts_with("```")) listing = !listing;
    const bool marks = line.starts_with("```") || line.starts_with("<") || line.starts_with("![");
    if (!listing && !marks) prose.push_back(line);
  }
  return prose;
}

inline Texts texts_of(const std::string& file) {
  Texts t{.name = file.empty() ? "the chapters of this course" : file, .learned = {}, .held_out = {}};
  std::vector<std::string> lines;
  if (!file.empty()) {
    lines = text::read_lines(file);
  } else {
    const std::string lessons = heed::course::source_root() + "/tutorials";
    std::vector<std::string> chapters;
    std::error_code gone;
    for (const auto& folder : std::filesystem::directory_iterator(lessons, gone)) {
      const std::string name = folder.path().filename().string();
      if (name >= "00" && name < "34" && std::filesystem::exists(folder.path() / "README.md", gone))
        chapters.push_back((folder.path() / "README.md").string());
    }
    std::ranges::sort(chapters);
    if (chapters.empty())
      throw heed::InputError(fmt::format(
          "34_tokens: the chapters of the course must be where the program was built from; got none in {}; choose a "
          "text with --text",
          lessons));
    for (const std::string& chapter : chapters)
      for (const std::string& line : prose_of(text::read_lines(chapter))) lines.push_back(line);
  }
  int64_t number = 0;
  for (const std::string& line : lines)
    if (!text::is_blank(line)) (++number % 8 == 0 ? t.held_out : t.learned).push_back(line);
  if (number < 100)
    throw heed::InputError(
        fmt::format("34_tokens: the text must have at least 100 lines that are not blank, of which every eighth is "
                    "held out; got {} in {}",
                    number, t.name));
  return t;
}

// The words of a line, cut at white space.
inline std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (char32_t c : text::code_points(line)) {
    if (!text::is_white(c))
      text::append(words.back(), c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}
inline text::WordCounts counted(const std::vector<std::string>& lines) {
  text::WordCounts counts;
  for (const std::string& line : lines) counts.add(words_of(line));
  return counts;
}

inline int64_t letters_in(const std::string& line) { return std::ssize(text::code_points(line)); }

// One sentence in languages that the text hardly contains. The first is the sentence that lessons 07 to 26 translate.
struct Translation {
  const char *language, *script, *sentence;
};
inline const std::vector<Translation>& translations() {
  static const std::vector<Translation> all{
      {"English", "Latin", "the agreement on the European Economic Area was signed in August 1992"},
      {"French", "Latin", "l'accord sur la zone économique européenne a été signé en août 1992"},
      {"German", "Latin", "das Abkommen über den Europäischen Wirtschaftsraum wurde im August 1992 unterzeichnet"},
      {"Finnish", "Latin", "sopimus Euroopan talousalueesta allekirjoitettiin elokuussa 1992"},
      {"Russian", "Cyrillic", "соглашение о Европейской экономической зоне было подписано в августе 1992 года"},
      {"Greek", "Greek", "η συμφωνία για τον Ευρωπαϊκό Οικονομικό Χώρο υπογράφηκε τον Αύγουστο του 1992"},
      {"Arabic", "Arabic", "وُقّع اتفاق المنطقة الاقتصادية الأوروبية في أغسطس 1992"},
      {"Hindi", "Devanagari", "यूरोपीय आर्थिक क्षेत्र पर समझौते पर अगस्त 1992 में हस्ताक्षर किए गए"},
      {"Chinese", "Han", "欧洲经济区协定于1992年8月签署"},
      {"Japanese", "Kana, Han", "欧州経済領域に関する協定は1992年8月に署名された"},
  };
  return all;
}

}  // namespace from_text
