// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xml.c -- prints events as XML, for programs, in the schema help_events 2.0 (doc/ophelp.xsd).
 */
#include "config.h"
#include "utils/ophelp/list.h"

#include <inttypes.h>

#include "libop/base/xml.h"

/* Print the counters that can count the event: "all", or their numbers separated by spaces. The
 * numbers of fixed counters begin at 32. */
static void put_counters(FILE *to, const struct help_subject *subject, const struct op_event *event)
{
	uint64_t counters = help_counters(subject, event);
	const char *space = "";

	fputs(" counter_mask=\"", to);
	if (help_counters_all(subject, event)) {
		fputs("all", to);
		space = " ";
		counters &= ~(uint64_t)UINT32_MAX;
	}
	for (int i = 0; i < 64; i++) {
		if (counters & (1ULL << i)) {
			fprintf(to, "%s%d", space, i);
			space = " ";
		}
	}
	putc('"', to);
}

static void put_masks(FILE *to, const struct op_event *event)
{
	const struct op_unit_mask *um = event->unit_mask;

	fprintf(to, "    <unit_masks default=\"%" PRIu32 "\" category=\"%s\"",
		help_um_default(event), help_um_type(um));
	if (um->default_name)
		op_xml_attribute(to, "default_name", um->default_name);
	fputs(">\n", to);
	for (size_t i = 0; i < um->nr_values; i++) {
		fprintf(to, "      <unit_mask mask=\"%" PRIu32 "\"", um->values[i].value);
		if (um->values[i].name) {
			op_xml_attribute(to, "name", um->values[i].name);
			fprintf(to, " extra=\"%" PRIu32 "\"", um->values[i].extra);
		}
		op_xml_attribute(to, "desc", um->values[i].desc);
		fputs("/>\n", to);
	}
	fputs("    </unit_masks>\n", to);
}

static void put_event(FILE *to, const struct help_subject *subject, const struct op_event *event)
{
	fputs("  <event", to);
	op_xml_attribute(to, "event_name", event->name);
	op_xml_attribute(to, "desc", event->desc);
	if (event->ext)
		op_xml_attribute(to, "ext", event->ext);
	else
		put_counters(to, subject, event);
	fprintf(to, " min_count=\"%" PRIu32 "\"", help_min_count(subject, event));
	if (!help_has_masks(event)) {
		fputs("/>\n", to);
		return;
	}
	fputs(">\n", to);
	put_masks(to, event);
	fputs("  </event>\n", to);
}

static int write_xml(FILE *to, const struct help_subject *subject, struct op_reason *error)
{
	(void)error;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<help_events schemaversion=\"2.0\">\n"
	      "  <header title=\"oprofile: available events for CPU type &quot;", to);
	op_xml_text(to, subject->cpu->cpu->pretty);
	fputs("&quot;\"", to);
	op_xml_attribute(to, "doc", subject->cpu->note);
	fputs("/>\n", to);
	for (size_t i = 0; i < subject->nr_events; i++)
		put_event(to, subject, subject->events[i]);
	fputs("</help_events>\n", to);
	return 0;
}

const struct help_format help_xml = { .write = write_xml };
