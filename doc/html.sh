#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# html.sh DIRECTORY PAGE...: makes a manual in HTML from man pages, with links between the pages and an index, by mandoc.
# The pages need no server and no network.
set -e
out=$1
shift
command -v mandoc >/dev/null || { echo "html.sh: cannot make the manual: mandoc is not installed; run apt-get install mandoc" >&2; exit 1; }
mkdir -p "$out"
links=$out/.links
: >"$links"
for page; do
	file=${page##*/}
	name=${file%.*} section=${file##*.}
	echo "s,<b>$name</b>($section),<a href=\"$file.html\"><b>$name</b>($section)</a>,g" >>"$links"
done
for page; do
	file=${page##*/}
	mandoc -T html "$page" | sed -f "$links" |
		sed 's,<body>,<body><p><a href="index.html">All pages</a></p>,' >"$out/$file.html"
done
{
	echo '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>OProfile: manual</title></head><body>'
	echo '<h1>OProfile: manual</h1><dl>'
	for page; do
		file=${page##*/}
		# the section NAME: "NAME, ... \- PURPOSE", on several lines
		purpose=$(awk '/^\.SH/ { on = $2 == "NAME"; next } on && !/^\./ { all = all " " $0 }
			END { sub(/.* \\- /, "", all); gsub(/\\-/, "-", all); gsub(/\\f./, "", all); print all }' "$page")
		echo "<dt><a href=\"$file.html\">${file%.*}(${file##*.})</a></dt><dd>$purpose</dd>"
	done
	echo '</dl></body></html>'
} >"$out/index.html"
rm "$links"
