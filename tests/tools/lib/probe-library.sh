# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# probe-library.sh -- builds libopprobe.so for another machine than that of the tree. Set $top before.

probe_flags=(-std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror "-I$top" -fPIC -fvisibility=hidden -ftls-model=initial-exec)

# probe_library OUT COMPILER FLAG...
probe_library()
{
	local out=$1 source sources=() objects=()
	shift

	for source in "$top"/probe/core/{marker,marker_returned}.c; do
		objects+=("$out.${source##*/}.o")
		"$@" "${probe_flags[@]}" -mgeneral-regs-only -c -o "$out.${source##*/}.o" "$source" || return
	done
	for source in "$top"/libcfi/{encoded,entry,exits,infer,infer_end,insn_aarch64,insn_x86,landing,program,row_at,rule,shown}.c \
		"$top"/libop/raw/*.c "$top"/probe/*.c "$top"/probe/core/*.c "$top"/probe/driver/*.c "$top"/probe/preloaded/*.c \
		"$top"/probe/base/{fd,names,text}.c "$top"/probe/pc/{code,file,log,run,sum}.c \
		"$top"/probe/wrap/{actions,exec,hooks,interval,masks,threads,waits}.c; do
		case $source in
		*/probe/core/marker.c | */probe/core/marker_returned.c | */probe/driver/vperf.c) ;;
		*) sources+=("$source") ;;
		esac
	done
	"$@" "${probe_flags[@]}" -shared -Wl,-soname,libopprobe.so -Wl,--version-script="$top/probe/stack.map" -o "$out" "${sources[@]}" \
		"$top/probe/arch/trampoline.S" "${objects[@]}" && rm "${objects[@]}"
}

# marker_library OUT COMPILER FLAG...: libopprobe_marker.so.
marker_library()
{
	local out=$1
	shift
	"$@" "${probe_flags[@]}" -shared -Wl,-soname,libopprobe_marker.so -o "$out" "$top"/probe/wrap/{jumps,walks}.c -ldl
}
