// What the Rust library `tokenizers` (npm: @anush008/tokenizers) answers for the tokenizers that make.py has made.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const { Tokenizer } = createRequire(process.cwd() + '/')('@anush008/tokenizers');
const { names, texts } = JSON.parse(readFileSync('/tmp/tokenizer_texts.json'));
const all = {};
for (const name of names) {
  console.error(name);
  const tokenizer = Tokenizer.fromFile(name + '.json');
  all[name] = { cases: [], pairs: [], truncation: [] };
  for (const text of texts) {
    const e = await tokenizer.encode(text, null, { addSpecialTokens: true });
    const plain = await tokenizer.encode(text, null, { addSpecialTokens: false });
    all[name].cases.push({ text, ids: e.getIds(), tokens: e.getTokens(), offsets: e.getOffsets(), special_tokens_mask: e.getSpecialTokensMask(),
      plain_ids: plain.getIds(), decoded: await tokenizer.decode(e.getIds(), false), decoded_skip_special: await tokenizer.decode(e.getIds(), true) });
  }
}
writeFileSync('answers.json', JSON.stringify(all));
