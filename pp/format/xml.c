// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xml.c -- the report as XML, schema version 3.1 (doc/opreport.xsd).
 *
 * Programs that read this format expect OProfile 1.4's output, so order, numbers (addresses are
 * hexadecimal) and contents (symbols are always written) are the same.
 */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/interval.h"
#include "intervals/store.h"
#include "libop/base/grow.h"
#include "libop/cpu/type.h"
#include "libop/event/spec.h"
#include "libop/raw/probe_words.h"
#include "pp/format/facts.h"
#include "pp/format/format.h"
#include "pp/format/walk.h"
#include "libop/base/xml.h"
#include "pp/session/range.h"

#define NANO	((int64_t)1000000000)

/* A slice of the text of the table of sampled addresses: the addresses of one symbol in one
 * program. */
struct slice {
	size_t code, start, end;
};

struct xml {
	FILE *out;
	int process;		/* whether a process element is open in the XML output */
	int tgid;		/* process id in the open process element */
	const char *name;
	struct pp_walk_symbol symbol;	/* the symbol that the walk visited last */
	/* for each function of the profile: whether a symbol in the output refers to it */
	uint8_t *used;
	/* stream that collects the text of the table of sampled addresses */
	FILE *details;
	char *details_text;
	size_t details_size;
	struct slice *slices;
	size_t nr_slices;
	bool failed;		/* memory was short, so the output is incomplete */
};

/* Write the confidence interval of a change as a processing instruction, because the schema lacks
 * an element for it. */
static void put_interval(const struct pp_walk *walk, const uint64_t *counts, size_t column,
			 FILE *out)
{
	struct pp_interval change;

	if (!pp_walk_interval(&change, walk, counts, column))
		return;
	fprintf(out, "<?oprofile-change class=\"c%zu\" from=\"%.4f\"", column, change.low);
	if (isfinite(change.high))
		fprintf(out, " to=\"%.4f\"", change.high);
	fputs("?>", out);
}

static void put_count(uint64_t count, char letter, size_t column, FILE *out)
{
	if (count)
		fprintf(out, "<count class=\"%c%zu\">%" PRIu64 "</count>", letter, column, count);
}

static bool has_classes(const struct pp_walk *walk)
{
	return walk->nr_columns > 1 || walk->report->before;
}

static void put_counts(const struct pp_walk *walk, const uint64_t *counts, FILE *out)
{
	const uint64_t *before = pp_walk_before(walk, counts);

	if (!has_classes(walk)) {
		if (counts[0])
			fprintf(out, "<count>%" PRIu64 "</count>", counts[0]);
		return;
	}
	for (size_t i = 0; i < walk->nr_columns; i++) {
		put_count(counts[i], 'c', i, out);
		if (before) {
			put_count(before[i], 'b', i, out);
			put_interval(walk, counts, i, out);
		}
	}
}

/* Write the XML element of the setup. The schema allows either a timer or events: if the session
 * has events, write the timer as an event. */
static void put_setup(const struct pp_walk *walk, FILE *out)
{
	unsigned int next = 0;

	fputs("<setup>\n", out);
	for (size_t i = 0; i < walk->nr_columns; i++) {
		const struct pp_column *c = &walk->columns[i];

		if (c->event_index != next)
			continue;
		next++;
		if (walk->nr_events == 1 && !strcmp(c->event, OP_EVENT_TIMER)) {
			fprintf(out, "<timersetup rtcinterrupts=\"%" PRIu64 "\"/>\n", c->count);
			continue;
		}
		fprintf(out, "<eventsetup id=\"%u\"", c->event_index);
		op_xml_attribute(out, "eventname", c->event);
		fprintf(out, " unitmask=\"%" PRIu32 "\" setupcount=\"%" PRIu64 "\"/>\n", c->um,
			c->count);
	}
	fputs("</setup>\n", out);
}

static void put_class(const struct pp_walk *walk, char letter, size_t column, FILE *out)
{
	const struct pp_column *c = &walk->columns[column];

	fprintf(out, "<class name=\"%c%zu\"", letter, column);
	if (c->cpu != OP_ALL)
		fprintf(out, " cpu=\"%d\"", c->cpu);
	if (walk->nr_events > 1)
		fprintf(out, " event=\"%u\" mask=\"%" PRIu32 "\"", c->event_index, c->um);
	fputs("/>\n", out);
}

