// The page of heed look for a small decoder of tests/golden with a tokenizer beside it; "" where heed_look is not built.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
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
