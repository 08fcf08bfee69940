# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# completion.bash -- completes the commands of oprofile, in bash and in zsh (after bashcompinit).
#
# Options are asked of each program's --help, which its own table of options prints, so nothing here
# has to be kept in step with them; sessions and events come from opcontrol and ophelp.

# The long options that a program's help names.
_oprofile_options()
{
	"$1" --help 2>/dev/null | grep -oE '(^| )--[a-z][a-z0-9-]*=?' | tr -d ' ' | sort -u
}

# What stands behind --format= in the help: words with commas, over several lines.
_oprofile_formats()
{
	"$1" --help 2>/dev/null |
		awk '/--format=/ { on = 1; sub(/.*--format=[A-Z]* */, "") } on && /^ *-/ { exit } on' |
		tr -c 'a-z\n' '\n' | grep .
}

# The session directory that the command line names, as an option for opcontrol.
_oprofile_session_dir()
{
	local word

	for word in "${COMP_WORDS[@]}"; do
		[[ $word != --session-dir=?* ]] || printf '%s\n' "$word"
	done
}

_oprofile_sessions()
{
	local dir

	dir=$(_oprofile_session_dir)
	opcontrol ${dir:+"$dir"} --list-sessions 2>/dev/null | awk 'NR > 1 { print $NF }'
}

_oprofile_events()
{
	ophelp 2>/dev/null | sed -n 's/^\([A-Za-z][A-Za-z0-9_.:]*\): (.*/\1:/p'
}

# _oprofile_offer PREFIX WORD...: those that begin with what stands behind PREFIX on the line.
_oprofile_offer()
{
	local prefix=$1 typed=${COMP_LINE:0:COMP_POINT} word

	shift
	typed=${typed##* }
	typed=${typed#"$prefix"}
	# bash breaks words at = and : and replaces the last part alone.
	local kept=${typed%"${typed##*:}"}
	for word in "$@"; do
		[[ $word != "$typed"* ]] || COMPREPLY+=("${word#"$kept"}")
	done
}

_oprofile()
{
	local program=$1 line=${COMP_LINE:0:COMP_POINT} word words=()
	local typed=${line##* }

	COMPREPLY=()
	compopt -o nospace 2>/dev/null
	case $typed in
	--format=*)
		mapfile -t words < <(_oprofile_formats "$program")
		_oprofile_offer --format= "${words[@]}" ;;
	--event=* | --events=*)
		mapfile -t words < <(_oprofile_events)
		_oprofile_offer "${typed%%=*}=" "${words[@]}" ;;
	session:* | session-exclude:*)
		mapfile -t words < <(_oprofile_sessions)
		_oprofile_offer "${typed%%:*}:" "${words[@]}" ;;
	--delete=*)
		mapfile -t words < <(_oprofile_sessions)
		_oprofile_offer --delete= "${words[@]}" ;;
	archive:*)
		mapfile -t COMPREPLY < <(compgen -d -- "${typed#archive:}") ;;
	--*=*)
		mapfile -t COMPREPLY < <(compgen -f -- "${typed#*=}") ;;
	-*)
		mapfile -t words < <(_oprofile_options "$program")
		_oprofile_offer "" "${words[@]}" ;;
	*)
		mapfile -t COMPREPLY < <(compgen -f -- "$typed")
		case $program in
		*opreport | *opannotate | *opgprof | *oparchive)
			for word in session: archive: image: lib-image: event: cpu: tgid: tid:; do
				[ -z "$typed" ] || [[ $word != "$typed"* ]] || COMPREPLY+=("$word")
			done ;;
		esac ;;
	esac
}

complete -F _oprofile opreport opannotate opgprof oparchive opimport opcontrol operf ophelp
