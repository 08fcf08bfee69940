// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c -- names of programs, images and functions for graphs. */
#include "config.h"
#include "pp/format/stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/event/spec.h"
#include "libop/session/mangle.h"
#include "pp/profile/short_titles.h"
#include "pp/session/tasks.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *pp_stack_title(const struct pp_stacks *s, const char *path)
{
	return s->report->options->long_filenames ? path :
						    pp_short_title(s->profile, path);
}

/* Name code without symbols after its image. Otherwise such code of all images would look like one
 * function. */
static int name_uncovered(struct pp_stacks *s)
{
	const struct pp_profile *profile = s->profile;

	s->uncovered = calloc(profile->nr_binaries + 1, sizeof(*s->uncovered));
	if (!s->uncovered)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_codes; i++) {
		const struct pp_code *code = &profile->codes[i];
		char **name = &s->uncovered[code->binary];

		if (code->kind != PP_CODE_UNCOVERED || *name)
			continue;
		if (asprintf(name, "[%s: no symbol]",
			     pp_stack_title(s, profile->binaries[code->binary].title)) < 0) {
			*name = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

int pp_stacks_make(struct pp_stacks *ret, const struct pp_report *report)
{
	const struct pp_profile *profile = report->profile;
	struct pp_stacks s = { .report = report, .profile = profile };
	size_t nr = profile->nr_groups;

	s.programs = calloc(nr + 1, sizeof(*s.programs));
	s.program_of = calloc(nr + 1, sizeof(*s.program_of));
	if (!s.programs || !s.program_of || name_uncovered(&s)) {
		pp_stacks_release(&s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		s.programs[i] = profile->groups[i].app;
	qsort(s.programs, nr, sizeof(*s.programs), compare_names);
	for (size_t i = 0; i < nr; i++)
		if (!i || strcmp(s.programs[i], s.programs[s.nr_programs - 1]))
			s.programs[s.nr_programs++] = s.programs[i];
	for (size_t i = 0; i < nr; i++) {
		const char **found = bsearch(&profile->groups[i].app, s.programs, s.nr_programs,
					     sizeof(*s.programs), compare_names);

		s.program_of[i] = found - s.programs;
	}
	*ret = s;
	return 0;
}

void pp_stacks_release(struct pp_stacks *stacks)
{
	for (size_t i = 0; stacks->uncovered && i < stacks->profile->nr_binaries; i++)
		free(stacks->uncovered[i]);
	free(stacks->uncovered);
	free(stacks->programs);
	free(stacks->program_of);
	*stacks = (struct pp_stacks){ 0 };
}

const char *pp_stack_code_name(const struct pp_stacks *s, const struct pp_code *code)
{
	return code->kind == PP_CODE_UNCOVERED ? s->uncovered[code->binary] : code->name;
}

static size_t append(char *buf, size_t size, size_t at, const char *word, int id, bool is_unknown)
{
	if ((id == OP_ALL && !is_unknown) || at >= size)
		return at;
	if (is_unknown)
		return at + snprintf(buf + at, size - at, " %s:?", word);
	return at + snprintf(buf + at, size - at, " %s:%d", word, id);
}

void pp_class_label(char *buf, size_t size, const struct pp_class *class)
{
	size_t at = snprintf(buf, size, "%s:%" PRIu64, class->event, class->count);
	char name[4 * OP_TASK_NAME_SIZE];

	if (class->um && at < size)
		at += snprintf(buf + at, size - at, ":0x%02" PRIx32, class->um);
	at = append(buf, size, at, "tgid", class->tgid, class->tgid_unknown);
	at = append(buf, size, at, "tid", class->tid, class->tid_unknown);
	if (class->task_name && at < size)
		at += snprintf(buf + at, size - at, " (%s)",
			       op_clean(name, sizeof(name), class->task_name));
	at = append(buf, size, at, "cpu", class->cpu, class->cpu_unknown);
	if (class->source && at < size)
		snprintf(buf + at, size - at, " %s", class->source);
}

void pp_side_label(char *buf, size_t size, const struct pp_report *report, size_t side,
		   size_t class)
{
	size_t at = 0;

	if (report->before)
		at = (size_t)snprintf(buf, size, "%s ", side ? "after" : "before");
	pp_class_label(buf + at, size - at, &report->session->classes.items[class]);
}

char *pp_sums_label(char *label, size_t size)
{
	size_t at = strlen(label);

	snprintf(label + at, size - at, " (sums by stack, not in order of time)");
	return label;
}

uint64_t pp_class_weight(const struct pp_class *class, const char **unit)
{
	int timer = !strcmp(class->event, OP_EVENT_TIMER);
	const char *what = pp_class_unit(class);

	*unit = timer ? "nanoseconds" : strcmp(what, "bytes") ? "" : what;
	return timer ? class->count : 1;
}
