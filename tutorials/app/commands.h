// The sub-commands of the program `heed`, one per file of this folder. Each takes the command line from its name on.
#pragma once

namespace heed::app {

int attention_main(int argc, char** argv);
int classify_main(int argc, char** argv);
int course_main(int argc, char** argv);
int drawing_main(int argc, char** argv);
int embed_main(int argc, char** argv);
int fill_main(int argc, char** argv);
int generate_main(int argc, char** argv);
int get_main(int argc, char** argv);
int gradcheck_main(int argc, char** argv);
int grades_main(int argc, char** argv);
int look_main(int argc, char** argv);
int museum_main(int argc, char** argv);
int score_main(int argc, char** argv);
int search_main(int argc, char** argv);
int train_main(int argc, char** argv);
int translate_main(int argc, char** argv);

}  // namespace heed::app
