# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# ccache.sh -- sets $ccache to what goes before the name of a compiler, so that all trees and all ways
# to build them share what they compile: "ccache " where it is installed, else nothing.
ccache=
if command -v ccache >/dev/null; then
	ccache='ccache '
	export CCACHE_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/oprofile-tests/ccache CCACHE_MAXSIZE=500M
	# The same source is the same object in whatever folder, however young the file.
	export CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=include_file_mtime,include_file_ctime
fi
