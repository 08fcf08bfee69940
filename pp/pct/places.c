// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * places.c -- sums of samples by line, symbol, file or image.
 */
#include "config.h"
#include "pp/pct/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "pp/image/debug_file.h"
#include "pp/image/demangle.h"
#include "pp/image/elf_symtab.h"
#include "pp/pct/translate.h"

#define OUTSIDE	"[other]"

/* Programs that translate addresses to source lines. A .pct file may select one by its name, but
 * cannot contain a command to run. The first program is the default for binaries with debug
 * data. */
static const struct { const char *name, *command, *demangling; } translators[] = {
	{ "addr2line", "addr2line -f -e %f", "addr2line -f -C -e %f" },
	{ "eu-addr2line", "eu-addr2line -f -e %f", "eu-addr2line -f -C -e %f" },
	{ "llvm-addr2line", "llvm-addr2line -f -e %f", "llvm-addr2line -f -C -e %f" },
};

static struct pp_translator choose(const struct pct_options *o, const struct pp_pct *pct)
{
	size_t row = 0;

	if (o->translator)
		return (struct pp_translator){ o->translator, o->lines, o->timeout_s };
	for (size_t i = 0; i < sizeof(translators) / sizeof(translators[0]); i++) {
		if (!strcmp(pct->header.translator, translators[i].name))
			row = i;
	}
	return (struct pp_translator){
		o->by == PCT_BY_SYM ? translators[row].command : translators[row].demangling,
		2,
		o->timeout_s,
	};
}

static int add(struct pct_places *places, char *name, uint64_t count)
{
	if (!name || op_grow(&places->items, places->nr)) {
		free(name);
		return -ENOMEM;
	}
	places->items[places->nr++] = (struct pct_place){ name, count };
	return 0;
}

/* Return a descriptor of the separate debug file of the binary @fd. Return @fd itself if it has
 * debug data or if no such file exists. A translator gets a descriptor instead of a path, so it
 * cannot follow .gnu_debuglink itself. */
static int prefer_debug_file(const struct pp_pct_region *r, int fd)
{
	const struct pp_debug_places where = { .root = "" };
	struct pp_elf elf = { 0 };
	char *path = NULL;
	int debug = -1;

	if (!pp_elf_read(&elf, fd) && !pp_elf_section_by_name(&elf, ".debug_info") &&
	    !pp_elf_section_by_name(&elf, ".zdebug_info"))
		debug = pp_debug_file_open(&elf, r->image, &where, &path);
	pp_elf_release(&elf);
	free(path);
	if (debug < 0)
		return fd;
	close(fd);
	return debug;
}

/* Return a descriptor of the binary of @r, or of its debug file. Return -1 if the binary does not
 * exist or is another build. */
static int open_binary(const struct pp_pct_region *r)
{
	struct raw_elf elf;
	int fd = r->image[0] == '/' ? pp_open_regular(r->image) : -1;

	if (fd < 0)
		return -1;
	if (!raw_elf_read(&elf, r->record.offset, op_read_some_at, &fd) &&
	    elf.build_id_len == r->record.build_id_len &&
	    !memcmp(elf.build_id, r->record.build_id, elf.build_id_len))
		return prefer_debug_file(r, fd);
	close(fd);
	return -1;
}

/* Return the part of @answer by which samples are summed, such as the symbol or the line. The
 * answer of a translator begins with a line for the function and ends with a line "FILE:LINE". */
static char *part_of(const char *answer, enum pct_by by)
{
	const char *last = strrchr(answer, '\n');
	char *ret, *end;

	if (by == PCT_BY_SYM || by == PCT_BY_FUNC)
		return strndup(answer, strcspn(answer, "\n"));
	ret = strdup(last ? last + 1 : answer);
	if (!ret)
		return NULL;
	end = strstr(ret, " (discriminator");
	if (end)
		*end = '\0';
	end = by == PCT_BY_FILE ? strrchr(ret, ':') : NULL;
	if (end)
		*end = '\0';
	return ret;
}

/* Read the symbols of a binary without debug data, for which a translator (addr2line and the like)
 * would also find only symbols. Return -ENOENT if the binary has debug data or no symbols. */
static int read_symbols(struct pp_elf_symtab *ret, int fd)
{
	static const char *const debug[] = {".debug_info", ".zdebug_info", ".debug_line",
					    ".zdebug_line"};
	struct pp_elf elf = { 0 };
	int err = pp_elf_read(&elf, fd);

	for (size_t i = 0; !err && i < sizeof(debug) / sizeof(debug[0]); i++)
		if (pp_elf_section_by_name(&elf, debug[i]))
			err = -ENOENT;
	if (!err)
		err = pp_elf_symtab_read_open(ret, &elf, -1);
	pp_elf_release(&elf);
	return err || ret->symtab.nr ? err : -ENOENT;
}