/* A differential profile has two XML classes for each column: b0 is before, c0 is after. */
static void put_classes(const struct pp_walk *walk, FILE *out)
{
	if (!has_classes(walk))
		return;
	fputs("<classes>\n", out);
	for (size_t i = 0; i < walk->nr_columns; i++) {
		put_class(walk, 'c', i, out);
		if (walk->report->before)
			put_class(walk, 'b', i, out);
	}
	fputs("</classes>\n", out);
}

/* Write the probability of confidence intervals in a differential profile, and the sum of the lines
 * that --significant hides. */
static void put_certainty(const struct pp_walk *walk, FILE *out)
{
	const struct pp_diff_facts *facts = walk->profile->diff;
	const uint64_t *hidden = pp_walk_hidden(walk);

	if (!facts)
		return;
	fprintf(out, "<?oprofile-differential certainty=\"%g\"?>\n",
		walk->report->options->certainty);
	if (!hidden)
		return;
	fprintf(out, "<?oprofile-hidden lines=\"%zu\" of=\"%zu\"", facts->nr_hidden,
		facts->nr_lines);
	for (size_t i = 0; i < walk->nr_columns; i++)
		fprintf(out, " c%zu=\"%" PRIu64 "\" b%zu=\"%" PRIu64 "\"", i, hidden[i], i,
			pp_walk_before(walk, hidden)[i]);
	fputs("?>\n", out);
}

/* Write the columns whose counts were scaled up, because their event was counted only part of the
 * time. */
static void put_scaled(const struct pp_walk *walk, FILE *out)
{
	for (size_t i = 0; i < walk->nr_columns; i++) {
		const struct pp_column *c = &walk->columns[i];

		if (c->running_ns)
			fprintf(out, "<?oprofile-scaled class=\"c%zu\" enabled_ns=\"%" PRIu64
				     "\" running_ns=\"%" PRIu64 "\"?>\n",
				i, c->enabled_ns, c->running_ns);
	}
}

/* Write the time that the report's intervals cover, and the gaps between them. */
static void put_range(const struct pp_range *range, FILE *out)
{
	for (size_t i = 0; i < range->time.nr_asked; i++)
		fprintf(out, "<?oprofile-asked begin=\"%" PRId64 "\" end=\"%" PRId64 "\"?>\n",
			range->time.asked[i].begin, range->time.asked[i].end);
	fprintf(out, "<?oprofile-range begin=\"%" PRId64 "\" end=\"%" PRId64 "\"",
		range->time.parts[0].begin, pp_facts_range_end(range));
	for (unsigned int step = 0; step < ITV_NR_STEPS; step++) {
		size_t nr = 0;

		for (size_t i = 0; i < range->time.nr_parts; i++)
			nr += range->time.parts[i].step == step;
		fprintf(out, " %s=\"%zu\"", pp_facts_step(step), nr);
	}
	fputs("?>\n", out);
	for (size_t i = 0; i < range->time.nr_gaps; i++) {
		const struct itv_gap *gap = &range->time.gaps[i];

		/* A gap that begins at time 0 is not reported: it only means that the requested
		 * period has no beginning. */
		if (!gap->from_ns)
			continue;
		fprintf(out, "<?oprofile-gap begin=\"%" PRId64 "\" end=\"%" PRId64 "\"",
			gap->from_ns / NANO, gap->to_ns / NANO);
		op_xml_attribute(out, "reason", gap->reason);
		fputs("?>\n", out);
	}
}

/* Write where and when each session was recorded: begin, end, host, kernel and command. */
static void put_about(const struct pp_session *session, FILE *out)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct op_session_about *about = &session->about[i];

		if (!about->begun)
			continue;
		fprintf(out, "<?oprofile-session begun=\"%" PRId64 "\" ended=\"%" PRId64 "\"",
			about->begun, about->ended);
		if (about->sampled_ms)
			fprintf(out, " sampled_ms=\"%" PRId64 "\"", about->sampled_ms);
		op_xml_attribute(out, "host", about->host);
		op_xml_attribute(out, "kernel", about->kernel);
		if (*about->command)
			op_xml_attribute(out, "command", about->command);
		fputs("?>\n", out);
	}
}

/* Write facts from the profiles that programs wrote about themselves. */
static void put_profiled(const struct pp_session *session, FILE *out)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];
		const struct pp_source_rate *rate = &source->rate;

		if (!source->memory)
			continue;
		fputs("<?oprofile-profiled", out);
		op_xml_attribute(out, "file", source->path);
		if (source->command)
			op_xml_attribute(out, "command", source->command);
		fprintf(out, " from=\"%s\"", source->from_outside ? "outside" : "inside");
		if (pp_source_rate_is_known(rate))
			fprintf(out,
				" driver=\"%s\" signals=\"%" PRIu64 "\" period_ns=\"%" PRIu64
				"\" sampled_ns=\"%" PRIu64 "\"",
				raw_probe_drivers[rate->driver], rate->signals, rate->period_ns,
				rate->cpu_ns);
		if (source->of_signals.recorded || source->of_calls.recorded)
			fprintf(out, " paths=\"%" PRIu64 "\" whole_paths=\"%" PRIu64 "\"",
				source->of_signals.recorded + source->of_calls.recorded,
				source->of_signals.whole + source->of_calls.whole);
		fputs("?>\n", out);
	}
}

