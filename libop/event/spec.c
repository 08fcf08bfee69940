// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spec.c -- parser of NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], and of tracepoints with filters.
 */
#include "config.h"
#include "libop/event/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libop/base/error.h"

/* maximum count of an event, because OProfile's counters have 31 bits */
#define MAX_COUNT	INT32_MAX
/* maximum length of a filter in bytes: the kernel reads at most one page, and the session's files
 * store all events on one line */
#define MAX_FILTER	2000

/* Return the length of the field at *@text, which ends at ':' or at the end of the text. Advance
 * *@text to the next field, or set it to NULL after the last field. */
static size_t next_field(const char **text, const char **field)
{
	size_t len = strcspn(*text, ":");

	*field = *text;
	*text = (*text)[len] ? *text + len + 1 : NULL;
	return len;
}

/* Parse a decimal number, or a hexadecimal number after 0x. */
static int parse_number(const char *field, size_t len, uint64_t max, uint64_t *ret)
{
	int base = 10;
	uint64_t n = 0;

	if (len > 2 && field[0] == '0' && (field[1] | 0x20) == 'x') {
		base = 16;
		field += 2;
		len -= 2;
	}
	if (!len || len > 20)
		return -EINVAL;
	for (; len; field++, len--) {
		unsigned char c = *field;
		int digit;

		if (!isxdigit(c))
			return -EINVAL;
		digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
		if (digit >= base || (uint64_t)digit > max || n > (max - digit) / base)
			return -EINVAL;
		n = n * base + digit;
	}
	*ret = n;
	return 0;
}

bool op_event_is_tracepoint_word(const char *text, size_t len)
{
	if (!len || len > 100 || isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

static bool has_upper(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (isupper((unsigned char)text[i]))
			return true;
	return false;
}

bool op_event_name_is_tracepoint(const char *name)
{
	size_t system = strcspn(name, ":");

	return name[system] && op_event_is_tracepoint_word(name, system) &&
	       op_event_is_tracepoint_word(name + system + 1, strlen(name + system + 1));
}

size_t op_event_tracepoint_length(const char *text)
{
	size_t system = strcspn(text, ":/,"), name;

	if (text[system] != ':')
		return 0;
	name = strcspn(text + system + 1, ":/,");
	if (!op_event_is_tracepoint_word(text, system) ||
	    !op_event_is_tracepoint_word(text + system + 1, name))
		return 0;
	/* a name with capital letters, as in EVENT:MASK without a count, is a mistyped CPU
	 * event, not a tracepoint */
	if (has_upper(text, system) && text[system + 1 + name] != ':')
		return 0;
	return system + 1 + name;
}

bool op_event_is_timer(const char *text)
{
	size_t len = strlen(OP_EVENT_TIMER);

	return !strncasecmp(text, OP_EVENT_TIMER, len) && (text[len] == ':' || !text[len]) &&
	       !op_event_tracepoint_length(text);
}

bool op_event_is_offcpu(const char *text)
{
	size_t len = strlen(OP_EVENT_OFFCPU);

	return !strncasecmp(text, OP_EVENT_OFFCPU, len) &&
	       (text[len] == ':' || text[len] == '.' || !text[len]) &&
	       !op_event_tracepoint_length(text);
}

bool op_event_is_latency(const char *text)
{
	size_t len = strlen(OP_EVENT_LATENCY);

	return !strncasecmp(text, OP_EVENT_LATENCY, len) && (text[len] == ':' || !text[len]) &&
	       !op_event_tracepoint_length(text);
}

/* Return the offset of the '/' before the filter in the event @text, or of the event's end. */
static size_t filter_start(const char *text)
{
	size_t name = op_event_tracepoint_length(text);

	return name ? name + strcspn(text + name, "/,") : strcspn(text, ",");
}

size_t op_event_list_length(const char *list)
{
	size_t at = filter_start(list);
	/* quotation mark that began the current string; 0: not in a string */
	char quote = '\0';
	int braces = 0;

	if (list[at] != '/')
		return at;
	/* A ',' may be part of a filter: in a string, or in a list of CPUs such as CPUS{1,3}. */
	for (; list[at]; at++) {
		if (quote)
			quote = list[at] == quote ? '\0' : quote;
		else if (list[at] == '"' || list[at] == '\'')
			quote = list[at];
		else if (list[at] == '{' || list[at] == '}')
			braces += list[at] == '{' ? 1 : -1;
		else if (braces <= 0 && list[at] == ',')
			break;
	}
	return at;
}

int op_event_list_filter(char **ret, const char *list, const char *filter, struct op_reason *error)
{
	const char *last = list;
	size_t len;
	int n;

	while (last && last[op_event_list_length(last)])
		last += op_event_list_length(last) + 1;
	if (!last || !op_event_tracepoint_length(last))
		return op_fail(error, -EINVAL, "a filter must follow a tracepoint, as in -e "
					     "sched:sched_switch:1 --filter='prev_state == 1'");
	if (!*filter)
		return op_fail(error, -EINVAL, "the filter is empty");
	len = filter_start(last);
	if (last[len] == '/')
		n = asprintf(ret, "%.*s(%s) && (%s)", (int)(last + len + 1 - list), list,
			     last + len + 1, filter);
	else
		n = asprintf(ret, "%s/%s", list, filter);
	return n < 0 ? -ENOMEM : 0;
}

int op_event_period_parse(uint64_t *ret, const char *field, size_t len)
{
	static const struct {
		const char *name;
		/* for a unit of time: its length in ns; for a unit of frequency: minus its period
		 * in ns */
		double ns;
	} units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "\302\265s", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ "hz", -1e9 }, { "khz", -1e6 },
	};
	size_t digits = 0, points = 0, at;
	double n;

	for (at = 0; at < len && (isdigit((unsigned char)field[at]) || field[at] == '.'); at++) {
		digits += field[at] != '.';
		points += field[at] == '.';
	}
	if (!digits || digits > 15 || points > 1)
		return OP_ERR_TIMER_PERIOD;
	/* Parse the digits by this loop. strtod() is not suitable, because its decimal point
	 * depends on the locale. */
	n = 0;
	for (size_t i = 0, after = 0; i < at; i++) {
		if (field[i] == '.') {
			after = 1;
			continue;
		}
		n = n * 10 + (field[i] - '0');
		if (after)
			points *= 10;
	}
	n /= points ? points : 1;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) != len - at ||
		    strncasecmp(units[i].name, field + at, len - at))
			continue;
		n = units[i].ns > 0 ? n * units[i].ns : n > 0 ? -units[i].ns / n : 0;
		*ret = n < 1e18 ? (uint64_t)(n + 0.5) : UINT64_MAX;
		return 0;
	}
	return OP_ERR_TIMER_PERIOD;
}

