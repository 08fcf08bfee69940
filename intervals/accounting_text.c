// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * accounting_text.c -- the accounting of an interval as lines "KEY VALUE".
 *
 * In a value, "\\" stands for a backslash and "\n" for a newline. The writer omits members that are
 * 0, empty or NULL, but always writes the sums of samples. The reader ignores lines with unknown
 * keys.
 */
#include "config.h"
#include "intervals/private.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/file.h"
#include "libop/base/grow.h"

/* Maximum number of counters. To add a counter, the list is searched linearly, so reading the
 * accounting takes quadratic time. */
#define MAX_STATS	4096

static void put_text(struct itv_out *out, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	itv_put_bytes(out, key, strlen(key));
	itv_put_bytes(out, " ", 1);
	while (*value) {
		size_t plain = strcspn(value, "\\\n");

		itv_put_bytes(out, value, plain);
		value += plain;
		if (*value)
			itv_put_bytes(out, *value++ == '\n' ? "\\n" : "\\\\", 2);
	}
	itv_put_bytes(out, "\n", 1);
}

static void put_number(struct itv_out *out, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	if (value)
		put_text(out, key, text);
}

static void put_time(struct itv_out *out, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	if (value)
		put_text(out, key, text);
}

static void put_about(struct itv_out *out, const struct op_session_about *about)
{
	put_time(out, "about.begun", about->begun);
	put_time(out, "about.ended", about->ended);
	put_time(out, "about.sampled_ms", about->sampled_ms);
	put_text(out, "about.host", about->host);
	put_text(out, "about.kernel", about->kernel);
	put_text(out, "about.command", about->command);
	put_number(out, "about.commands", about->nr_commands);
	put_text(out, "about.limits", about->limits);
	put_text(out, "about.daemon", about->daemon);
	put_text(out, "about.reader", about->reader);
	put_text(out, "about.packer", about->packer);
}

int itv_put_accounting(struct itv_out *out, const struct itv_accounting *a,
		       const struct itv_totals *totals)
{
	char text[OP_SESSION_WRITER_TEXT];

	put_time(out, "begun_ns", a->begun_ns);
	put_time(out, "ended_ns", a->ended_ns);
	snprintf(text, sizeof(text), "%" PRIu64, totals->samples);
	put_text(out, "samples", text);
	snprintf(text, sizeof(text), "%" PRIu64, totals->paths);
	put_text(out, "paths", text);
	put_number(out, "folded", totals->folded);
	put_number(out, "wakers", totals->wakers);
	put_number(out, "precision", a->precision);
	put_about(out, &a->about);
	put_number(out, "kernel", a->kernel);
	put_text(out, "settings", a->settings);
	for (size_t i = 0; i < a->nr_parts; i++)
		put_text(out, "part", a->parts[i]);
	for (size_t i = 0; i < a->nr_gaps; i++) {
		const struct itv_gap *gap = &a->gaps[i];
		char *line;

		if (asprintf(&line, "%" PRId64 " %" PRId64 " %s", gap->from_ns, gap->to_ns,
			     gap->reason) < 0)
			return -ENOMEM;
		put_text(out, "gap", line);
		free(line);
	}
	if (a->stats.writer.pid)
		put_text(out, "writer", op_session_writer_print(text, &a->stats.writer));
	for (size_t i = 0; i < a->stats.nr; i++) {
		char *line;

		if (asprintf(&line, "%s %" PRIu64, a->stats.values[i].name,
			     a->stats.values[i].value) < 0)
			return -ENOMEM;
		put_text(out, "stat", line);
		free(line);
	}
	return out->failed ? -ENOMEM : 0;
}

/* Parse an unsigned decimal number at *@text, and advance *@text past the number. */
static bool parse_digits(const char **text, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*ret = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

static int get_number(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t number;

	if (!parse_digits(&text, &number) || *text || number > max)
		return ITV_ERR_FORMAT;
	*ret = number;
	return 0;
}

static bool parse_time(const char **text, int64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)(**text == '-' ? (*text)[1] : **text)))
		return false;
	errno = 0;
	*ret = strtoll(*text, &end, 10);
	*text = end;
	return !errno;
}

static int get_time(const char *text, int64_t *ret)
{
	int64_t time;

	if (!parse_time(&text, &time) || *text)
		return ITV_ERR_FORMAT;
	*ret = time;
	return 0;
}

static int get_copy(char **ret, const char *text)
{
	if (*ret)
		return ITV_ERR_FORMAT;
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int get_array(char *array, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size)
		return ITV_ERR_FORMAT;
	memcpy(array, text, len + 1);
	return 0;
}

static int get_part(struct itv_accounting *a, const char *text)
{
	if (op_grow(&a->parts, a->nr_parts))
		return -ENOMEM;
	a->parts[a->nr_parts] = strdup(text);
	if (!a->parts[a->nr_parts])
		return -ENOMEM;
	a->nr_parts++;
	return 0;
}

static int get_gap(struct itv_accounting *a, const char *text)
{
	struct itv_gap gap;

	if (!parse_time(&text, &gap.from_ns) || *text++ != ' ' ||
	    !parse_time(&text, &gap.to_ns) || *text++ != ' ')
		return ITV_ERR_FORMAT;
	if (op_grow(&a->gaps, a->nr_gaps))
		return -ENOMEM;
	gap.reason = strdup(text);
	if (!gap.reason)
		return -ENOMEM;
	a->gaps[a->nr_gaps++] = gap;
	return 0;
}