static int add_symbols(struct pct_places *places, const struct pct_options *o, int fd,
		       const struct pp_pct_sample *samples, size_t nr)
{
	struct pp_elf_symtab symbols = { 0 };
	struct pp_block *strings = NULL;
	struct pp_demangler demangler;
	int err = read_symbols(&symbols, fd);

	pp_demangler_init(&demangler, &strings);
	for (size_t i = 0; i < nr && !err; i++) {
		uint32_t found = pp_symtab_lookup(&symbols.symtab, samples[i].pc);
		const char *name =
			found == PP_NO_SYMBOL ? "??" : symbols.symtab.symbols[found].name;

		if (o->by == PCT_BY_FUNC)
			name = pp_demangle(&demangler, name, PP_DEMANGLE_NORMAL);
		err = add(places, name ? strdup(name) : NULL, samples[i].count);
	}
	pp_demangler_release(&demangler);
	pp_block_free(strings);
	pp_elf_symtab_release(&symbols);
	return err;
}

static int add_translated(struct pct_places *places, const struct pct_options *o,
			  const struct pp_pct *pct, int fd, const struct pp_pct_sample *samples,
			  size_t nr, struct op_reason *error)
{
	const struct pp_translator translator = choose(o, pct);
	uint64_t *pcs = calloc(nr, sizeof(*pcs));
	char **answers = calloc(nr, sizeof(*answers));
	int err = pcs && answers ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++)
		pcs[i] = samples[i].pc;
	if (!err)
		err = pp_translate(&translator, fd, pcs, nr, answers, error);
	for (size_t i = 0; i < nr && !err; i++)
		err = add(places, part_of(answers[i], o->by), samples[i].count);
	for (size_t i = 0; answers && i < nr; i++)
		free(answers[i]);
	free(answers);
	free(pcs);
	return err;
}

/* Add the samples of one region. Return 0 or a negative errno. */
static int add_region(struct pct_places *places, const struct pct_options *o,
		      const struct pp_pct *pct, const struct pp_pct_sample *samples, size_t nr,
		      struct op_reason *error)
{
	const struct pp_pct_region *r =
		samples->region == PP_PCT_NO_REGION ? NULL : pct->regions[samples->region];
	const int fd = r && o->by != PCT_BY_IMAGE ? open_binary(r) : -1;
	uint64_t sum = 0;
	char *name = NULL;
	int err;

	if (fd >= 0) {
		bool chooses = !o->translator && !*pct->header.translator &&
			       (o->by == PCT_BY_SYM || o->by == PCT_BY_FUNC);

		err = chooses ? add_symbols(places, o, fd, samples, nr) : -ENOENT;
		if (err && err != -ENOMEM)
			err = add_translated(places, o, pct, fd, samples, nr, error);
		close(fd);
		return err;
	}
	for (size_t i = 0; i < nr; i++)
		sum += samples[i].count;
	if (!r)
		name = strdup(OUTSIDE);
	else if (o->by == PCT_BY_IMAGE)
		name = strdup(r->image);
	else if (asprintf(&name, "?? %s", r->image) < 0)
		return -ENOMEM;
	return add(places, name, sum);
}

static int by_region(const void *a, const void *b)
{
	const struct pp_pct_sample *l = a, *r = b;

	return l->region != r->region ? (l->region > r->region) - (l->region < r->region)
				      : (l->pc > r->pc) - (l->pc < r->pc);
}

/* Merge samples with equal addresses, and return the new number of samples. Only logs have several
 * samples with the same address. */
static size_t fold(struct pp_pct_sample *samples, size_t nr)
{
	size_t to = 0;

	for (size_t i = 1; i < nr; i++) {
		if (by_region(&samples[to], &samples[i]))
			samples[++to] = samples[i];
		else
			samples[to].count += samples[i].count;
	}
	return nr ? to + 1 : 0;
}

int pct_places_add(struct pct_places *places, const struct pct_options *o, const struct pp_pct *pct,
		   struct op_reason *error)
{
	struct pp_pct_sample *sorted =
		calloc(pct->nr_samples ? pct->nr_samples : 1, sizeof(*sorted));
	size_t nr, end;
	int err = sorted ? 0 : -ENOMEM;

	if (err)
		return err;
	if (pct->nr_samples)
		memcpy(sorted, pct->samples, pct->nr_samples * sizeof(*sorted));
	qsort(sorted, pct->nr_samples, sizeof(*sorted), by_region);
	nr = fold(sorted, pct->nr_samples);
	for (size_t i = 0; i < nr && !err; i = end) {
		for (end = i + 1; end < nr && sorted[end].region == sorted[i].region; )
			end++;
		err = add_region(places, o, pct, sorted + i, end - i, error);
	}
	free(sorted);
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pct_place *)a)->name, ((const struct pct_place *)b)->name);
}

static int by_count(const void *a, const void *b)
{
	const struct pct_place *l = a, *r = b;

	return l->count != r->count ? (l->count < r->count) - (l->count > r->count) : by_name(a, b);
}

void pct_places_sort(struct pct_places *places)
{
	size_t to = 0;

	if (!places->nr)
		return;
	qsort(places->items, places->nr, sizeof(*places->items), by_name);
	for (size_t i = 1; i < places->nr; i++) {
		if (!by_name(&places->items[to], &places->items[i])) {
			places->items[to].count += places->items[i].count;
			free(places->items[i].name);
		} else {
			places->items[++to] = places->items[i];
		}
	}
	places->nr = to + 1;
	qsort(places->items, places->nr, sizeof(*places->items), by_count);
}

void pct_places_release(struct pct_places *places)
{
	for (size_t i = 0; i < places->nr; i++)
		free(places->items[i].name);
	free(places->items);
}
