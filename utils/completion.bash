# shellcheck shell=bash disable=SC2046,SC2086,SC2207 # what programs print is split at lines, and has no wildcards
# SPDX-License-Identifier: GPL-2.0-or-later
#
# completion.bash -- completes the commands of oprofile, in bash and in zsh (after bashcompinit).
#
# Options and what they take are asked of each program's --help, which its own table of options prints, so
# nothing here has to be kept in step with them; sessions and events come from opcontrol and ophelp. Only
# what both shells have is used: no mapfile, no <().

# _oprofile_program WORD: the installed program of that name. What lies in the current directory, or where else a word
# on the line says, is not run before the line is; nor is what a relative entry of PATH leads to.
_oprofile_program()
{
	local dir IFS=:

	for dir in $PATH; do
		case $dir in
		/*) [ -f "$dir/${1##*/}" ] && [ -x "$dir/${1##*/}" ] && { printf '%s\n' "$dir/${1##*/}"; return; } ;;
		esac
	done
	echo false
}

# _oprofile_ask PROGRAM ARG...: what it prints.
_oprofile_ask()
{
	local program

	program=$(_oprofile_program "$1")
	shift
	"$program" "$@" 2>/dev/null
}

# The long options that a program's help names.
_oprofile_options()
{
	_oprofile_ask "$1" --help | grep -oE '(^| )--[a-z][a-z0-9-]*=?' | tr -d ' ' | sort -u
}

# _oprofile_long PROGRAM OPTION: its long name, when it takes a value; nothing otherwise.
_oprofile_long()
{
	# What stands on the line is compared, and part of no program.
	_oprofile_ask "$1" --help | OPROFILE_OPTION=$2 awk '
		match($0, /^ *(-., )?--[a-z-]+=/) {
			short = $1 ~ /,$/ ? substr($1, 1, length($1) - 1) : ""
			long = substr($0, 1, RLENGTH - 1)
			sub(/.*--/, "--", long)
			if (ENVIRON["OPROFILE_OPTION"] == short || ENVIRON["OPROFILE_OPTION"] == long) {
				print long
				exit
			}
		}'
}

# What an option can be: a,b,c or a|b|c as its argument in the help, or a list "a, b, c" in what is told of it.
_oprofile_choice()
{
	_oprofile_ask "$1" --help | awk -v option="$2=" '
		on && /^ *(-., )? *--[a-z]/ { exit }
		index($0, " " option) && !on { on = 1; sub(".* " option, "") }
		on { sub(/^ */, ""); text = text $0 " " }
		END {
			if (match(text, /^[a-z-]+([,|][a-z-]+)+ /) || match(text, /[a-z-]+, ([a-z-]+, )+[a-z-]+/))
				print substr(text, RSTART, RLENGTH)
		}' | tr -c 'a-z\n-' '\n' | grep .
}

# The session directory that the command means, as an option for opcontrol.
_oprofile_session_dir()
{
	local word last='' IFS=' '

	for word in ${COMP_LINE:0:$COMP_POINT}; do
		case $word in
		--session-dir=?*) printf '%s\n' "$word"; return ;;
		esac
		[ "$last" != --session-dir ] || { printf '%s\n' "--session-dir=$word"; return; }
		last=$word
	done
	[ "$1" = opcontrol ] || [ -n "$OPROFILE_SESSION_DIR" ] || ! [ -d oprofile_data ] ||
		echo --session-dir=oprofile_data
}

_oprofile_sessions()
{
	local dir

	dir=$(_oprofile_session_dir "${1##*/}")
	_oprofile_ask opcontrol ${dir:+"$dir"} --list-sessions | awk '!NF { exit } NR > 1 { print $NF }'
}