/* Write losses as a processing instruction, because the schema lacks an element for them. */
static void put_losses(const struct pp_session *session, FILE *out)
{
	if (!pp_facts_has_losses(session))
		return;
	fprintf(out, "<?oprofile-losses taken=\"%" PRIu64 "\" stored=\"%" PRIu64 "\"",
		op_session_stats_sum(&session->stats, OP_STAT_TAKEN),
		op_session_stats_sum(&session->stats, OP_STAT_STORED));
	for (size_t i = 0; i < session->stats.nr; i++) {
		const struct op_stat_value *v = &session->stats.values[i];

		if (v->value && v->desc && v->desc->kind == OP_STAT_LOSS)
			fprintf(out, " %s=\"%" PRIu64 "\"", v->name, v->value);
	}
	fputs("?>\n", out);
}

/* Write the numbers of samples of idle threads that the report leaves out, as put_losses() does. */
static void put_idle_waits(const struct pp_session *session, FILE *out)
{
	if (session->idle[OP_NOT_IDLE])
		fprintf(out, "<?oprofile-idle-waits poll=\"%" PRIu64 "\" sleep=\"%" PRIu64
			     "\" condition=\"%" PRIu64 "\"?>\n", session->idle[OP_IDLE_POLL],
			session->idle[OP_IDLE_SLEEP], session->idle[OP_IDLE_CONDITION]);
}

/* Write the CPU type as "cputype/processor", or as one word. Neither word may contain a blank or a
 * slash. */
static void put_cpu(const struct op_cpu_desc *cpu, FILE *out)
{
	const char *name = cpu ? cpu->name : "unknown", *slash = strchr(name, '/');

	if (slash)
		fprintf(out, " cputype=\"%.*s\" processor=\"%s\"", (int)(slash - name), name,
			slash + 1);
	else
		fprintf(out, " cputype=\"%s\" processor=\"%s\"", name, name);
}

static void begin(const struct pp_walk *walk)
{
	const struct pp_report *report = walk->report;
	const struct pp_format_options *options = report->options;
	const struct op_cpu_desc *cpu = op_cpu_by_number(walk->profile->cpu_type);
	FILE *out = report->out;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	fputs("<profile", out);
	op_xml_attribute(out, "title", report->command);
	fputs(" schemaversion=\"3.1\"", out);
	put_cpu(cpu, out);
	fprintf(out, " mhz=\"%.0f\"", walk->profile->cpu_speed);
	if (walk->nr_cpus)
		fprintf(out, " separatedcpus=\"%zu\"", walk->nr_cpus);
	fputs(">\n", out);
	if (report->session->range)
		put_range(report->session->range, out);
	put_about(report->session, out);
	put_profiled(report->session, out);
	put_losses(report->session, out);
	put_idle_waits(report->session, out);
	put_certainty(walk, out);
	put_scaled(walk, out);
	fputs("<options", out);
	if (options->debug_info)
		fputs(" debuginfo=\"true\"", out);
	if (options->details)
		fputs(" details=\"true\"", out);
	fputs("/>\n", out);
	put_setup(walk, out);
	put_classes(walk, out);
}

static void end_process(struct xml *xml)
{
	if (xml->process)
		fputs("</process>\n", xml->out);
	xml->process = 0;
}

/* Return @id, the id of a process or thread. If @id is unknown, return @other, the id of the
 * thread's process or of a thread of the process, or 0. The schema does not allow unknown ids. */
static int known_id(int id, int other)
{
	return id != OP_ALL ? id : other != OP_ALL ? other : 0;
}

