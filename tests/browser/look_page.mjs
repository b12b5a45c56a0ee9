// The pages of heed look for a small decoder of tests/golden with a tokenizer beside it, and for a transformer that heed
// trains within a second; "" where the programs are not built.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export function lookPage(build, top) {
  const program = path.join(build, "bin", "heed_look"), model = path.join(top, "build", "browser", "look_model"), out = path.join(top, "build", "browser", "look");
  if (!existsSync(program)) return "";
  rmSync(model, { recursive: true, force: true });
  mkdirSync(model, { recursive: true });
  for (const file of ["config.json", "model.safetensors"]) cpSync(path.join(top, "tests/golden/published/gpt2", file), path.join(model, file));
  cpSync(path.join(top, "tests/golden/tokenizers/deepseek.json"), path.join(model, "tokenizer.json"));
  execFileSync(program, ["--model", model, "the cat is here and there and the dog", "--out", out], { stdio: "ignore" });
  return path.join(out, "report.html");
}

export function ownLookPage(build, top) {
  const [heed, look] = ["heed", "heed_look"].map((name) => path.join(build, "bin", name)), folder = path.join(top, "build", "browser", "look_own");
  if (!existsSync(heed) || !existsSync(look)) return "";
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let dice = 1;
  const roll = (n) => { dice = (dice * 48271) % 2147483647; return dice % n; };  // the same pairs in every run
  const line = () => Array.from({ length: 1 + roll(5) }, () => "abcdefgh"[roll(8)]);
  const pairs = Array.from({ length: 400 }, line).map((words) => `${words.join(" ")}\t${words.map((word) => word.toUpperCase()).reverse().join(" ")}\n`);
  writeFileSync(path.join(folder, "pairs.tsv"), pairs.join(""));
  const model = path.join(folder, "model"), size = ["--width", 16, "--heads", 4, "--inner", 32, "--layers", 2];
  const training = ["--dropout", 0, "--learning-rate", 0.01, "--max-epochs", 12, "--bleu", "false", "--threads", 1];
  execFileSync(heed, ["train", "--pairs", path.join(folder, "pairs.tsv"), "--paper", "transformer", ...size, ...training, "--out", model].map(String), { stdio: "ignore" });
  execFileSync(look, ["--model", model, "a b c d e", "D C B A", "--out", path.join(folder, "page")], { stdio: "ignore" });
  return path.join(folder, "page", "report.html");
}
