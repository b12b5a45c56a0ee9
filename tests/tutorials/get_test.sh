#!/usr/bin/env bash
# heed get from outside, against a server of this machine: a folder appears whole or not at all, a broken download
# continues, digests and names are checked, and every refusal is one sentence, exit 2. The argument: the program.
heed=$1
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
{ command -v curl && command -v python3; } >/dev/null || { echo 'skipped: no curl or no python3'; exit 77; }

# Models are folders of served/. Their settings are files beside them: MODEL.cut breaks the connection after so many
# bytes of a file, as often as MODEL.times says; MODEL.code answers with this code; MODEL.list is the list of files.
cat >server.py <<'END'
import hashlib, http.server, json, os, sys
ROOT = sys.argv[1]
def text(path, otherwise=""):
    return open(path).read().strip() if os.path.exists(path) else otherwise
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def answer(self, code, body=b"", headers=()):
        self.send_response(code)
        for h in headers: self.send_header(*h)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        with open("log.txt", "a") as log:
            print(self.path, self.headers.get("Range", "-"), self.headers.get("Authorization", "-"), file=log)
        path = self.path.split("?")[0]
        if path.startswith("/api/models/"):
            name = path[len("/api/models/"):]
            base = os.path.join(ROOT, name)
            code = text(base + ".code")
            if code: return self.answer(int(code), b'{"error": "no"}')
            if not os.path.isdir(base): return self.answer(404, b'{"error": "Repository not found"}')
            if os.path.exists(base + ".list"): return self.answer(200, open(base + ".list", "rb").read())
            files = []
            for folder, _, names in os.walk(base):
                for one in sorted(names):
                    full = os.path.join(folder, one)
                    data = open(full, "rb").read()
                    row = {"rfilename": os.path.relpath(full, base), "size": len(data),
                           "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()}
                    if one.endswith((".safetensors", ".bin")):
                        row["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
                        row["blobId"] = "0" * 40
                    files.append(row)
            return self.answer(200, json.dumps({"id": name, "sha": "a" * 40, "siblings": files}).encode())
        name, _, file = path[1:].partition("/resolve/" + "a" * 40 + "/")
        base = os.path.join(ROOT, name)
        full = os.path.join(base, file)
        code = text(base + ".file_code")
        if code: return self.answer(int(code), b"closed")
        if not os.path.isfile(full): return self.answer(404)
        data = open(full, "rb").read()
        if os.path.exists(base + ".wrong") and file.endswith(".safetensors"): data = data[:-1] + b"x"
        begin, wanted = 0, self.headers.get("Range")
        if wanted and not os.path.exists(base + ".no_range"):
            begin = int(wanted[len("bytes="):-1])
            if begin >= len(data): return self.answer(416)
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(data) - begin))
        if begin: self.send_header("Content-Range", "bytes %d-%d/%d" % (begin, len(data) - 1, len(data)))
        self.end_headers()
        cut, times = int(text(base + ".cut", "0")), int(text(base + ".times", "0"))
        if cut and times and file.endswith(".safetensors"):
            with open(base + ".times", "w") as f: f.write(str(times - 1))
            self.wfile.write(data[begin:begin + cut])
            self.wfile.flush()
            self.connection.close()
            return
        self.wfile.write(data[begin:])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port.tmp", "w") as f: f.write(str(server.server_port))
os.rename("port.tmp", "port")
server.serve_forever()
END
mkdir -p served/own/small/1_Pooling
printf '{"model_type": "bert"}' >served/own/small/config.json
printf '{"a": 1}' >served/own/small/1_Pooling/config.json
printf 'a\nb\n' >served/own/small/vocab.txt
for n in 55 56 63 64 119 120; do head -c "$n" /dev/urandom >"served/own/small/$n.txt"; done  # the ends of blocks
printf 'code' >served/own/small/model.py
printf 'a pickle' >served/own/small/pytorch_model.bin
mkdir served/own/small/onnx
printf '{}' >served/own/small/onnx/config.json
head -c 300000 /dev/urandom >served/own/small/model.safetensors
for name in cut wrong gated no_range other; do cp -r served/own/small served/own/$name; done
head -c 300000 /dev/urandom >served/own/other/model.safetensors
mkdir served/own/pickled served/own/climbs
printf 'a pickle' >served/own/pickled/pytorch_model.bin

