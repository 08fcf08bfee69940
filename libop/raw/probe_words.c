// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe_words.c -- parser of $OPPROBE and of opprobe's --event.
 */
#include "libop/raw/probe_words.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "libop/raw/num.h"
#include "libop/raw/perf_names.h"

#define SECOND		1000000000

#define MOST		(1ULL << 40)
#define MAX_ERRNO	4095

/* Table entries for the events of perf_events: RAW_PERF_HARDWARE(ROW), RAW_PERF_SOFTWARE(ROW). */
#define HARDWARE(name, id)	{ name, 1000000, 1000, MOST, NULL, { NULL }, RAW_PROBE_BY_PERF, { PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, 0 } },
#define SOFTWARE(name, id)	{ name, 1, 1, MOST, NULL, { NULL }, RAW_PROBE_BY_PERF, { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, 0 } },
#define ROW_NAME(name, other, type, id)		type(name, id)
#define ROW_OTHER(name, other, type, id)	type(other, id)
#define ROW_NONE(name, other, type, id)
#define ROW(probe, name, other, type, id, desc)	ROW_##probe(name, other, type, id)

static const struct raw_probe_kind kinds[] = {
	{ "TIMER", SECOND / 1000, SECOND / RAW_PROBE_MAX_RATE, SECOND, NULL, { NULL }, RAW_PROBE_BY_DRIVER, { 0, 0, 0 } },
	{ "malloc", 0, 2, 1 << 30, "libopprobe_malloc.so",
	  { "bytes allocated", "bytes freed", "allocations", "frees", "temporary", "bytes at peak" }, RAW_PROBE_BY_CALLS, { 0, 0, 0 } },
	{ "mmap", 0, 0, 0, "libopprobe_mmap.so", { "bytes mapped", "maps", "bytes unmapped", "unmaps" },
	  RAW_PROBE_BY_CALLS, { 0, 0, 0 } },
	{ "io", 0, 0, 0, "libopprobe_io.so",
	  { "bytes read", "reads", "bytes written", "writes", "bytes sent", "sends", "bytes received", "receives" },
	  RAW_PROBE_BY_CALLS, { 0, 0, 0 } },
	{ "user", 0, 0, 0, NULL, { NULL }, RAW_PROBE_BY_PROGRAM, { 0, 0, 0 } },
	{ "WALL", SECOND / 1000, SECOND / RAW_PROBE_MAX_RATE, SECOND, NULL, { NULL }, RAW_PROBE_BY_WALL, { 0, 0, 0 } },
	{ "vperf", SECOND / 1000, 1, MOST, "libopprobe_vperf.so", { NULL }, RAW_PROBE_BY_VPERF, { 0, 0, 0 } },
	RAW_PERF_SOFTWARE(ROW)
	RAW_PERF_HARDWARE(ROW)
};

uint32_t raw_probe_perf_parts(const struct raw_probe_perf *perf, struct raw_probe_perf parts[2])
{
	parts[0] = *perf;
	if (perf->type != PERF_TYPE_SOFTWARE || perf->config != PERF_COUNT_SW_PAGE_FAULTS)
		return 1;
	parts[0].config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	parts[1] = *perf;
	parts[1].config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	return 2;
}

const struct raw_probe_kind *raw_probe_kind(size_t i)
{
	return i < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[i] : NULL;
}

const struct raw_probe_kind raw_probe_counter = {
	.name = "counter", .min = 1, .max = MOST, .by = RAW_PROBE_BY_PERF};

int raw_probe_counter_set(struct raw_probe_event *ret, const struct raw_probe_perf *perf,
			  uint64_t period, const char *name, size_t len)
{
	struct raw_probe_event event = {
		.kind = &raw_probe_counter, .period = period, .perf = *perf};

	if (period < raw_probe_counter.min || period > raw_probe_counter.max)
		return -ERANGE;
	if (!len || len >= sizeof(event.name))
		return -ENAMETOOLONG;
	__builtin_memcpy(event.name, name, len);
	*ret = event;
	return 0;
}

static struct raw_probe_event make_event(const struct raw_probe_kind *kind, uint64_t period)
{
	struct raw_probe_event event = { .kind = kind, .period = period, .perf = kind->perf };

