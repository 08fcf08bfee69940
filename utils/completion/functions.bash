# shellcheck shell=bash disable=SC2046,SC2207,SC2154 # output of programs is split at lines; the build adds $_oprofile_rows
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of the commands of oprofile in bash. The build adds $_oprofile_rows, with a row for each option of each
# program: PROGRAM SHORT LONG TAKES KIND WORD... (utils/completion/rows). Sessions come from opcontrol, and events from
# ophelp, at the moment of the completion.

# _oprofile_program WORD: print the path of the installed program of this name. A program in the current directory, or
# in a directory that the line names, does not run before the line does; relative entries of PATH are ignored as well.
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

# _oprofile_ask PROGRAM ARG...: print the output of the program.
_oprofile_ask()
{
	local program

	program=$(_oprofile_program "$1")
	shift
	"$program" "$@" 2>/dev/null
}

# _oprofile_options PROGRAM: print its long options, those that need a value with "=".
_oprofile_options()
{
	local program long takes rest

	while IFS=' ' read -r program _ long takes rest; do
		[ "$program" = "${1##*/}" ] || continue
		[ "$takes" != yes ] || long=$long=
		printf '%s\n' "$long"
	done <<<"$_oprofile_rows"
}

# _oprofile_row PROGRAM OPTION: set $kind and $words to the kind of the option's value and to the values in the row.
# Return 1 if the program has no such option, or the option has no value as the next word or after "=".
_oprofile_row()
{
	local program short long takes

	# A row has "-" for an option without a short name.
	[ "$2" != - ] || return 1
	while IFS=' ' read -r program short long takes kind words; do
		[ "$program" = "${1##*/}" ] || continue
		case $2 in
		"$short" | "$long") [ "$takes" = yes ]; return ;;
		"$long=") [ "$takes" != no ]; return ;;
		esac
	done <<<"$_oprofile_rows"
	kind='' words=''
	return 1
}

# Print the session directory of the command, as an option for opcontrol.
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

# Print the events of the samples in the session directory. A sample file has the name EVENT.COUNT.MASK and three more parts.
_oprofile_sampled()
{
	local dir

	dir=$(_oprofile_session_dir "${1##*/}")
	dir=${dir#--session-dir=}
	find "${dir:-${OPROFILE_SESSION_DIR:-/var/lib/oprofile}}/samples" -type f -name '*.*.*.*.*.*' 2>/dev/null |
		sed 's,.*/,,; s/\..*//' | sort -u
}

# _oprofile_paths -d|-f TYPED: print directories, or all files, whose paths begin with TYPED.
_oprofile_paths()
{
	local name - IFS=

	set +f
	for name in "$2"*; do
		[ -d "$name" ] || { [ "$1" = -f ] && [ -e "$name" ]; } && printf '%s\n' "$name"
	done
}

_oprofile_events()
{
	_oprofile_ask ophelp | sed -n 's/^\([A-Za-z][A-Za-z0-9_.:]*\): (.*/\1:/p'
}

# _oprofile_masks EVENT: print the names of its unit masks, and numbers for masks without a name.
_oprofile_masks()
{
	_oprofile_ask ophelp --xml | OPROFILE_EVENT=$1 awk '
		/<event / { on = index($0, " event_name=\"" ENVIRON["OPROFILE_EVENT"] "\"") }
		on && /<unit_mask / {
			if (match($0, / name="[^"]*"/))
				print substr($0, RSTART + 7, RLENGTH - 8)
			else if (match($0, / mask="[0-9]*"/))
				printf "0x%x\n", substr($0, RSTART + 7, RLENGTH - 8)
		}'
}

# _oprofile_offer TYPED BEFORE WORD...: offer the words that begin with TYPED; the line has BEFORE in front of TYPED.
_oprofile_offer()
{
	local typed=$1 before=$2 word kept='' breaks='='

	shift 2
	# bash breaks words at = and : unless the user has changed COMP_WORDBREAKS, and replaces the last part alone.
	case $COMP_WORDBREAKS in *=*:* | *:*=*) breaks='=:' ;; *:*) breaks=: ;; *=*) ;; *) breaks='' ;; esac
	[ -z "$breaks" ] || case $before$typed in
	*["$breaks"]*) kept=$before$typed kept=${kept%"${kept##*["$breaks"]}"} ;;
	esac
	for word; do
		case $word in
		"$typed"*)
			# Names of files and sessions can have any character. bash puts the word on the line unquoted.
			printf -v word %q "$word"
			word=$before$word
			COMPREPLY+=("${word#"$kept"}") ;;
		esac
	done
}

# _oprofile_event TYPED BEFORE: offer events, or the unit masks in NAME:COUNT:MASK.
_oprofile_event()
{
	local typed=${1##*,} before=$2 name

	before=$before${1%"$typed"}
	case $typed in
	*:*:*:*) ;;
	*:*:*)
		name=${typed%%:*}
		_oprofile_offer "${typed##*:}" "$before${typed%:*}:" $(_oprofile_masks "$name") ;;
	*) _oprofile_offer "$typed" "$before" $(_oprofile_events) ;;
	esac
}

# _oprofile_value PROGRAM TYPED BEFORE: offer values of $kind.
_oprofile_value()
{
	local IFS=$'\n'
	local typed=$2 before=$3

	case $kind in
	list | pid)
		typed=${2##*,}
		before=$before${2%"$typed"} ;;
	esac
	case $kind in
	event) _oprofile_event "$typed" "$before" ;;
	session) _oprofile_offer "$typed" "$before" $(_oprofile_sessions "$1") ;;
	cpu) _oprofile_offer "$typed" "$before" $(_oprofile_ask ophelp --list-cpu-types | sed 's/ .*//') ;;
	pid) _oprofile_offer "$typed" "$before" $(cd /proc && _oprofile_paths -d "$typed" | grep -xE '[0-9]+') ;;
	dir) _oprofile_offer "$typed" "$before" $(_oprofile_paths -d "$typed") ;;
	file) _oprofile_offer "$typed" "$before" $(_oprofile_paths -f "$typed") ;;
	command) _oprofile_offer "$typed" "$before" $(compgen -c -- "$typed") ;;
	words | list) _oprofile_offer "$typed" "$before" ${words// /$'\n'} ;;
	esac
}

_oprofile()
{
	local program=$1 line=${COMP_LINE:0:$COMP_POINT} last kind='' words='' IFS=$'\n'
	local typed=${line##* }

	# The functions split the output of programs into words; a word is not a pattern for names of files.
	local -
	set -f
	COMPREPLY=()
	last=${line% *}
	last=${last##* }
	case $typed in
	--*=*)
		if _oprofile_row "$program" "${typed%%=*}="; then
			_oprofile_value "$program" "${typed#*=}" "${typed%%=*}="
		fi ;;
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
		if _oprofile_row "$program" "$last"; then
			_oprofile_value "$program" "$typed" ""
			return
		fi
		_oprofile_offer "$typed" "" $(_oprofile_paths -f "$typed")
		case $program in
		*opreport | *opannotate | *opgprof | *oparchive)
			[ -z "$typed" ] || _oprofile_offer "$typed" "" session: archive: profile: image: lib-image: event: cpu: \
				tgid: tid: host: service: version: ;;
		esac ;;
	esac
}
