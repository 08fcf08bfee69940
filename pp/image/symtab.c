// SPDX-License-Identifier: GPL-2.0-or-later
/* symtab.c -- selection of symbols, their extents, and lookup. */
#include "config.h"
#include "pp/image/symtab.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"

bool pp_symbol_name_usable(const char *name)
{
	if (!*name)
		return false;
	if (name[0] == '.' && name[1] == 'L')
		return false;
	/* Mapping symbols of ARM, AArch64 and RISC-V mark code and data: $x, $d.12, $a, $t. */
	if (name[0] == '$' && strchr("adtx", name[1]) && name[1] && (!name[2] || name[2] == '.'))
		return false;
	/* "etext" marks the end of the code. It is not the name of the next section, which begins
	 * there. */
	if (!strcmp(name + strspn(name, "_"), "etext"))
		return false;
	return true;
}

/* Return the number of leading underscores, which mark internal names. Return 0 for mangled names,
 * because all mangled names begin with underscores. */
static unsigned int nr_underscores(const char *name)
{
	unsigned int n = 0;

	if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D'))
		return 0;
	while (name[n] == '_')
		n++;
	return n;
}

/* Return whether @name ends with @suffix. */
static bool has_suffix(const char *name, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !strncmp(name + len - n, suffix, n);
}

/* Return whether the name has a suffix for large files, as in open64, or for the width of a type,
 * as in ldexpf64x. */
static bool is_by_width(const char *name)
{
	static const char *const suffixes[] = { "64", "f32", "f32x", "f64x", "f128", "f16" };
	size_t len = strlen(name);

	if (has_suffix(name, len, "_l") || has_suffix(name, len, "_r"))
		len -= 2;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (has_suffix(name, len, suffixes[i]))
			return true;
	return false;
}

/* Compare two symbols at the same address by preference. The criteria in this order: a function; a
 * size; a public name (read before __read, although libc defines read as weak); a name that
 * programmers use (read before read64); the binding; a short name. */
static int compare_names(const struct pp_symbol *x, const struct pp_symbol *y)
{
	size_t lx, ly;
	int d = x->kind - y->kind;

	if (!d)
		d = (x->end == x->start) - (y->end == y->start);
	if (!d)
		d = (int)nr_underscores(x->name) - (int)nr_underscores(y->name);
	if (!d)
		d = is_by_width(x->name) - is_by_width(y->name);
	if (!d)
		d = x->bind - y->bind;
	if (d)
		return d;
	lx = strlen(x->name);
	ly = strlen(y->name);
	return lx != ly ? (lx < ly ? -1 : 1) : strcmp(x->name, y->name);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pp_symbol *x = a, *y = b;
	int d = op_compare_u64(x->start, y->start);

	return d ? d : compare_names(x, y);
}

/* Keep only the preferred symbol of each address. If it has no size, set its size to the size of
 * another symbol of that address. Return the number of symbols left. */
static size_t drop_aliases(struct pp_symbol *symbols, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct pp_symbol *last = kept ? &symbols[kept - 1] : NULL;

		if (!last || last->start != symbols[i].start)
			symbols[kept++] = symbols[i];
		else if (last->end == last->start)
			last->end = symbols[i].end;
	}
	return kept;
}

/* Remove labels inside functions that have a size, because such labels are only jump targets.
 * Return the number of symbols left. */
static size_t drop_inner_labels(struct pp_symbol *symbols, size_t nr)
{
	uint64_t covered = 0;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct pp_symbol *s = &symbols[i];

		if (s->kind != PP_SYMBOL_FUNCTION && s->start < covered)
			continue;
		if (s->kind == PP_SYMBOL_FUNCTION && s->end > covered)
			covered = s->end;
		symbols[kept++] = *s;
	}
	return kept;
}

static void clip_to_sections(struct pp_symbol *symbols, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (symbols[i].end > symbols[i].limit)
			symbols[i].end = symbols[i].limit > symbols[i].start ? symbols[i].limit :
									     symbols[i].start;
}

struct layout {
	struct pp_symtab *symtab;
	/* indices of the symbols that cover the current address, innermost last */
	uint32_t *stack;
	size_t depth;
};

static void push_range(struct layout *l, uint64_t start, uint32_t symbol)
{
	struct pp_symtab *t = l->symtab;

	if (t->nr_ranges && t->ranges[t->nr_ranges - 1].start == start)
		t->nr_ranges--;
	if (t->nr_ranges && t->ranges[t->nr_ranges - 1].symbol == symbol)
		return;
	t->ranges[t->nr_ranges++] = (struct pp_symbol_range){ .start = start, .symbol = symbol };
}

/* Remove the symbols that end at or before @vma from the stack of symbols that cover the current
 * address. */