	for (size_t i = 0; kind->name[i] && i + 1 < sizeof(event.name); i++)
		event.name[i] = kind->name[i];
	return event;
}

/* Return the default period of the perf_events event @name. If the event is not in the table,
 * return the default period of @vperf. */
static uint64_t default_period(const struct raw_probe_kind *vperf, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].by == RAW_PROBE_BY_PERF &&
		    !__builtin_strncmp(kinds[i].name, name, len) && !kinds[i].name[len])
			return kinds[i].period;
	return vperf->period;
}

/* Return the offset after the last colon in @text that is at the offset @from or later; @len if
 * no colon follows @from. */
static size_t last_part(const char *text, size_t from, size_t len)
{
	for (size_t at = len; at > from; at--)
		if (text[at - 1] == ':')
			return at;
	return len;
}

/* Parse vperf:EVENT[:u][:PERIOD]. EVENT may contain other colons. */
static int parse_vperf(struct raw_probe_event *ret, const struct raw_probe_kind *kind,
		       const char *text, size_t len)
{
	const size_t name = sizeof(RAW_PROBE_VPERF) - 1;
	size_t part = last_part(text, name, len), digits;
	uint64_t period = 0;

	digits = raw_str2num(&period, text + part, len - part, 10);
	if (digits && digits == len - part)
		len = part - 1;
	else
		period = 0;
	part = last_part(text, name, len);
	if (part + 1 == len && text[part] == 'u')
		len = part - 1;
	if (len <= name || last_part(text, name, len) < len)
		return -EINVAL;
	if (len >= RAW_PROBE_NAME)
		return -ENAMETOOLONG;
	if (!digits)
		period = default_period(kind, text + name, len - name);
	if (period < kind->min || period > kind->max)
		return -ERANGE;
	*ret = (struct raw_probe_event){ .kind = kind, .period = period };
	__builtin_memcpy(ret->name, text, len);
	return 0;
}

int raw_probe_event_parse(struct raw_probe_event *ret, const char *text, size_t len)
{
	const struct raw_probe_kind *kind;
	size_t name = 0, digits;
	uint64_t period;

	while (name < len && text[name] != ':')
		name++;
	for (size_t i = 0; (kind = raw_probe_kind(i)); i++)
		if (!__builtin_strncmp(kind->name, text, name) && !kind->name[name])
			break;
	if (!kind)
		return -ENOENT;
	if (kind->by == RAW_PROBE_BY_VPERF)
		return parse_vperf(ret, kind, text, len);
	period = kind->period;
	if (name < len) {
		digits = raw_str2num(&period, text + name + 1, len - name - 1, 10);
		if (!digits || digits != len - name - 1 || !kind->max || period < kind->min ||
		    period > kind->max)
			return -ERANGE;
	}
	*ret = make_event(kind, period);
	return 0;
}

int raw_probe_words_add(struct raw_probe_words *words, const struct raw_probe_event *event)
{
	for (uint32_t i = 0; i < words->nr_events; i++)
		if (!__builtin_strcmp(words->events[i].name, event->name))
			return -EEXIST;
	if (words->nr_events == RAW_PROBE_EVENTS)
		return -E2BIG;
	words->events[words->nr_events++] = *event;
	return 0;
}

const char *const raw_probe_drivers[RAW_PROBE_NR_DRIVERS] = {
	[RAW_PROBE_AUTO] = "auto",
	[RAW_PROBE_PERF] = "perf",
	[RAW_PROBE_CPUTIME] = "cputime",
	[RAW_PROBE_ITIMER] = "itimer",
	[RAW_PROBE_MONOTONIC] = "monotonic",
};

int raw_probe_driver_parse(enum raw_probe_driver *ret, const char *text, size_t len)
{
	for (size_t i = 0; i < RAW_PROBE_NR_DRIVERS; i++)
		if (!__builtin_strncmp(raw_probe_drivers[i], text, len) &&
		    !raw_probe_drivers[i][len]) {
			*ret = i;
			return 0;
		}
	return -ENOENT;
}

