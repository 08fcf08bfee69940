# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# ccache.sh -- sets $ccache to the prefix of a compiler's name, so that all trees and all kinds of builds share compiled
# objects: "ccache " if it is installed, else empty.
ccache=
if command -v ccache >/dev/null; then
	ccache='ccache '
	export CCACHE_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/oprofile-tests/ccache CCACHE_MAXSIZE=500M
	# Equal sources give equal objects in any folder and with any time of modification.
	export CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=include_file_mtime,include_file_ctime
fi
