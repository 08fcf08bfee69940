# SPDX-License-Identifier: GPL-2.0-or-later
# zsh.awk -- specifications of zsh's _arguments from the rows of a program: see the file generate.

function escape(text, characters,	i, c, result)
{
	result = ""
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		result = result (index(characters, c) ? "\\" : "") (c == "'" ? "'\\''" : c)
	}
	return result
}

function action(kind, words)
{
	if (kind == "words")
		return "(" escape(words, ":") ")"
	if (kind == "list")
		return "_values -s , word " escape(words, ":")
	return actions[kind]
}

# An option under one of its names. $mark follows the name: how the value is written.
function print_option(name, mark)
{
	printf "\t\t'%s%s%s[%s]%s'\n", names, name, mark, escape($8, "[]\\"), value
}

BEGIN {
	actions["none"] = " "
	actions["event"] = "_oprofile_events"
	actions["session"] = "_oprofile_sessions"
	actions["dir"] = "_files -/"
	actions["file"] = "_files"
	actions["cpu"] = "_oprofile_cpus"
	actions["pid"] = "_pids"
	actions["command"] = "_command_names -e"
}

$1 == program {
	# Events, filters and limits may be repeated; another option excludes itself.
	names = $3 ~ /^--(events?|filter|unsafe|fail-if)$/ ? "*" : $2 == "-" ? "(" $3 ")" : "(" $2 " " $3 ")"
	value = $4 == "no" ? "" : ($4 == "optional" ? "::" : ":") escape($7, ":\\") ":" action($5, $6)
	if ($2 != "-")
		print_option($2, $4 == "yes" ? "+" : $4 == "optional" ? "-" : "")
	print_option($3, $4 == "yes" ? "=" : $4 == "optional" ? "=-" : "")
}

END {
	if (program ~ /^(operf|ocount|opperfex|opprobe|csprof)$/)
		print "\t\t'(-)1:command:_command_names -e'\n\t\t'*::argument:_normal'"
	else if (program ~ /^(opreport|opannotate|opgprof|oparchive)$/)
		print "\t\t'*:selection of samples:_oprofile_selection'"
	else if (program == "opattach")
		print "\t\t'1:process:_pids'"
	else if (program == "ophelp")
		print "\t\t'*:event:_oprofile_events'"
	else if (program ~ /^(opimport|pct-print|addr2func|opcontrol)$/)
		print "\t\t'*:file:_files'"
}