static int get_stat(struct itv_accounting *a, char *text)
{
	char *blank = strchr(text, ' ');
	uint64_t value;
	int err;

	if (!blank || a->stats.nr == MAX_STATS || get_number(blank + 1, UINT64_MAX, &value))
		return ITV_ERR_FORMAT;
	*blank = '\0';
	err = op_session_stats_add(&a->stats, text, value);
	return err == -EINVAL ? ITV_ERR_FORMAT : err;
}

static int get_about(struct op_session_about *about, const char *key, const char *value)
{
	uint64_t number = 0;
	int err;

	if (!strcmp(key, "begun"))
		return get_time(value, &about->begun);
	if (!strcmp(key, "ended"))
		return get_time(value, &about->ended);
	if (!strcmp(key, "sampled_ms"))
		return get_time(value, &about->sampled_ms);
	if (!strcmp(key, "host"))
		return get_array(about->host, sizeof(about->host), value);
	if (!strcmp(key, "kernel"))
		return get_array(about->kernel, sizeof(about->kernel), value);
	if (!strcmp(key, "command"))
		return get_array(about->command, sizeof(about->command), value);
	if (!strcmp(key, "limits"))
		return get_array(about->limits, sizeof(about->limits), value);
	if (!strcmp(key, "daemon"))
		return get_array(about->daemon, sizeof(about->daemon), value);
	if (!strcmp(key, "reader"))
		return get_array(about->reader, sizeof(about->reader), value);
	if (!strcmp(key, "packer"))
		return get_array(about->packer, sizeof(about->packer), value);
	if (strcmp(key, "commands"))
		return 0;
	err = get_number(value, UINT32_MAX, &number);
	about->nr_commands = (uint32_t)number;
	return err;
}

static int get_line(struct itv_accounting *a, const char *key, char *value)
{
	uint64_t number = 0;
	int err;

	if (!strncmp(key, "about.", strlen("about.")))
		return get_about(&a->about, key + strlen("about."), value);
	if (!strcmp(key, "begun_ns"))
		return get_time(value, &a->begun_ns);
	if (!strcmp(key, "ended_ns"))
		return get_time(value, &a->ended_ns);
	if (!strcmp(key, "samples"))
		return get_number(value, UINT64_MAX, &a->samples);
	if (!strcmp(key, "paths"))
		return get_number(value, UINT64_MAX, &a->paths);
	if (!strcmp(key, "wakers"))
		return get_number(value, UINT64_MAX, &a->wakers);
	if (!strcmp(key, "folded"))
		return get_number(value, UINT64_MAX, &a->folded);
	if (!strcmp(key, "kernel")) {
		err = get_number(value, UINT32_MAX, &number);
		a->kernel = (uint32_t)number;
		return err;
	}
	if (!strcmp(key, "settings"))
		return get_copy(&a->settings, value);
	if (!strcmp(key, "part"))
		return get_part(a, value);
	if (!strcmp(key, "gap"))
		return get_gap(a, value);
	if (!strcmp(key, "stat"))
		return get_stat(a, value);
	if (!strcmp(key, "writer"))
		return op_session_writer_parse(&a->stats.writer, value) ? 0 : ITV_ERR_FORMAT;
	if (strcmp(key, "precision"))
		return 0;
	err = get_number(value, ITV_FUNCTIONS, &number);
	a->precision = (enum itv_precision)number;
	return err;
}

/* Decode the escape sequences that put_text() wrote, in place. */
static bool unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text != '\\') {
			*to++ = *text;
			continue;
		}
		text++;
		if (*text != 'n' && *text != '\\')
			return false;
		*to++ = *text == 'n' ? '\n' : '\\';
	}
	*to = '\0';
	return true;
}

int itv_get_accounting(struct itv_accounting *ret, const char *text, size_t len)
{
	struct itv_accounting a = { 0 };
	char *copy, *line, *rest;
	int err = 0;

	if (len && (memchr(text, '\0', len) || text[len - 1] != '\n'))
		return ITV_ERR_FORMAT;
	copy = strndup(text, len);
	if (!copy)
		return -ENOMEM;
	for (rest = copy; (line = strsep(&rest, "\n")) && !err; ) {
		char *value = strchr(line, ' ');

		if (!value)
			continue;
		*value++ = '\0';
		err = unescape(value) ? get_line(&a, line, value) : ITV_ERR_FORMAT;
	}
	free(copy);
	if (err) {
		itv_accounting_release(&a);
		return err;
	}
	*ret = a;
	return 0;
}

int itv_accounting_write(char **ret, size_t *len, const struct itv_accounting *a)
{
	const struct itv_totals totals = {
		.samples = a->samples, .paths = a->paths, .folded = a->folded,
		.wakers = a->wakers,
	};
	struct itv_out out = { .len = 0 };
	int err = itv_put_accounting(&out, a, &totals);

	if (!err) {
		*ret = (char *)out.bytes;
		*len = out.len;
		return 0;
	}
	itv_out_release(&out);
	return err;
}

int itv_accounting_parse(struct itv_accounting *ret, const char *text, size_t len)
{
	return itv_get_accounting(ret, text, len);
}
