// SPDX-License-Identifier: GPL-2.0-or-later
/* text_header.c -- the lines above a report: CPU, events, and what the columns are. */
#include "config.h"
#include "pp/format/text.h"

#include <inttypes.h>
#include <string.h>

#include "libop/cpu_type.h"
#include "libop/event_spec.h"
#include "pp/format/event_words.h"

static void print_cpu(const struct pp_report *report)
{
	const struct op_cpu_desc *cpu = op_cpu_by_number(report->profile->cpu_type);

	if (cpu)
		fprintf(report->out, "CPU: %s", cpu->pretty);
	else
		fprintf(report->out, "CPU: of unknown type %" PRIu32, report->profile->cpu_type);
	if (report->profile->cpu_speed > 0)
		fprintf(report->out, ", speed %g MHz (estimated)", report->profile->cpu_speed);
	putc('\n', report->out);
}

static void print_timer(FILE *out, uint64_t ns)
{
	fputs("Profiling through timer interrupt", out);
	if (ns)
		fprintf(out, ", every %g ms", ns / 1e6);
	putc('\n', out);
}

static void print_meaning(FILE *out, const char *meaning)
{
	fputs(" (", out);
	pp_text_print(out, meaning, 0, 0);
	putc(')', out);
}

static void print_event(FILE *out, const struct pp_class *class, struct pp_event_words *words)
{
	fputs("Counted ", out);
	pp_text_print(out, class->event, 0, 0);
	fputs(" events", out);
	if (words)
		print_meaning(out, pp_event_meaning(words, class->event));
	fprintf(out, " with a unit mask of 0x%02" PRIx32, class->um);
	if (words)
		print_meaning(out, pp_unit_mask_meaning(words, class->event, class->um));
	fprintf(out, " count %" PRIu64 "\n", class->count);
}

static int is_first_of_event(const struct pp_classes *classes, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(classes->items[j].event, classes->items[i].event) &&
		    classes->items[j].count == classes->items[i].count &&
		    classes->items[j].um == classes->items[i].um)
			return 0;
	return 1;
}

static void print_events(const struct pp_report *report)
{
	const struct pp_classes *classes = &report->session->classes;
	struct pp_event_words *words = NULL;
	int tried = 0;

	for (size_t i = 0; i < classes->nr; i++) {
		const struct pp_class *class = &classes->items[i];

		if (!is_first_of_event(classes, i))
			continue;
		if (!strcmp(class->event, OP_EVENT_TIMER)) {
			print_timer(report->out, class->count);
			continue;
		}
		if (!tried)
			words = pp_event_words_load(report->profile->cpu_type);
		tried = 1;
		print_event(report->out, class, words);
	}
	pp_event_words_free(words);
}

static void print_axis(FILE *out, const struct pp_classes *classes)
{
	for (size_t i = 0; i < classes->nr; i++) {
		const struct pp_class *class = &classes->items[i];

		if (classes->axis == PP_AXIS_CPU && class->cpu != OP_ALL)
			fprintf(out, "Samples on CPU %d\n", class->cpu);
		else if (classes->axis == PP_AXIS_TID && class->tid != OP_ALL)
			fprintf(out, "Processes with a thread ID of %d\n", class->tid);
		else if (classes->axis == PP_AXIS_TGID && class->tgid != OP_ALL)
			fprintf(out, "Processes with a thread group ID of %d\n", class->tgid);
	}
}

void pp_text_header(const struct pp_report *report)
{
	const struct pp_classes *classes = &report->session->classes;

	if (!report->options->show_header)
		return;
	print_cpu(report);
	print_events(report);
	pp_text_losses(report);
	print_axis(report->out, classes);
}
