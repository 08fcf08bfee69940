# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# bad-tree.sh -- small trees of sources with one mistake each, for tests of programs that judge sources. Set $top to the
# top of the tree and $judge to the program before reading this file.

tmp=$work/tree
mkdir "$tmp"
status=0

# put PATH: writes a file with a correct head, and stdin as the rest.
put()
{
	mkdir -p "$tmp/$(dirname "$1")"
	{
		echo "// SPDX-License-Identifier: GPL-2.0-or-later"
		echo "/* $(basename "$1") -- for this test. */"
		cat
	} > "$tmp/$1"
}

# expect TEXT: fails unless the judge prints TEXT about the tree; then empties the tree.
expect()
{
	"$judge" "$tmp" > "$tmp.out"
	if [ $? -ne 1 ] || ! grep -qF -- "$1" "$tmp.out"; then
		echo "not noticed: $1"
		cat "$tmp.out"
		status=1
	fi
	rm -rf "${tmp:?}"/*
}

# expect_nothing: fails if the judge prints anything about the tree; then empties the tree.
expect_nothing()
{
	if ! "$judge" "$tmp"; then
		echo "a good tree was refused"
		status=1
	fi
	rm -rf "${tmp:?}"/*
}
