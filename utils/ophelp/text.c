// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c -- prints events as text for humans.
 */
#include "config.h"
#include "utils/ophelp/list.h"

#include <inttypes.h>
#include <string.h>

#include "libop/event/any_cpu.h"
#include "libop/event/tracepoint.h"

#define WIDTH	79	/* maximum width of a line in columns; a tab counts as eight columns */

/* Print @text in lines of at most WIDTH columns. @indent precedes each line except the first.
 * @used: number of columns that are already printed in the first line. */
static void wrap(FILE *to, const char *indent, size_t indent_width, size_t used, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (used > indent_width && used + 1 + len > WIDTH) {
			fprintf(to, "\n%s", indent);
			used = indent_width;
		} else if (used > indent_width) {
			putc(' ', to);
			used++;
		}
		fwrite(text, 1, len, to);
		used += len;
		text += len + strspn(text + len, " ");
	}
	putc('\n', to);
}

static void print_counters(FILE *to, const struct help_subject *subject,
			   const struct op_event *event)
{
	uint64_t counters = help_counters(subject, event);
	const char *comma = "";

	if (event->ext) {
		fprintf(to, "(ext: %s)", event->ext);
		return;
	}
	fputs("(counter: ", to);
	if (help_counters_all(subject, event)) {
		fputs("all", to);
		comma = ", ";
		counters &= ~(uint64_t)UINT32_MAX;
	} else if (!counters) {
		fputs("none here", to);
	}
	for (int i = 0; i < 64; i++) {
		if (!(counters & (1ULL << i)))
			continue;
		if (i < 32)
			fprintf(to, "%s%d", comma, i);
		else
			fprintf(to, "%sfixed %d", comma, i - 32);
		comma = ", ";
	}
	putc(')', to);
}

/* Print the extra bits (such as edge and inverted) of a unit mask. Return the number of printed
 * columns. */
static int print_extra(FILE *to, uint32_t extra)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} bits[] = {
		{ OP_EXTRA_EDGE, "edge" }, { OP_EXTRA_INV, "inv" }, { OP_EXTRA_ANY, "any" },
	};
	const char *comma = "";
	int len = fprintf(to, " extra:");

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (extra & bits[i].bit) {
			len += fprintf(to, "%s%s", comma, bits[i].name);
			comma = ",";
		}
	}
	if (extra >> OP_EXTRA_CMASK_SHIFT)
		len += fprintf(to, "%scmask=%u", comma, extra >> OP_EXTRA_CMASK_SHIFT);
	return len;
}

static void print_masks(FILE *to, const struct op_event *event, bool details)
{
	const struct op_unit_mask *um = event->unit_mask;

	if (op_event_samples_waits(event))
		fputs("\tUnit masks (default: all, with samples of each)\n", to);
	else if (um->default_name)
		fprintf(to, "\tUnit masks (default %s)\n", um->default_name);
	else
		fprintf(to, "\tUnit masks (default 0x%02" PRIx32 ")\n", um->default_value);
	fputs("\t----------\n", to);
	for (size_t i = 0; i < um->nr_values; i++) {
		const struct op_um_value *v = &um->values[i];
		int len = fprintf(to, "\t0x%02" PRIx32 ":", v->value);

		if (v->name)
			len += fprintf(to, " (name=%s)", v->name);
		if (details && v->extra & OP_EXTRA_REGISTER)
			len += print_extra(to, v->extra);
		wrap(to, "\t      ", 14, 8 + len - 1, v->desc);
	}
	if (details && um->type == OP_UM_BITMASK)
		fputs("\tValues may be added up.\n", to);
}

static void print_event(FILE *to, const struct help_subject *subject, const struct op_event *event)
{
	char minimum[40];

	fprintf(to, "%s: ", event->name);
	print_counters(to, subject, event);
	fputs("\n\t", to);
	snprintf(minimum, sizeof(minimum), " (min count: %" PRIu32 ")",
		 help_min_count(subject, event));
	if (strlen(event->desc) + strlen(minimum) + 8 <= WIDTH) {
		fprintf(to, "%s%s\n", event->desc, minimum);
	} else {
		wrap(to, "\t", 8, 8, event->desc);
		fprintf(to, "\t%s\n", minimum + 1);
	}
	if (help_has_masks(event))
		print_masks(to, event, subject->details);
	if (!subject->details)
		return;
	if (op_event_is_tracepoint(event)) {
		char fields[1000];

		if (*op_tracepoint_fields(fields, sizeof(fields), event->name, NULL)) {
			fputs("\tFields for --filter:", to);
			wrap(to, "\t", 8, 8 + strlen("Fields for --filter:"), fields);
		}
		fprintf(to, "\tUse: operf -e %s:1 COMMAND\n", event->name);
		return;
	}
	if (event->source == OP_EVENT_RAW)
		fprintf(to, "\tRegister contents 0x%" PRIx64 "\n", event->raw);
	else if (!event->ext)
		fprintf(to, "\tEvent code 0x%02" PRIx32 "%s\n", event->code,
			event->source == OP_EVENT_PFM ? ", from libpfm4" : "");
	if (event->file)
		fprintf(to, "\tDefined at %s:%u\n", event->file, event->line);
	fprintf(to, "\tUse: opcontrol --event=%s:%" PRIu32 "\n", event->name,
		help_min_count(subject, event) > 100000 ? help_min_count(subject, event) : 100000);
}

static int write_text(FILE *to, const struct help_subject *subject, struct op_reason *error)
{
	int from_pfm = 0;

	(void)error;
	if (!subject->details) {
		fprintf(to, "oprofile: available events for CPU type \"%s\" (%s)\n\n",
			subject->cpu->cpu->pretty, subject->cpu->cpu->name);
		if (subject->cpu->counters)
			fprintf(to,
				"It has %u counters%s. A unit mask may be given by number or by "
				"name.\n\n",
				subject->cpu->counters,
				subject->cpu->fixed ? ", and fixed ones for some events" : "");
	}
	for (size_t i = 0; i < subject->nr_events; i++) {
		if (!subject->details && subject->events[i]->source == OP_EVENT_PFM && !from_pfm) {
			fputs("Further events, from libpfm4:\n\n", to);
			from_pfm = 1;
		}
		print_event(to, subject, subject->events[i]);
	}
	if (!subject->details)
		fputs("Tracepoints of the kernel: SYSTEM:NAME, as sched:sched_switch. ophelp '*:*' lists "
		      "them,\nophelp 'sched:*' those of one system with their fields.\n", to);
	return 0;
}

const struct help_format help_text = { .write = write_text };