int raw_probe_rate(struct raw_probe_event *ret, uint64_t rate)
{
	if (!rate || rate > RAW_PROBE_MAX_RATE)
		return -ERANGE;
	*ret = make_event(&kinds[0], SECOND / rate);
	return 0;
}

/* If @text begins with @key and '=', return the text after the '=', otherwise NULL. */
static const char *value_of(const char *text, const char *key)
{
	size_t len = __builtin_strlen(key);

	return !__builtin_strncmp(text, key, len) && text[len] == '=' ? text + len + 1 : NULL;
}

static int parse_rate(struct raw_probe_words *words, const char *text, size_t len)
{
	struct raw_probe_event event;
	uint64_t rate;
	int err = len && raw_str2num(&rate, text, len, 10) == len ? raw_probe_rate(&event, rate) :
								    -EINVAL;

	return err ? err : raw_probe_words_add(words, &event);
}

static int parse_event(struct raw_probe_words *words, const char *text, size_t len)
{
	struct raw_probe_event event;
	int err = raw_probe_event_parse(&event, text, len);

	return err ? err : raw_probe_words_add(words, &event);
}

/* Parse the number at *@at, which must end before the character @end. Advance *@at after this
 * character. */
static int parse_number(uint64_t *ret, const char **at, const char *last, unsigned int base,
			char end)
{
	size_t digits = raw_str2num(ret, *at, last - *at, base);

	if (!digits || *at + digits == last || (*at)[digits] != end)
		return -EINVAL;
	*at += digits + 1;
	return 0;
}

static int parse_counter(struct raw_probe_words *words, const char *text, size_t len)
{
	const char *at = text, *last = text + len;
	uint64_t type, config, config1, period;
	struct raw_probe_event event;
	int err = parse_number(&type, &at, last, 16, '.');

	if (!err)
		err = parse_number(&config, &at, last, 16, '.');
	if (!err)
		err = parse_number(&config1, &at, last, 16, ':');
	if (!err)
		err = parse_number(&period, &at, last, 10, ':');
	if (err || type > UINT32_MAX)
		return -EINVAL;
	err = raw_probe_counter_set(&event, &(struct raw_probe_perf){type, config, config1}, period,
				    at, last - at);
	return err ? err : raw_probe_words_add(words, &event);
}

static int parse_driver(struct raw_probe_words *words, const char *text, size_t len)
{
	return raw_probe_driver_parse(&words->driver, text, len);
}

static int parse_refused(struct raw_probe_words *words, const char *text, size_t len)
{
	uint64_t n;

	if (!len || raw_str2num(&n, text, len, 10) != len || n > MAX_ERRNO)
		return -EINVAL;
	words->refused = n;
	return 0;
}

const char *const raw_probe_follow[RAW_PROBE_NR_FOLLOW] = {
	[RAW_PROBE_FOLLOW_ALL] = "all",
	[RAW_PROBE_FOLLOW_FORK] = "fork",
	[RAW_PROBE_FOLLOW_EXEC] = "exec",
	[RAW_PROBE_FOLLOW_NONE] = "none",
};

static bool is(const char *text, size_t len, const char *word)
{
	return __builtin_strlen(word) == len && !__builtin_strncmp(text, word, len);
}

static int parse_follow(struct raw_probe_words *words, const char *text, size_t len)
{
	for (size_t i = 0; i < RAW_PROBE_NR_FOLLOW; i++)
		if (is(text, len, raw_probe_follow[i])) {
			words->follow = i;
			return 0;
		}
	return -EINVAL;
}

/* Parse an option whose value must be one of two words. */
static int parse_either(bool *ret, const char *text, size_t len, const char *no, const char *yes)
{
	if (!is(text, len, no) && !is(text, len, yes))
		return -EINVAL;
	*ret = is(text, len, yes);
	return 0;
}

static int parse_separate(struct raw_probe_words *words, const char *text, size_t len)
{
	return parse_either(&words->by_thread, text, len, "none", "thread");
}

static int parse_leaf(struct raw_probe_words *words, const char *text, size_t len)
{
	return parse_either(&words->by_function, text, len, "address", "function");
}

static int parse_version(struct raw_probe_words *words, const char *text, size_t len)
{
	return parse_either(&words->is_01_01, text, len, "01.00", "01.01");
}

