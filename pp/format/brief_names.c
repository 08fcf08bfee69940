// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_names.c -- names of functions in a brief report, and binaries whose names are missing. */
#include "config.h"
#include "pp/format/brief.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"
#include "libop/session/mangle.h"
#include "pp/format/brief_text.h"
#include "pp/format/text.h"
#include "pp/image/images.h"

#define MAX_BINARIES	3	/* maximum number of listed binaries with missing names */

#define A_SERVER	"https://debuginfod.elfutils.org"

void pp_brief_put_name(const struct pp_brief *b, const struct pp_entry *entry)
{
	const struct pp_profile *profile = b->report->profile;
	const struct pp_group *group = pp_entry_group(profile, entry);
	const struct pp_code *code = pp_entry_code(profile, entry);
	const char *image = profile->binaries[code->binary].title;
	char buf[PP_BRIEF_NAME_MAX];

	fprintf(b->out, "%s (",
		code->kind == PP_CODE_SYMBOL ? pp_brief_clip_name(buf, code->name, b->limits->name)
					     : "(no name)");
	fputs(pp_brief_clip(buf, pp_text_title(b->report, image), b->limits->frame), b->out);
	if (strcmp(group->app, image))
		fprintf(b->out, " in %s",
			pp_brief_clip(buf, pp_text_title(b->report, group->app),
				      b->limits->frame));
	putc(')', b->out);
}

/* A binary, and its samples without a function name. */
struct nameless {
	const struct pp_binary *binary;
	uint64_t samples;
};

static int compare_nameless(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->binary->title, y->binary->title);
}

/* Return why a binary lacks function names. If the binary is not stripped, the text contains the
 * remedy. Set *@has_server if a debuginfod server may have the names. */
static const char *reason_of(const struct pp_binary *binary, bool *is_stripped, bool *has_server)
{
	const struct pp_image_info *info = &binary->info;

	if (binary->name->kind == OP_IMAGE_KERN)
		return "record as root, or with the sysctl kernel.kptr_restrict=0";
	if (binary->name->kind == OP_IMAGE_ANON)
		return "made at run time: have the program write perf-PID.map or jit-PID.dump";
	if (!strncmp(binary->name->path, OP_MORE_PROGRAMS, strlen(OP_MORE_PROGRAMS)))
		return "programs beyond the limit of the session";
	if (info->state == PP_IMAGE_MISSING || info->state == PP_IMAGE_CHANGED) {
		*has_server |= info->missing_id != NULL;
		return info->state == PP_IMAGE_MISSING
			       ? "not found or not readable: give its directory with --image-path=DIR"
			       : "not the profiled build: give its directory with --image-path=DIR";
	}
	if (!info->has_elf)
		return "not an ELF file";
	if (!info->build_id)
		return "without a build-id: build it anew, and do not strip it";
	*has_server = true;
	*is_stripped = true;
	return "stripped";
}

static size_t list_nameless(const struct pp_brief *b, struct nameless *list, uint64_t *sum)
{
	const struct pp_profile *profile = b->report->profile;
	size_t nr = 0;

	for (size_t i = 0; i < profile->nr_binaries; i++)
		list[i] = (struct nameless){.binary = &profile->binaries[i]};
	for (size_t i = 0; i < b->nr_functions; i++) {
		const struct pp_code *code = pp_entry_code(profile, b->functions[i].entry);

		if (code->kind == PP_CODE_SYMBOL)
			continue;
		list[code->binary].samples += b->functions[i].samples;
		*sum += b->functions[i].samples;
	}
	qsort(list, profile->nr_binaries, sizeof(*list), compare_nameless);
	while (nr < profile->nr_binaries && list[nr].samples)
		nr++;
	return nr;
}

int pp_brief_put_nameless(const struct pp_brief *b)
{
	const struct pp_profile *profile = b->report->profile;
	struct nameless *list = calloc(profile->nr_binaries + 1, sizeof(*list));
	char buf[PP_BRIEF_NAME_MAX], share[PP_BRIEF_SHARE], before[256];
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool is_stripped = false, has_server = false;
	uint64_t sum = 0;
	size_t nr;

	if (!list)
		return -ENOMEM;
	nr = list_nameless(b, list, &sum);
	fprintf(b->out, "MISSING NAMES: %s of the %s\n", pp_brief_share(share, sum, b->total),
		b->unit);
	for (size_t i = 0; i < nr && i < MAX_BINARIES; i++) {
		fprintf(b->out, "  %s in %s: ", pp_brief_share(share, list[i].samples, b->total),
			pp_brief_clip(buf, list[i].binary->title, b->limits->name));
		fprintf(b->out, "%s\n", reason_of(list[i].binary, &is_stripped, &has_server));
	}
	if (nr > MAX_BINARIES)
		fprintf(b->out, "  and in %zu more %s\n", nr - MAX_BINARIES,
			op_plural(nr - MAX_BINARIES, "binary", "binaries"));
	if (is_stripped)
		fputs("  stripped: install the package of debug symbols (-dbgsym, -debuginfo) of the "
		      "package that dpkg -S FILE or rpm -qf FILE prints\n",
		      b->out);
	snprintf(before, sizeof(before), "%sopreport --format=brief --debuginfod",
		 urls && *urls ? "" : "DEBUGINFOD_URLS=" A_SERVER " ");
	if (has_server && b->report->images && !b->report->images->debuginfod &&
	    !pp_brief_command(b, "ask a server", before, NULL))
		fputs("  ask a server: add --debuginfod to this command\n", b->out);
	free(list);
	return 0;
}