static void begin_thread(const struct pp_walk *walk, const struct pp_walk_program *program)
{
	struct xml *xml = walk->arg;

	/* omit a program without symbols, because the schema requires symbols */
	if (!program->nr_symbols)
		return;
	if (!xml->process || xml->tgid != program->task.tgid || strcmp(xml->name, program->name)) {
		end_process(xml);
		fprintf(xml->out, "<process pid=\"%d\"",
			known_id(program->task.tgid, program->task.tid));
		op_xml_attribute(xml->out, "name", program->name);
		fputs(">\n", xml->out);
		put_counts(walk, program->process_counts, xml->out);
		putc('\n', xml->out);
		xml->process = 1;
		xml->tgid = program->task.tgid;
		xml->name = program->name;
	}
	fprintf(xml->out, "<thread tid=\"%d\">", known_id(program->task.tid, program->task.tgid));
	if (program->task.name)
		op_xml_comment(xml->out, program->task.name);
	putc('\n', xml->out);
	put_counts(walk, program->counts, xml->out);
	putc('\n', xml->out);
}

static void begin_program(const struct pp_walk *walk, const struct pp_walk_program *program)
{
	struct xml *xml = walk->arg;

	if (walk->has_processes) {
		begin_thread(walk, program);
		return;
	}
	fputs("<binary", xml->out);
	op_xml_attribute(xml->out, "name", program->name);
	fputs(">\n", xml->out);
}

static void end_program(const struct pp_walk *walk, const struct pp_walk_program *program)
{
	if (!walk->has_processes)
		fputs("</binary>\n", walk->report->out);
	else if (program->nr_symbols)
		fputs("</thread>\n", walk->report->out);
}

/* Return whether an image becomes a module element. Symbols of the program's own file are direct
 * children of the binary element instead. */
static bool is_module(const struct pp_walk *walk, const struct pp_walk_image *image)
{
	return walk->has_processes || !image->is_own;
}

/* Begin an image's element. Omit an image without symbols, because the schema requires symbols in a
 * module. */
static void begin_image(const struct pp_walk *walk, const struct pp_walk_image *image)
{
	FILE *out = walk->report->out;

	if (is_module(walk, image)) {
		if (!image->nr_symbols)
			return;
		fputs("<module", out);
		op_xml_attribute(out, "name", image->name);
		putc('>', out);
	}
	put_counts(walk, image->counts, out);
	putc('\n', out);
}

static void end_image(const struct pp_walk *walk, const struct pp_walk_image *image)
{
	if (is_module(walk, image) && image->nr_symbols)
		fputs("</module>\n", walk->report->out);
}

static void add_slice(struct xml *xml, size_t code)
{
	long at = ftell(xml->details);

	if (op_grow(&xml->slices, xml->nr_slices)) {
		xml->failed = true;
		return;
	}
	xml->slices[xml->nr_slices++] = (struct slice){ code, at, at };
}

static void begin_symbol(const struct pp_walk *walk, const struct pp_walk_symbol *symbol,
			 size_t first_detail, size_t nr_details)
{
	struct xml *xml = walk->arg;

	xml->symbol = *symbol;
	xml->used[symbol->code_index] = 1;
	fprintf(xml->out, "<symbol idref=\"%zu\"", symbol->code_index);
	if (nr_details) {
		fprintf(xml->out, " detaillo=\"%zu\" detailhi=\"%zu\"", first_detail,
			first_detail + nr_details - 1);
		add_slice(xml, symbol->code_index);
	}
	putc('>', xml->out);
}

/* Write a hexadecimal number of at least @digits digits, and of an even number of digits. */
static void put_hex(FILE *out, const char *name, uint64_t value, int digits)
{
	while (digits < 16 && value >> (4 * digits))
		digits += 2;
	fprintf(out, " %s=\"%0*" PRIx64 "\"", name, digits, value);
}

static void detail(const struct pp_walk *walk, const struct pp_walk_detail *detail)
{
	struct xml *xml = walk->arg;
	const struct pp_code *code = detail->symbol->code;

	fprintf(xml->details, "<detaildata id=\"%zu\"", detail->index);
	put_hex(xml->details, "vmaoffset", detail->detail->vma - code->vma, 2);
	if (detail->frame && detail->frame->file) {
		if (!code->file || strcmp(code->file, detail->frame->file))
			op_xml_attribute(xml->details, "file", detail->frame->file);
		fprintf(xml->details, " line=\"%" PRIu32 "\"", detail->frame->line);
	}
	putc('>', xml->details);
	put_counts(walk, detail->counts, xml->details);
	fputs("</detaildata>\n", xml->details);
	if (xml->nr_slices)
		xml->slices[xml->nr_slices - 1].end = ftell(xml->details);
}

static void begin_arcs(const struct pp_walk *walk, int callees)
{
	fputs(callees ? "<callees>" : "<callers>", walk->report->out);
}