# Events that the sessions meant have samples of: a sample file is called EVENT.COUNT.MASK and three more.
_oprofile_sampled()
{
	local dir

	dir=$(_oprofile_session_dir "${1##*/}")
	dir=${dir#--session-dir=}
	find "${dir:-${OPROFILE_SESSION_DIR:-/var/lib/oprofile}}/samples" -type f -name '*.*.*.*.*.*' 2>/dev/null |
		sed 's,.*/,,; s/\..*//' | sort -u
}

# _oprofile_paths -d|-f TYPED: directories, or all, whose paths begin so. compgen in zsh has words of its own.
_oprofile_paths()
{
	local name

	[ -n "$ZSH_VERSION" ] || { local - IFS=; set +f; }
	for name in "$2"*; do
		[ -d "$name" ] || { [ "$1" = -f ] && [ -e "$name" ]; } && printf '%s\n' "$name"
	done
}

_oprofile_events()
{
	_oprofile_ask ophelp | sed -n 's/^\([A-Za-z][A-Za-z0-9_.:]*\): (.*/\1:/p'
}

# _oprofile_offer TYPED BEFORE WORD...: those that begin with TYPED, behind BEFORE on the line.
_oprofile_offer()
{
	local typed=$1 before=$2 word kept=''

	shift 2
	# bash breaks words at = and : and replaces the last part alone.
	[ -n "$ZSH_VERSION" ] || case $before$typed in
	*[=:]*) kept=$before$typed kept=${kept%"${kept##*[=:]}"} ;;
	esac
	for word in "$@"; do
		case $word in
		"$typed"*)
			# Files and sessions are called as anybody likes; bash puts the word on the line as it is.
			[ -n "$ZSH_VERSION" ] || printf -v word %q "$word"
			word=$before$word
			COMPREPLY+=("${word#"$kept"}") ;;
		esac
	done
}

# _oprofile_value PROGRAM OPTION TYPED BEFORE: what the option takes.
_oprofile_value()
{
	local IFS=$'\n' list

	case $2 in
	--event | --events) _oprofile_offer "$3" "$4" $(_oprofile_events) ;;
	--delete) _oprofile_offer "$3" "$4" $(_oprofile_sessions "$1") ;;
	*-dir | --root | --image-path) _oprofile_offer "$3" "$4" $(_oprofile_paths -d "$3") ;;
	*)
		list=$(_oprofile_choice "$1" "$2")
		if [ -n "$list" ]; then
			_oprofile_offer "${3##*,}" "$4${3%"${3##*,}"}" $list
		else
			_oprofile_offer "$3" "$4" $(_oprofile_paths -f "$3")
		fi ;;
	esac
}

_oprofile()
{
	local program=$1 line=${COMP_LINE:0:$COMP_POINT} last long='' IFS=$'\n'
	local typed=${line##* }

	# No word is a pattern for names of files; zsh takes none for one.
	[ -n "$ZSH_VERSION" ] || { local -; set -f; }
	COMPREPLY=()
	last=${line% *}
	last=${last##* }
	case $last in
	-*=*) ;;
	-*) long=$(_oprofile_long "$program" "$last") ;;
	esac
	case $typed in
	--*=*)
		_oprofile_value "$program" "${typed%%=*}" "${typed#*=}" "${typed%%=*}=" ;;
	-*)
		_oprofile_offer "$typed" "" $(_oprofile_options "$program") ;;
	session:* | session-exclude:*)
		_oprofile_offer "${typed#*:}" "${typed%%:*}:" $(_oprofile_sessions "$program") ;;
	event:*)
		_oprofile_offer "${typed#event:}" event: $(_oprofile_sampled "$program") ;;
	profile:*)
		_oprofile_offer "${typed#*:}" profile: $(_oprofile_paths -f "${typed#profile:}") ;;
	session-dir:*)
		_oprofile_offer "${typed#*:}" session-dir: $(_oprofile_paths -d "${typed#session-dir:}") ;;
	archive:*)
		_oprofile_offer "${typed#*:}" archive: $(_oprofile_paths -d "${typed#archive:}") ;;
	*)
		if [ -n "$long" ]; then
			_oprofile_value "$program" "$long" "$typed" ""
			return
		fi
		_oprofile_offer "$typed" "" $(_oprofile_paths -f "$typed")
		case $program in
		*opreport | *opannotate | *opgprof | *oparchive)
			[ -z "$typed" ] || _oprofile_offer "$typed" "" session: archive: profile: image: lib-image: event: cpu: \
				tgid: tid: ;;
		esac ;;
	esac
}

complete -o nospace -F _oprofile ocount opreport opannotate opgprof oparchive opimport opcontrol operf ophelp opperfex \
	optop oprofiled op-check-perfevents pct-print addr2func opattach opprobe csprof
