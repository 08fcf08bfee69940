// SPDX-License-Identifier: GPL-2.0-or-later
/* service.c -- messages to the service manager: "ready", "alive" and "ending", and a line about the
 * daemon's state. */
#include "config.h"
#include "daemon/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/base/configuration.h"
#include "daemon/base/notify.h"
#include "daemon/source/source.h"
#include "daemon/verbs.h"
#include "intervals/store.h"
#include "libop/base/clock.h"
#include "libop/event/spec.h"

/* maximum age in ms of the status line that `systemctl status` prints */
#define TEXT_MS		10000
/* additional start-up time in s that the daemon requests before work that may take long */
#define MORE_TIME_S	120
#define DAY		(24 * 3600)
#define YEAR		(365 * DAY)

void opd_service_more_time(void)
{
	char state[64];

	snprintf(state, sizeof(state), "EXTEND_TIMEOUT_USEC=%llu", MORE_TIME_S * 1000000ull);
	opd_notify(state);
}

/* Copy the first line of @text to @line without control characters: a newline would begin another
 * message. Return @line. */
static const char *one_line(char *line, size_t size, const char *text)
{
	snprintf(line, size, "%s", text);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	return line;
}

void opd_service_failed(const char *text)
{
	char line[600], state[700];

	snprintf(state, sizeof(state), "STATUS=%s", one_line(line, sizeof(line), text));
	opd_notify(state);
}

/* Format the number @n with commas between groups of three digits. */
static const char *with_commas(char text[32], uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *to = text;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

/* Format the time of the oldest samples: the time of day if it is less than a day ago, otherwise
 * the date. */
static const char *date(char *text, size_t size, int64_t since)
{
	time_t t = (time_t)since, now = time(NULL);
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(text, size, now - t < DAY ? "%H:%M" : now - t < YEAR / 2 ? "%b %e" : "%b %e, %Y",
		 &tm);
	return text;
}

static const char *source_words(const char *source)
{
	return !strcmp(source, "module") ? "the module" :
	       !strcmp(source, "perf") ? "perf_events" : source;
}

void opd_service_text(char *text, size_t size, const struct opd_service_facts *f)
{
	char taken[32], lost[32], when[32];
	FILE *out = fmemopen(text, size, "w");

	if (!out) {
		snprintf(text, size, "%s", f->is_running ? "sampling" : "paused");
		return;
	}
	if (f->is_running)
		fprintf(out, "sampling %s by %s; ", f->rate, source_words(f->source));
	else
		fputs("paused; ", out);
	fprintf(out, "%s samples, lost %s", with_commas(taken, f->taken),
		f->lost ? with_commas(lost, f->lost) : "none");
	if (f->bytes)
		fprintf(out, "; %" PRIu64 " MB", (f->bytes + (1 << 19)) >> 20);
	if (f->since)
		fprintf(out, "%s back to %s", f->bytes ? "," : ";", date(when, sizeof(when), f->since));
	fclose(out);
	text[size - 1] = '\0';
}

/* Write a description of the events to @text: the frequency of the timer, or the names of the
 * events. */
static void rate(char *text, size_t size, const struct opd_config *cfg)
{
	const struct op_event_spec *e = &cfg->events[0];

	if (op_event_is_timer(e->name) && e->count)
		snprintf(text, size, e->count > 1000000 ? "%.4g Hz" : "%.4g kHz",
			 (e->count > 1000000 ? 1e9 : 1e6) / (double)e->count);
	else
		snprintf(text, size, "%s", e->name);
	if (cfg->nr_events > 1)
		snprintf(text + strlen(text), size - strlen(text), " and %zu other events",
			 cfg->nr_events - 1);
}

/* Return the time of the oldest samples in the session directory, in seconds since 1970. */
static int64_t oldest(const struct opd_intervals *i)
{
	struct itv_list list = { .nr = 0 };
	int64_t begin = i->begin;

	if (!i->interval || i->store_fd < 0)
		return 0;
	if (!itv_store_list_old(&list, i->store_fd, INT64_MAX) && list.nr)
		begin = list.entries[0].begin;
	itv_list_release(&list);
	return begin;
}

static void send_text(struct opd_service *s)
{
	const struct opd_parts *p = s->parts;
	char words[120], text[sizeof(s->text)], state[sizeof(s->text) + 16];
	struct opd_service_facts facts = {
		.is_running = p->sampling.running,
		.rate = words,
		.source = p->sampling.ops->name,
		.bytes = p->intervals.interval ? p->intervals.disk.counted : 0,
		.since = oldest(&p->intervals),
	};

	rate(words, sizeof(words), p->cfg);
	opd_accounting_sums(&p->accounting, &facts.taken, &facts.lost);
	opd_service_text(text, sizeof(text), &facts);
	s->text_due = op_now_ms() + TEXT_MS;
	if (!strcmp(text, s->text))
		return;
	strcpy(s->text, text);
	snprintf(state, sizeof(state), "STATUS=%s", text);
	opd_notify(state);
}

void opd_service_begin(struct opd_service *s, const struct opd_parts *parts)
{
	*s = (struct opd_service){ .parts = parts };
	s->is_heard = opd_notify_is_heard();
	opd_watchdog_init(&s->watchdog);
	opd_notify("READY=1");
}

uint64_t opd_service_due(const struct opd_service *s)
{
	uint64_t due = s->is_heard ? s->text_due : UINT64_MAX;

	return s->watchdog.ms && s->watchdog.due < due ? s->watchdog.due : due;
}

void opd_service_alive(struct opd_service *s)
{
	opd_watchdog_alive(&s->watchdog);
}

void opd_service_turn(struct opd_service *s)
{
	opd_service_alive(s);
	if (s->is_heard && op_now_ms() >= s->text_due)
		send_text(s);
}

void opd_service_reloading(void)
{
	char state[100];

	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		 op_clock_ns(CLOCK_MONOTONIC) / 1000);
	opd_notify(state);
}

void opd_service_reloaded(struct opd_service *s)
{
	opd_notify("READY=1");
	s->text_due = 0;
	s->text[0] = '\0';
}

void opd_service_end(void)
{
	char state[100];

	snprintf(state, sizeof(state),
		 "STOPPING=1\nSTATUS=writing the last samples\nEXTEND_TIMEOUT_USEC=%llu",
		 MORE_TIME_S * 1000000ull);
	opd_notify(state);
}