static int parse_timer(const char *field, size_t len, uint64_t *ret)
{
	uint64_t ns;
	int err = op_event_period_parse(&ns, field, len);

	if (!err && (ns < OP_TIMER_MIN_NS || ns > OP_TIMER_MAX_NS))
		err = OP_ERR_TIMER_RANGE;
	if (!err)
		*ret = ns;
	return err;
}

/* Return whether the field may be the name of an event. A name may contain '.', because users
 * may write EVENT.MASK (choose.h). */
static bool is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isgraph((unsigned char)name[i]) || strchr("/,", name[i]))
			return false;
	}
	return len > 0 && len < 128;
}

void op_event_spec_release(struct op_event_spec *spec)
{
	free(spec->name);
	free(spec->um_name);
	free(spec->filter);
	memset(spec, 0, sizeof(*spec));
}

/* Return whether the field is the name of a unit mask. Decimal digits, or hexadecimal digits
 * after 0x, are a number, not a name. */
static bool is_um_name(const char *name, size_t len)
{
	size_t i, digits = 0;

	for (i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("_+", name[i]))
			return false;
		digits += isdigit((unsigned char)name[i]) != 0;
	}
	return len > 0 && len < 128 && digits < len &&
	       !(len > 1 && name[0] == '0' && (name[1] | 0x20) == 'x');
}

/* If another field follows, parse the field as a unit mask. If the field is the name of a unit
 * mask, set *@um_name to the start of the name. */