python3 server.py served 2>server.err &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$dir"' EXIT
for _ in $(seq 100); do [ -s port ] && break; sleep 0.1; done
[ -s port ] || { echo "MISS the server does not start: $(cat server.err)"; exit 1; }
HF_ENDPOINT=http://127.0.0.1:$(cat port)
export HF_ENDPOINT no_proxy=127.0.0.1
unset HF_TOKEN http_proxy HTTP_PROXY

get() { timeout 120 "$heed" get "$@" >out.txt 2>err.txt </dev/null; }
# refused "part of the sentence" ARGUMENTS...
refused() {
  local part=$1 code=0
  shift
  get "$@" || code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  [ ! -s out.txt ] || miss "$*: on standard output: $(cat out.txt)"
  grep -qF -- "$part" err.txt || miss "$*: $(cat err.txt)"
  [ "$(grep -c '^get: .*; got ' err.txt)" = 1 ] || miss "$*: not one sentence: $(cat err.txt)"
}
same() { diff -r -x '*.py' -x '*.bin' -x onnx "$1" "$2" >diff.txt || miss "$1 and $2 differ: $(cat diff.txt)"; }

# --- a whole model ---
get own/small || miss "own/small: exit $? $(cat err.txt)"
[ "$(cat out.txt)" = out/models/own/small ] || miss "own/small: printed $(cat out.txt)"
same served/own/small out/models/own/small
grep -q '^get: own/small: 10 files, 301 kB, into out/models/own/small$' err.txt || miss "own/small: said $(cat err.txt)"
for left in model.py pytorch_model.bin onnx; do [ ! -e out/models/own/small/$left ] || miss "took $left"; done
[ ! -e out/models/own/small.part ] || miss 'own/small.part is still there'
: >log.txt
get own/small || miss "again: exit $?"
[ "$(cat out.txt)" = out/models/own/small ] || miss "again: printed $(cat out.txt)"
grep -q resolve log.txt && miss 'again: downloaded what is whole'
get own/small --out here --yes || miss "--out: exit $? $(cat err.txt)"
same served/own/small here
HF_TOKEN=secret-word get own/small --out token || miss "a token: exit $?"
grep -q 'resolve.*Bearer secret-word' log.txt || miss 'the token does not reach the server'
refused '--out must be a new folder; got "here"' own/other --out here
printf 'mine' >file
refused '--out must be a new folder; got "file"' own/small --out file

# --- a broken download continues ---
echo 100000 >served/own/cut.cut
echo 2 >served/own/cut.times  # within a call, as long as each connection brings something
: >log.txt
get own/cut --out cut || miss "cut twice: exit $? $(cat err.txt)"
same served/own/cut cut
grep -q 'model.safetensors bytes=200000-' log.txt || miss "cut twice: $(cat log.txt)"
echo 1000 >served/own/cut.cut
echo 1000 >served/own/cut.times
refused 'hint: the same command continues' own/cut --out later
[ -e later ] && miss 'half a model has its name'
had=$(wc -c <later.part/model.safetensors.part)
[ "$had" -gt 1000 ] || miss "what came before is not kept: $had bytes"
[ -s later.part/config.json ] || miss 'the files before are not kept'
echo 0 >served/own/cut.times
: >log.txt
get own/cut --out later || miss "continued: exit $? $(cat err.txt)"
same served/own/cut later
grep -q "model.safetensors bytes=$had-" log.txt || miss "continued from another place: $(cat log.txt)"
grep -q 'resolve/a\{40\}/config.json ' log.txt && miss 'downloaded what was whole'
# a server that knows no ranges: from the beginning
mkdir -p plain.part
head -c 1234 served/own/no_range/model.safetensors >plain.part/model.safetensors.part
touch served/own/no_range.no_range
get own/no_range --out plain || miss "no ranges: exit $? $(cat err.txt)"
same served/own/no_range plain
# what was begun is of another file: its digest tells, and the next call begins again
mkdir stale.part
head -c 5000 /dev/zero >stale.part/model.safetensors.part
refused 'model.safetensors must have the digest' own/small --out stale
get own/small --out stale || miss "after a stale part: exit $? $(cat err.txt)"
same served/own/small stale
mkdir strange.part
printf 'mine' >strange.part/letter.json
refused 'must have files of own/small alone; got letter.json' own/small --out strange
[ "$(cat strange.part/letter.json)" = mine ] || miss 'a file of somebody else is gone'

