// SPDX-License-Identifier: GPL-2.0-or-later
/* unnamed.c -- sums of samples without symbols, by binary. */
#include "config.h"
#include "pp/profile/unnamed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/image/debug_file.h"
#include "pp/profile/threshold.h"

#define LARGE		5.0	/* percent: smaller shares are not reported */
#define MAX_NAMES	3
#define A_SERVER	"https://debuginfod.elfutils.org"

/* A binary, and its samples without a symbol. */
struct unnamed {
	const struct pp_binary *binary;
	uint64_t *counts, sum;
};

/* The kernel, code made at run time and binaries that are gone or changed have their own
 * messages. */
static bool is_stripped(const struct pp_binary *binary)
{
	return binary->name->kind == OP_IMAGE_ROOT && binary->info.has_elf &&
	       (binary->info.state == PP_IMAGE_OK || binary->info.state == PP_IMAGE_NO_SYMBOLS);
}

static int by_sum(const void *a, const void *b)
{
	const struct unnamed *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return strcmp(x->binary->title, y->binary->title);
}

/* Store the binaries with a large share of unnamed samples in @all, the largest first. Return
 * their number. @all has room for all binaries; @counts is zeroed. */
static size_t find_unnamed(struct unnamed *all, uint64_t *counts, const struct pp_profile *profile)
{
	size_t classes = profile->nr_classes, nr = 0;

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_code *code = pp_entry_code(profile, entry);

		if (!entry->counts ||
		    (code->kind != PP_CODE_IMAGE && code->kind != PP_CODE_UNCOVERED))
			continue;
		for (size_t c = 0; c < classes; c++)
			counts[code->binary * classes + c] += entry->counts[c];
	}
	for (size_t i = 0; i < profile->nr_binaries; i++) {
		struct unnamed one = {.binary = &profile->binaries[i],
				      .counts = counts + i * classes};

		for (size_t c = 0; c < classes; c++)
			one.sum += one.counts[c];
		if (is_stripped(one.binary) &&
		    pp_reaches(one.counts, profile->totals, classes, LARGE))
			all[nr++] = one;
	}
	qsort(all, nr, sizeof(*all), by_sum);
	return nr;
}

static void put_names(FILE *out, const struct unnamed *all, size_t nr, double total)
{
	for (size_t i = 0; i < nr && i < MAX_NAMES; i++)
		op_clean_printf(out, "%s%s (%.3g %%)", i ? ", " : "", all[i].binary->title,
				100 * all[i].sum / total);
	if (nr > MAX_NAMES)
		fprintf(out, " and %zu more", nr - MAX_NAMES);
	putc('\n', out);
}

/* Print the remedies for the binary with the most samples, which help the others, too. */
static void put_ways(FILE *out, const struct pp_binary *binary, const char *command, bool asked)
{
	const char *id = binary->info.build_id, *urls = getenv("DEBUGINFOD_URLS");

	if (!id || strlen(id) < 3) {
		op_clean_printf(out,
				"  %s has no build-id, so no debug file can be found for it: build "
				"it anew, and do not strip it\n",
				binary->title);
		return;
	}
	if (!asked)
		op_clean_printf(out, "  To ask a server for them: %s%s%s\n",
				urls && *urls ? "" : "DEBUGINFOD_URLS=" A_SERVER " ", command,
				strstr(command, " --debuginfod") ? "" : " --debuginfod");
	op_clean_printf(out,
			"  Or install its package of debug symbols (-dbgsym, -debuginfo), or copy "
			"the unstripped file to " PP_DEBUG_DIR "/.build-id/%.2s/%s.debug\n",
			id, id + 2);
}

/* Of all classes. Filters may leave nothing. */
static double total_of(const struct pp_profile *profile)
{
	double total = 0;

	for (size_t c = 0; c < profile->nr_classes; c++)
		total += profile->totals[c];
	return total > 0 ? total : 1;
}

int pp_unnamed_report(const struct pp_profile *profile, const char *command, bool asked, FILE *out)
{
	uint64_t *counts = calloc(profile->nr_binaries * profile->nr_classes + 1, sizeof(*counts));
	struct unnamed *all = calloc(profile->nr_binaries + 1, sizeof(*all));
	size_t nr = 0;
	int err = counts && all ? 0 : -ENOMEM;

	if (!err)
		nr = find_unnamed(all, counts, profile);
	if (nr) {
		fputs("Samples without symbols: ", out);
		put_names(out, all, nr, total_of(profile));
		put_ways(out, all[0].binary, command, asked);
	}
	free(all);
	free(counts);
	return err;
}