static void arc(const struct pp_walk *walk, const struct pp_walk_arc *arc)
{
	struct xml *xml = walk->arg;

	xml->used[arc->code_index] = 1;
	fprintf(xml->out, "<symbol idref=\"%zu\">", arc->code_index);
	put_counts(walk, arc->counts, xml->out);
	fputs("</symbol>", xml->out);
}

/* Write the symbol's own samples as an element of its list of callees, so that the counts of the
 * list add up to the symbol's total. */
static void put_self(const struct pp_walk *walk, const struct xml *xml)
{
	fprintf(xml->out, "<symbol idref=\"%zu\" self=\"true\">", xml->symbol.code_index);
	put_counts(walk, xml->symbol.counts, xml->out);
	fputs("</symbol>", xml->out);
}

static void end_arcs(const struct pp_walk *walk, int callees)
{
	if (callees)
		put_self(walk, walk->arg);
	fputs(callees ? "</callees>" : "</callers>", walk->report->out);
}

/* End a symbol's element. Write the symbol's counts here, because the schema requires them after
 * callers and callees. */
static void end_symbol(const struct pp_walk *walk)
{
	const struct xml *xml = walk->arg;

	put_counts(walk, xml->symbol.counts, xml->out);
	fputs("</symbol>\n", xml->out);
}

static void put_symbols(const struct xml *xml, const struct pp_profile *profile)
{
	bool any = false;

	for (size_t i = 0; i < profile->nr_codes; i++) {
		const struct pp_code *code = &profile->codes[i];

		if (!xml->used[i])
			continue;
		fputs(any ? "" : "<symboltable>\n", xml->out);
		any = true;
		fprintf(xml->out, "<symboldata id=\"%zu\"", i);
		op_xml_attribute(xml->out, "name", code->name);
		if (code->file) {
			op_xml_attribute(xml->out, "file", code->file);
			fprintf(xml->out, " line=\"%" PRIu32 "\"", code->line);
		}
		if (!profile->binaries[code->binary].info.is_named) {
			put_hex(xml->out, "startingaddr", code->vma, 8);
			fprintf(xml->out, " codelength=\"%" PRIu32 "\"", code->size);
		}
		fputs("/>\n", xml->out);
	}
	fputs(any ? "</symboltable>\n" : "", xml->out);
}

static int compare_slices(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Write the table of sampled addresses, in which the addresses of one symbol in all programs are
 * adjacent. */
static void put_details(struct xml *xml)
{
	if (!xml->nr_slices)
		return;
	qsort(xml->slices, xml->nr_slices, sizeof(*xml->slices), compare_slices);
	fputs("<detailtable>\n", xml->out);
	for (size_t i = 0; i < xml->nr_slices; i++) {
		const struct slice *s = &xml->slices[i];

		if (!i || s->code != s[-1].code)
			fprintf(xml->out, "<symboldetails id=\"%zu\">\n", s->code);
		fwrite(xml->details_text + s->start, 1, s->end - s->start, xml->out);
		if (i + 1 == xml->nr_slices || s->code != s[1].code)
			fputs("</symboldetails>\n", xml->out);
	}
	fputs("</detailtable>\n", xml->out);
}

static void end(const struct pp_walk *walk)
{
	struct xml *xml = walk->arg;

	end_process(xml);
	put_symbols(xml, walk->profile);
	fflush(xml->details);
	put_details(xml);
	fputs("</profile>\n", xml->out);
}

static int write_xml(const struct pp_report *report)
{
	static const struct pp_walk_ops ops = {
		.begin = begin,
		.program = begin_program,
		.image = begin_image,
		.symbol = begin_symbol,
		.detail = detail,
		.begin_arcs = begin_arcs,
		.arc = arc,
		.end_arcs = end_arcs,
		.end_symbol = end_symbol,
		.end_image = end_image,
		.end_program = end_program,
		.end = end,
	};
	struct xml xml = {
		.out = report->out,
		.used = calloc(report->profile->nr_codes + 1, 1),
	};
	int err;

	xml.details = open_memstream(&xml.details_text, &xml.details_size);
	err = xml.details && xml.used ? pp_walk(report, &ops, &xml) : -ENOMEM;
	if (!err && (xml.failed || ferror(xml.details)))
		err = -ENOMEM;
	if (xml.details)
		fclose(xml.details);
	free(xml.details_text);
	free(xml.slices);
	free(xml.used);
	return err;
}

const struct pp_format_ops pp_format_xml = {
	.name = "xml",
	.what = "XML (doc/opreport.xsd)",
	.needs = PP_NEED_SYMBOLS,
	.flags = PP_FORMAT_IDLE | PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF | PP_FORMAT_HIDES,
	.write = write_xml,
};