static int parse_marker(struct raw_probe_words *words, const char *text, size_t len)
{
	return parse_either(&words->marks, text, len, "off", "on");
}

const char *const raw_probe_returns[RAW_PROBE_NR_RETURNS] = {
	[RAW_PROBE_RETURNS_LAST] = "last",
	[RAW_PROBE_RETURNS_ALL] = "all",
	[RAW_PROBE_RETURNS_OFF] = "off",
};

static int parse_returns(struct raw_probe_words *words, const char *text, size_t len)
{
	for (size_t i = 0; i < RAW_PROBE_NR_RETURNS; i++)
		if (is(text, len, raw_probe_returns[i])) {
			words->returns = i;
			return 0;
		}
	return -EINVAL;
}

/* Parse a size with an optional suffix K, M or G (powers of 1024). */
static int parse_memory(struct raw_probe_words *words, const char *text, size_t len)
{
	static const char units[] = "KMG";
	uint64_t n;
	size_t digits = raw_str2num(&n, text, len, 10);
	unsigned int shift = 0;

	for (size_t i = 0; digits && digits + 1 == len && units[i]; i++)
		if (text[digits] == units[i])
			shift = 10 * (i + 1);
	if (!digits || (digits != len && !shift) || n > RAW_PROBE_MAX_MEMORY >> shift)
		return -EINVAL;
	words->memory = n << shift;
	return 0;
}

static int parse_unsafe(struct raw_probe_words *words, const char *text, size_t len)
{
	if (!len || len >= RAW_PROBE_UNSAFE_NAME)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (text[i] == ',')
			return -EINVAL;
	if (words->nr_unsafe == RAW_PROBE_UNSAFE)
		return -E2BIG;
	__builtin_memcpy(words->unsafe[words->nr_unsafe], text, len);
	words->unsafe[words->nr_unsafe++][len] = '\0';
	return 0;
}

/* Parse the name of the file unsafe-met, which is in words->dir. The name must not contain '/'. */
static int parse_unsafe_met(struct raw_probe_words *words, const char *text, size_t len)
{
	if (!len || len >= sizeof(words->unsafe_met) || is(text, len, ".."))
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (text[i] == '/')
			return -EINVAL;
	__builtin_memcpy(words->unsafe_met, text, len);
	words->unsafe_met[len] = '\0';
	return 0;
}

static const struct {
	const char *key;
	int (*parse)(struct raw_probe_words *words, const char *value, size_t len);
} keys[] = {
	{ "rate", parse_rate },
	{ "event", parse_event },
	{ "counter", parse_counter },
	{ "driver", parse_driver },
	{ "refused", parse_refused },
	{ "follow", parse_follow },
	{ "separate", parse_separate },
	{ "leaf", parse_leaf },
	{ "memory", parse_memory },
	{ "csp-version", parse_version },
	{ "unsafe", parse_unsafe },
	{ "unsafe-met", parse_unsafe_met },
	{ "marker", parse_marker },
	{ "returns", parse_returns },
};

int raw_probe_word(struct raw_probe_words *words, const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = value_of(word, keys[i].key);

		if (value)
			return keys[i].parse(words, value, len - (value - word));
	}
	return -ENOENT;
}

/* Parse one word of $OPPROBE, but not output=DIR, which is the last word. Return the text after the
 * word, or NULL if the word is invalid. */
static const char *parse_word(struct raw_probe_words *words, const char *text)
{
	size_t len = 0;

	while (text[len] && text[len] != ',')
		len++;
	return raw_probe_word(words, text, len) ? NULL : text + len;
}

int raw_probe_words_parse(struct raw_probe_words *words, const char *text, size_t *wrong)
{
	const struct raw_probe_event timer = make_event(&kinds[0], kinds[0].period);
	const char *at = text, *value;

	while (*at) {
		value = value_of(at, "output");
		*wrong = at - text;
		if (value && !*value)
			return -EINVAL;
		if (value) {
			words->dir = value;
			break;
		}
		at = parse_word(words, at);
		if (!at)
			return -EINVAL;
		at += *at == ',';
	}
	return words->nr_events ? 0 : raw_probe_words_add(words, &timer);
}
