# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# probe-library.sh -- libopprobe.so for another machine than the tree is built for. Sourced with $top set.

# probe_library OUT COMPILER FLAG...
probe_library()
{
	local out=$1 sources
	shift
	sources=("$top"/libcfi/{encoded,entry,landing,program,row_at,rule}.c "$top"/libop/raw/*.c "$top"/probe/*.c "$top"/probe/driver/*.c
		"$top"/probe/pc/{code,fd,file,log,names,run,sum,text}.c "$top"/probe/wrap/{actions,exec,interval,leave,masks,threads,waits}.c)
	"$@" -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I"$top" -fPIC -fvisibility=hidden -ftls-model=initial-exec \
		-shared -Wl,-soname,libopprobe.so -Wl,--version-script="$top/probe/stack.map" -o "$out" "${sources[@]}"
}
