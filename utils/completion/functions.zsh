# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of the commands of oprofile in zsh. The build adds the options of each program (utils/completion/rows).
# Sessions come from opcontrol, and events from ophelp, at the moment of the completion.

# _oprofile_ask PROGRAM ARG...: print the output of the installed program. Relative entries of PATH are ignored.
_oprofile_ask()
{
	local dir

	for dir in $path; do
		[[ $dir == /* && -f $dir/$1 && -x $dir/$1 ]] || continue
		$dir/$1 "${@:2}" 2>/dev/null
		return
	done
}

# Set $session_dir to the session directory of the command, as an option for opcontrol.
_oprofile_session_dir()
{
	local i

	session_dir=()
	for ((i = 1; i < CURRENT; i++)); do
		case $words[i] in
		--session-dir=?*) session_dir=(${(Q)words[i]}) ;;
		--session-dir) session_dir=(--session-dir=${(Q)words[i + 1]}) ;;
		esac
	done
	[[ $service == opcontrol || -n $session_dir || -n $OPROFILE_SESSION_DIR || ! -d oprofile_data ]] ||
		session_dir=(--session-dir=oprofile_data)
}

_oprofile_sessions()
{
	local -a session_dir sessions

	_oprofile_session_dir
	sessions=(${(f)"$(_oprofile_ask opcontrol $session_dir --list-sessions | awk '!NF { exit } NR > 1 { print $NF }')"})
	compset -P '*,'
	_wanted sessions expl session compadd -a sessions
}

# Offer the events of the samples in the session directory. A sample file has the name EVENT.COUNT.MASK and three more parts.
_oprofile_sampled()
{
	local -a session_dir events

	_oprofile_session_dir
	session_dir=${session_dir#--session-dir=}
	events=(${session_dir:-${OPROFILE_SESSION_DIR:-/var/lib/oprofile}}/samples/**/*.*.*.*.*.*(N.:t))
	events=(${(u)events%%.*})
	compset -P '*,'
	_wanted events expl event compadd -a events
}

# Offer events, or the unit masks in NAME:COUNT:MASK.
_oprofile_events()
{
	local -a events

	compset -P '*,'
	if [[ $PREFIX == *:*:* ]]; then
		events=(${(f)"$(_oprofile_ask ophelp --xml | OPROFILE_EVENT=${PREFIX%%:*} awk '
			/<event / { on = index($0, " event_name=\"" ENVIRON["OPROFILE_EVENT"] "\"") }
			on && /<unit_mask / {
				if (match($0, / name="[^"]*"/))
					print substr($0, RSTART + 7, RLENGTH - 8)
				else if (match($0, / mask="[0-9]*"/))
					printf "0x%x\n", substr($0, RSTART + 7, RLENGTH - 8)
			}')"})
		compset -P '*:*:'
		_wanted masks expl 'unit mask' compadd -a events
	else
		events=(${(f)"$(_oprofile_ask ophelp | sed -n 's/^\([A-Za-z][A-Za-z0-9_.:]*\): (.*/\1/p')"})
		_wanted events expl event compadd -S : -q -a events
	fi
}

_oprofile_cpus()
{
	local -a cpus

	cpus=(${${(f)"$(_oprofile_ask ophelp --list-cpu-types)"}%% *})
	_wanted cpus expl 'type of CPU' compadd -a cpus
}

# Offer the tags that select samples, and their values.
_oprofile_selection()
{
	if compset -P '(session|session-exclude):'; then
		_oprofile_sessions
	elif compset -P 'event:'; then
		_oprofile_sampled
	elif compset -P '(archive|session-dir):'; then
		_files -/
	elif compset -P '(profile|image|lib-image):'; then
		_files
	else
		_alternative 'tags:tag:compadd -S "" session: archive: profile: image: lib-image: event: cpu: tgid: tid: host: service: version:' \
			'files:file:_files'
	fi
}

local curcontext=$curcontext expl state line
local -a options
local -A opt_args