static void pop_until(struct layout *l, uint64_t vma)
{
	struct pp_symbol *symbols = l->symtab->symbols;

	while (l->depth) {
		uint64_t end = symbols[l->stack[l->depth - 1]].end;

		if (end > vma)
			return;
		l->depth--;
		/* Also remove outer symbols that end at or before the end of the removed inner
		 * symbol. */
		while (l->depth && symbols[l->stack[l->depth - 1]].end <= end)
			l->depth--;
		push_range(l, end, l->depth ? l->stack[l->depth - 1] : PP_NO_SYMBOL);
	}
}

static uint64_t extent_of(const struct layout *l, uint32_t i)
{
	const struct pp_symbol *s = &l->symtab->symbols[i];
	uint64_t end = s->limit;

	if (l->depth && l->symtab->symbols[l->stack[l->depth - 1]].end < end)
		end = l->symtab->symbols[l->stack[l->depth - 1]].end;
	if (i + 1 < l->symtab->nr && l->symtab->symbols[i + 1].start < end)
		end = l->symtab->symbols[i + 1].start;
	return end;
}

static void lay_out(struct layout *l)
{
	struct pp_symtab *t = l->symtab;

	for (uint32_t i = 0; i < t->nr; i++) {
		struct pp_symbol *s = &t->symbols[i];

		pop_until(l, s->start);
		if (s->end == s->start)
			s->end = extent_of(l, i);
		if (s->end == s->start)
			continue;
		l->stack[l->depth++] = i;
		push_range(l, s->start, i);
	}
	pop_until(l, UINT64_MAX);
}

/* Divide the address space into buckets with about one range each, so that a lookup is a shift and
 * a short search. */
static int make_buckets(struct pp_symtab *t)
{
	uint64_t span;
	uint32_t range = 0;

	if (!t->nr_ranges)
		return 0;
	t->base = t->ranges[0].start;
	span = t->ranges[t->nr_ranges - 1].start - t->base;
	while ((span >> t->shift) >= 2 * t->nr_ranges)
		t->shift++;
	t->nr_buckets = (span >> t->shift) + 1;
	t->buckets = malloc(t->nr_buckets * sizeof(*t->buckets));
	if (!t->buckets)
		return -ENOMEM;
	for (size_t b = 0; b < t->nr_buckets; b++) {
		uint64_t start = t->base + ((uint64_t)b << t->shift);

		while (range + 1 < t->nr_ranges && t->ranges[range + 1].start <= start)
			range++;
		t->buckets[b] = range;
	}
	return 0;
}

int pp_symtab_make_sorted(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr)
{
	struct pp_symtab t = { .symbols = symbols, .nr = nr };
	struct layout l = { .symtab = &t };

	t.ranges = malloc((2 * nr + 1) * sizeof(*t.ranges));
	l.stack = malloc((nr + 1) * sizeof(*l.stack));
	if (!t.ranges || !l.stack)
		goto err_free;
	lay_out(&l);
	if (make_buckets(&t))
		goto err_free;
	free(l.stack);
	*ret = t;
	return 0;

err_free:
	free(l.stack);
	free(t.ranges);
	return -ENOMEM;
}

int pp_symtab_make(struct pp_symtab *ret, struct pp_symbol *symbols, size_t nr)
{
	if (nr > UINT32_MAX / 4)
		return -ENOMEM;
	if (nr)
		qsort(symbols, nr, sizeof(*symbols), compare_symbols);
	clip_to_sections(symbols, nr);
	nr = drop_inner_labels(symbols, drop_aliases(symbols, nr));
	return pp_symtab_make_sorted(ret, symbols, nr);
}

void pp_symtab_release(struct pp_symtab *symtab)
{
	free(symtab->symbols);
	free(symtab->ranges);
	free(symtab->buckets);
	*symtab = (struct pp_symtab){ 0 };
}

uint32_t pp_symtab_lookup(const struct pp_symtab *symtab, uint64_t vma)
{
	size_t bucket, from, nr;

	if (!symtab->nr_ranges || vma < symtab->base)
		return PP_NO_SYMBOL;
	bucket = (vma - symtab->base) >> symtab->shift;
	if (bucket >= symtab->nr_buckets)
		bucket = symtab->nr_buckets - 1;
	from = symtab->buckets[bucket];
	nr = (bucket + 1 < symtab->nr_buckets ? symtab->buckets[bucket + 1]
					      : symtab->nr_ranges - 1) -
	     from;
	/* Code that the kernel generates at run time is far from the kernel's other code, so nearly
	 * all ranges may be in one bucket: use a binary search. The bucket's first range begins at
	 * or before @vma. */
	from += op_partition_point(i, nr, symtab->ranges[from + 1 + i].start <= vma);
	return symtab->ranges[from].symbol;
}
