// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * variables.c -- the variables $OPPROBE and $LD_PRELOAD for programs that this program starts while
 * opattach(1) profiles it.
 */
#include "config.h"
#include "probe/preloaded/variables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/wrap/exec.h"

enum { WORDS, LIST, NR };

static const char *const names[NR] = { [WORDS] = "OPPROBE", [LIST] = "LD_PRELOAD" };

/* Strings "NAME=VALUE" for the environment. The strings are allocated and never freed, because
 * another thread may be reading them in exec*(). Global, because the environment is. */
static struct {
	/* strings set by this file; NULL: the variable was not changed */
	char *ours[NR];
	/* strings of the variables before this file changed them; NULL: the variable was not set */
	char *before[NR];
} variables;

static const char *value_of(const char *variable)
{
	return strchr(variable, '=') + 1;
}

static char *assign(int i, const char *value)
{
	char *variable;

	return asprintf(&variable, "%s=%s", names[i], value) < 0 ? NULL : variable;
}

/* Return whether the list @list has an element that equals the first @len bytes of @element. Colons
 * or blanks separate the elements. */
static bool has_element(const char *list, const char *element, size_t len)
{
	while (*list) {
		const size_t this = strcspn(list, ": ");

		if (this == len && !memcmp(list, element, len))
			return true;
		list += this + (list[this] != '\0');
	}
	return false;
}

/* Return the libraries of @list, followed by those of @libraries that are not in @list. The order
 * matches opprobe(1). The caller frees the result. Return NULL if out of memory. */
static char *join(const char *list, const char *libraries)
{
	char *joined = malloc(strlen(list) + strlen(libraries) + 2), *end = joined;

	if (!joined)
		return NULL;
	end = stpcpy(end, list);
	while (*libraries) {
		const size_t len = strcspn(libraries, ":");

		if (len && !has_element(list, libraries, len)) {
			if (end > joined)
				*end++ = ':';
			end = mempcpy(end, libraries, len);
		}
		libraries += len + (libraries[len] != '\0');
	}
	*end = '\0';
	return joined;
}

static bool is_event(const char *word)
{
	return !strncmp(word, "event=", 6) || !strncmp(word, "rate=", 5) ||
	       !strncmp(word, "counter=", 8);
}

static void put_event(FILE *f, const struct raw_probe_event *event)
{
	const struct raw_probe_perf *perf = &event->perf;

	if (event->kind == &raw_probe_counter)
		fprintf(f, "counter=%" PRIx32 ".%" PRIx64 ".%" PRIx64 ":%" PRIu64 ":%s,",
			perf->type, perf->config, perf->config1, event->period, event->name);
	else if (event->period)
		fprintf(f, "event=%s:%" PRIu64 ",", event->name, event->period);
	else
		fprintf(f, "event=%s,", event->name);
}

/* Return a copy of @words, options in the syntax of $OPPROBE, with their events replaced by
 * @events. The option "output=" is the last option, because its value may contain commas. The
 * caller frees the result. Return NULL if out of memory. */
static char *replace_events(const char *words, const struct raw_probe_words *events)
{
	char *replaced = NULL;
	size_t size;
	FILE *f = open_memstream(&replaced, &size);

	if (!f)
		return NULL;
	for (uint32_t i = 0; i < events->nr_events; i++)
		put_event(f, &events->events[i]);
	while (*words) {
		const size_t len =
			strncmp(words, "output=", 7) ? strcspn(words, ",") : strlen(words);

		if (len && !is_event(words))
			fprintf(f, "%.*s%s", (int)len, words, words[len] ? "," : "");
		words += len + (words[len] != '\0');
	}
	if (!fclose(f))
		return replaced;
	free(replaced);
	return NULL;
}

/* Set $OPPROBE to @words and $LD_PRELOAD to @list, and free both strings. Return false if one of
 * the strings is NULL, or if out of memory. */
static bool set_variables(char *words, char *list)
{
	char *ours[NR] = { words ? assign(WORDS, words) : NULL, list ? assign(LIST, list) : NULL };

	free(words);
	free(list);
	if (ours[WORDS] && ours[LIST]) {
		memcpy(variables.ours, ours, sizeof(ours));
		return variables_set();
	}
	free(ours[WORDS]);
	free(ours[LIST]);
	return false;
}

static bool copy_present(void)
{
	for (int i = 0; i < NR; i++) {
		const char *value = getenv(names[i]);

		variables.before[i] = value ? assign(i, value) : NULL;
		if (value && !variables.before[i])
			return false;
	}
	return true;
}

static const char *present(int i)
{
	const char *value = variables.ours[i] ? value_of(variables.ours[i]) : getenv(names[i]);

	return value ? value : "";
}

bool variables_make(const char *words, const char *libraries)
{
	return copy_present() && set_variables(strdup(words), join(present(LIST), libraries));
}

bool variables_add(const struct raw_probe_words *events, const char *libraries)
{
	/* opprobe(1) has removed $OPPROBE, because programs that this program executes are not
	 * to be profiled (--follow): change nothing. */
	if (!variables.ours[WORDS] && !getenv(names[WORDS]))
		return true;
	if (!variables.ours[WORDS] && !copy_present())
		return false;
	return set_variables(replace_events(present(WORDS), events),
			     join(present(LIST), libraries));
}

bool variables_set(void)
{
	bool is_set = true;

	if (!variables.ours[WORDS])
		return true;
	exec_adds((const char *const *)variables.ours, (const char *const *)variables.before);
	for (int i = 0; i < NR; i++)
		is_set &= !setenv(names[i], value_of(variables.ours[i]), 1);
	return is_set;
}

void variables_unset(void)
{
	if (!variables.ours[WORDS])
		return;
	exec_adds(NULL, NULL);
	for (int i = 0; i < NR; i++) {
		const char *now = getenv(names[i]);

		if (!now || strcmp(now, value_of(variables.ours[i])))
			continue;
		if (variables.before[i])
			setenv(names[i], value_of(variables.before[i]), 1);
		else
			unsetenv(names[i]);
	}
}
