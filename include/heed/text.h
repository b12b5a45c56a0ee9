// Words and sentences: vocabularies, byte-pair encoding, BLEU and chrF, translators of text (heed::text).
#pragma once

#include "heed/nn.h"
#include "nn/models/translator.h"
#include "nn/sentence/sentence_encoder.h"
#include "nn/text/bleu.h"
#include "nn/text/bpe.h"
#include "nn/text/chrf.h"
#include "nn/text/pairs.h"
#include "nn/text/tokenizer.h"
#include "nn/text/unicode.h"
#include "nn/text/vocabulary.h"
#include "nn/text/word_vectors.h"
