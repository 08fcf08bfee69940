# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034 # $failed is read by the tests
# lines.sh -- sourced by the tests of source lines: compares the lines and inlined functions that pp/image knows of each
# instruction of a program with those of llvm-addr2line.
#
# Afterwards $dir is a temporary directory that contains only t.cc, a program in C++; $failed is 1 after fail().

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
goes_on=yes
lines=${LINES_TOOL:-$top/tests/tools/lines}
dir=$work

[ -x "$lines" ] || make -s -C "$top/tests" tools/lines
# Other tools report fewer inlined functions: addr2line with clang's DWARF 5, eu-addr2line with Rust.
tool=
for t in ${ADDR2LINE:-llvm-addr2line}; do
	command -v "$t" >/dev/null && tool=$t && break
done
[ -n "$tool" ] || skip "llvm-addr2line is not installed"

# A template, lambdas, inlines in inlines, a name space, a member in a class.
cat >"$dir/t.cc" <<'END'
#include <algorithm>
#include <string>
#include <vector>
namespace space {
template <class T> inline T square(T x) { return x * x; }
struct Thing {
	int v;
	int get(int k) const { return square(v) + k; }
};
}
__attribute__((noinline)) int work(std::vector<int> &v, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		space::Thing t{i};
		s += t.get(v[i % v.size()]);
	}
	std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
	return s;
}
int main(int argc, char **argv)
{
	std::vector<int> v;

	for (int i = 0; i < argc * 100; i++)
		v.push_back(i * 7919 % 1000);
	return work(v, 1000) + std::string(argv[0]).size();
}
END
# Where both tools have an answer, the answers must be equal: all functions except the outermost one, whose name other
# tools take from the symbol table, and all files and lines.
cat >"$dir/compare.py" <<'END'
import re, sys

def load(path):
    frames, lines, at = {}, open(path).read().splitlines(), None
    i = 0
    while i < len(lines):
        if lines[i].startswith("0x"):
            at = frames.setdefault(int(lines[i], 16), [])
            i += 1
        else:
            where = re.sub(r" \(discriminator.*", "", lines[i + 1]).replace(":?", ":0")
            at.append((lines[i].split(" inlined at ")[0], re.sub(r"(:\d+):\d+$", r"\1", where)))
            i += 2
    return frames

ours, theirs = load(sys.argv[1]), load(sys.argv[2])
known = wrong = inlined = 0
for address, expected in theirs.items():
    got = ours[address]
    if expected[0][1].startswith("??") or (expected[-1][1].endswith(":0") and got[0][1] == "??:0"):
        continue        # no debug data; crtstuff.c:0 is from the symbol table
    known += 1
    inlined += len(expected) > 1
    if [f[0] for f in got[:-1]] != [f[0] for f in expected[:-1]] or \
       [f[1] for f in got] != [f[1] for f in expected]:
        wrong += 1
        if wrong <= 3:
            print(hex(address), "\n  expected", expected, "\n  got     ", got)
print(f"{known} addresses, {inlined} in inlined functions, {wrong} wrong")
sys.exit(wrong > 0 or known < int(sys.argv[3]) or inlined < int(sys.argv[4]))
END

# check NAME FILE MIN-KNOWN MIN-INLINED [REFERENCE]: REFERENCE is what addr2line reads instead of FILE.
check()
{
	local name=$1 file=$2 reference=${5:-$2}

	objdump -d --no-show-raw-insn "$reference" | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' |
		awk -v step="${step:-1}" 'NR % step == 0' >"$dir/addresses"
	"$lines" "$file" <"$dir/addresses" >"$dir/ours" 2>"$dir/messages" || {
		fail "$name: no lines: $(cat "$dir/messages")"
		return 0
	}
	$tool -a -f -i -e "$reference" <"$dir/addresses" >"$dir/theirs"
	if ! python3 "$dir/compare.py" "$dir/ours" "$dir/theirs" "$3" "$4" >"$dir/result"; then
		fail "$name: $(cat "$dir/result")"
	else
		echo "$name: $(cat "$dir/result")"
	fi
}
