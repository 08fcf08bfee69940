# SPDX-License-Identifier: GPL-2.0-or-later
# rows.awk -- one row for each option in the text of --help: see the file rows.

# "a|b|c" or "a,b,c" in an argument, or "a, b, c" in a description: the words, separated by blanks; else "".
function words_of(argument, description,	text)
{
	text = argument
	gsub(/^\[?=?|\]$/, "", text)
	if (text ~ /[|,]/ || text ~ /^[a-z]+$/) {
		# A word in capitals stands for a value of the user's; N follows a word with a colon.
		gsub(/[|,]/, " ", text)
		gsub(/:N/, ":", text)
		gsub(/[A-Z.]+(\[[^]]*\])?( |$)/, "", text)
		sub(/ $/, "", text)
		if (text ~ /^[a-z0-9. :-]+$/ && argument !~ /^[0-9]+,/)
			return text
	}
	if (argument ~ /SIZE|MS|TIME|HZ|DIR|FILE|EVENT|NAME|^=?N$/)
		return ""
	if (!match(description, /[a-z-]+, ([a-z-]+, )+(or |and )?[a-z-]+/) &&
	    !match(description, /[a-z-]+(, [a-z-]+)* or [a-z-]+$/) &&
	    !match(description, /: [a-z-]+, [a-z-]+/))
		return ""
	text = substr(description, RSTART, RLENGTH)
	gsub(/,? (or|and) /, " ", text)
	gsub(/[,:]/, "", text)
	sub(/^ /, "", text)
	return text
}

function kind_of(long, argument, words)
{
	if (words != "")
		return argument ~ /LIST|,/ ? "list" : "words"
	if (long ~ /^--events?$/)
		return "event"
	if (long == "--delete")
		return "session"
	if (long == "--cpu-type")
		return "cpu"
	if (long == "--translator")
		return "command"
	if (argument ~ /PID/)
		return "pid"
	if (argument ~ /FILE|PATH|FIFO/)
		return "file"
	if (argument ~ /DIR/)
		return "dir"
	return "none"
}

function print_row(	takes, words)
{
	if (long == "")
		return
	takes = argument == "" ? "no" : argument ~ /^\[/ ? "optional" : "yes"
	# A value in brackets and a list of words both mean that the value may be missing only if the brackets are there.
	words = takes == "no" ? "" : words_of(argument, description)
	sub(/^\[?=?/, "", argument)
	if (takes == "optional")
		sub(/\]$/, "", argument)
	printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", program, short, long, takes,
		takes == "no" ? "none" : kind_of(long, argument, words), words, argument, description
	long = ""
}

# "  -x, --long=ARGUMENT   description"
/^ +(-., )? *--[a-z]/ {
	print_row()
	line = $0
	sub(/^ +/, "", line)
	short = "-"
	if (line ~ /^-., /) {
		short = substr(line, 1, 2)
		sub(/^-., */, "", line)
	}
	match(line, /^--[a-z][a-z0-9_-]*/)
	long = substr(line, 1, RLENGTH)
	line = substr(line, RLENGTH + 1)
	description = ""
	argument = line
	if (match(line, /  +/)) {
		argument = substr(line, 1, RSTART - 1)
		description = substr(line, RSTART + RLENGTH)
	}
	sub(/^ /, "", argument)
	next
}

# the next line of a description
long != "" && /^   +[^ ]/ {
	sub(/^ +/, "")
	description = description (description == "" ? "" : " ") $0
	next
}

{ print_row() }
END { print_row() }