static int parse_um(struct op_event_spec *spec, const char **text, const char **um_name,
		    size_t *um_len)
{
	const char *field;
	size_t len;
	uint64_t n;

	if (!*text)
		return 0;
	len = next_field(text, &field);
	if (is_um_name(field, len)) {
		*um_name = field;
		*um_len = len;
	} else if (!parse_number(field, len, UINT32_MAX, &n)) {
		spec->um = n;
	} else {
		return OP_ERR_EVENT_UM;
	}
	spec->has_um = true;
	return 0;
}

static int parse_flag(int *flag, const char **text)
{
	const char *field;
	size_t len;
	uint64_t n;

	if (!*text)
		return 0;
	len = next_field(text, &field);
	if (parse_number(field, len, 1, &n))
		return OP_ERR_EVENT_FLAG;
	*flag = n;
	return 0;
}

static int parse_count(struct op_event_spec *spec, const char **name, const char **text)
{
	const char *field;
	size_t len;
	uint64_t n;

	if (!*text && (op_event_is_offcpu(*name) || op_event_is_latency(*name))) {
		spec->count = OP_TIMER_DEFAULT_NS;
		return 0;
	}
	if (!*text || !**text || **text == ':')
		return OP_ERR_EVENT_NO_COUNT;
	len = next_field(text, &field);
	if (op_event_is_offcpu(*name) || op_event_is_latency(*name))
		return parse_timer(field, len, &spec->count);
	if (op_event_is_timer(*name)) {
		*name = OP_EVENT_TIMER;
		return parse_timer(field, len, &spec->count);
	}
	if (!parse_number(field, len, MAX_COUNT, &spec->count) && spec->count)
		return 0;
	return parse_number(field, len, UINT64_MAX, &n) && !op_event_period_parse(&n, field, len) ?
		       OP_ERR_EVENT_TIME : OP_ERR_EVENT_COUNT;
}

/* Return the length of the event's name at *@text, and advance *@text after the name. The name of a
 * tracepoint has two fields, SYSTEM:NAME. */
static size_t next_name(const char **text, const char **name)
{
	size_t len = op_event_tracepoint_length(*text);

	if (!len)
		return next_field(text, name);
	*name = *text;
	*text = (*text)[len] ? *text + len + 1 : NULL;
	return len;
}

static int parse(struct op_event_spec *ret, const char *text, bool has_count)
{
	struct op_event_spec spec = { .kernel = 1, .user = 1, .count = MAX_COUNT };
	const char *name, *um_name = NULL;
	size_t name_len, um_len = 0;
	int err = 0;

	name_len = has_count ? next_name(&text, &name) : next_field(&text, &name);
	if (!is_name(name, name_len))
		return OP_ERR_EVENT_NAME;
	if (has_count)
		err = parse_count(&spec, &name, &text);
	if (!err)
		err = parse_um(&spec, &text, &um_name, &um_len);
	if (!err)
		err = parse_flag(&spec.kernel, &text);
	if (!err)
		err = parse_flag(&spec.user, &text);
	if (!err && text)
		err = OP_ERR_EVENT_FLAG;	/* the event has too many fields */
	if (err)
		return err;

	spec.name = strndup(name, name_len);
	if (um_name)
		spec.um_name = strndup(um_name, um_len);
	if (!spec.name || (um_name && !spec.um_name)) {
		op_event_spec_release(&spec);
		return -ENOMEM;
	}
	*ret = spec;
	return 0;
}

/* Return whether the text may be a filter. It must be a single line, because files of the
 * session store events in lines. */
static bool is_filter(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)text[i]))
			return false;
	return len > 0 && len <= MAX_FILTER;
}

int op_event_spec_parse(struct op_event_spec *ret, const char *text)
{
	size_t len = filter_start(text);
	struct op_event_spec spec;
	char *front;
	int err;

	if (!op_event_tracepoint_length(text) || text[len] != '/')
		return parse(ret, text, true);
	if (!is_filter(text + len + 1))
		return OP_ERR_EVENT_FILTER;
	front = strndup(text, len);
	err = front ? parse(&spec, front, true) : -ENOMEM;
	free(front);
	if (err)
		return err;
	spec.filter = strdup(text + len + 1);
	if (!spec.filter) {
		op_event_spec_release(&spec);
		return -ENOMEM;
	}
	*ret = spec;
	return 0;
}

int op_event_spec_parse_counted(struct op_event_spec *ret, const char *text)
{
	return parse(ret, text, false);
}