# --- what is refused ---
touch served/own/wrong.wrong
refused 'the file model.safetensors must have the digest' own/wrong --out wrong
[ -e wrong ] && miss 'a model with a wrong digest has its name'
[ -e wrong.part/model.safetensors.part ] && miss 'bytes with a wrong digest are kept'
refused 'the model own/nothing must be at http://127.0.0.1:' own/nothing
grep -q 'got 404' err.txt || miss "own/nothing: $(cat err.txt)"
echo 403 >served/own/gated.code
refused 'must be open to you; got 403, it is gated; hint: accept' own/gated --out gated
echo 401 >served/own/gated.code
refused 'must be open to you; got 401' own/gated --out gated
rm served/own/gated.code
echo 403 >served/own/gated.file_code
refused 'must be open to you; got 403' own/gated --out gated
[ -e gated ] && miss 'a gated model has a folder'
echo 500 >served/own/gated.code
refused 'got the answer 500' own/gated --out gated
refused 'must have its weights as safetensors; got pytorch_model.bin, a pickle' own/pickled
grep -q 'hint: convert it .*save_pretrained' err.txt || miss "own/pickled: $(cat err.txt)"
# shellcheck disable=SC2016  # a name is no command
for name in ../small own/../small own/.. .. /own/small own/small/more 'own/sm all' own/ 'own/a?b' -- 'own/$(id)'; do
  refused 'NAME must be OWNER/MODEL' -- "$name"
done
code=0
get || code=$?
{ [ "$code" = 2 ] && grep -q '^heed get: NAME is required' err.txt; } || miss "no name: exit $code, $(cat err.txt)"
for climbing in ../evil.json /tmp/evil.json a/../../evil.json './evil.json' 'a//evil.json' 'a\\..\\evil.json' 'a\u0000.json' ''; do
  printf '{"siblings": [{"rfilename": "%s", "size": 1}]}' "$climbing" >served/own/climbs.list
  refused 'the name of a file must stay in the folder' own/climbs
done
[ -z "$(find . -name '*evil*')" ] || miss 'a file has climbed out'
for list in '' '[' '[]' '{}' '{"siblings": 3}' '{"siblings": [3]}' '{"siblings": [{"rfilename": "a.safetensors"}]}' \
    '{"siblings": [{"rfilename": "a.safetensors", "size": -1}]}' \
    '{"siblings": [{"rfilename": "a.safetensors", "size": 1, "blobId": "x"}]}'; do
  printf '%s' "$list" >served/own/climbs.list
  code=0
  get own/climbs || code=$?
  { [ "$code" = 2 ] && [ "$(wc -l <err.txt)" = 1 ]; } || miss "a list $list: exit $code, $(cat err.txt)"
done
# A name is data, never a command or a pattern of URLs.
# shellcheck disable=SC2016
printf '{"siblings": [{"rfilename": "$(touch bad)[1-3].safetensors", "size": 1}]}' >served/own/climbs.list
refused 'got 404' own/climbs --out climbs
[ -e bad ] && miss 'a name was a command'
HF_ENDPOINT=ftp://x refused 'HF_ENDPOINT must begin with' own/small --out x
HF_ENDPOINT=http://127.0.0.1:1 refused "must answer; got curl's 7" own/small --out x
mkdir empty
code=0
(PATH=$dir/empty "$heed" get own/small --out x >out.txt 2>err.txt </dev/null) || code=$?
{ [ "$code" = 2 ] && grep -qx 'get: needs the program curl; got none in PATH; hint: install the package curl' err.txt; } ||
  miss "no curl: exit $code, $(cat err.txt)"
# A disk that is full, as a file that may not grow; and the next call continues.
code=0
(ulimit -f 100; exec "$heed" get own/small --out full >out.txt 2>err.txt </dev/null) || code=$?
{ [ "$code" = 2 ] && grep -q '^write: cannot write "full.part/model.safetensors.part": File too large' err.txt; } ||
  miss "full: exit $code, $(cat err.txt)"
get own/small --out full || miss "after a full disk: exit $? $(cat err.txt)"
same served/own/small full
printf '{"siblings": []}' >served/own/climbs.list
refused 'must have its weights as safetensors; got none' own/climbs

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
