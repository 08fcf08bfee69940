# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# bad-tree.sh -- small trees of sources with one mistake each, for tests of programs that judge sources.
# Sourced with $top set to the top of the tree, and $judge to the program.

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp" "$tmp.out"' EXIT
status=0

# A file with the head it should have: put PATH < the rest
put()
{
	mkdir -p "$tmp/$(dirname "$1")"
	{
		echo "// SPDX-License-Identifier: GPL-2.0-or-later"
		echo "/* $(basename "$1") -- for this test. */"
		cat
	} > "$tmp/$1"
}

# What is judged of the tree so far must contain $1; the tree is emptied.
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

# Nothing is said of the tree so far; it is emptied.
expect_nothing()
{
	if ! "$judge" "$tmp"; then
		echo "a good tree was refused"
		status=1
	fi
	rm -rf "${tmp:?}"/*
}
