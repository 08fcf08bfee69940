// SPDX-License-Identifier: GPL-2.0-or-later
/* inlines.c -- inlined functions. The debugging entries (DIEs) of a unit are read once to find the
 * unit's functions. The DIEs of a function are read once to find the function's scopes. */
#include "config.h"
#include "pp/image/inlines.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* maximum depth of nested scopes in a function, and of nested namespaces in a unit */
#define MAX_DEPTH	128

/* DW_AT_GNU_discriminator of an inlined call; <dwarf.h> lacks it */
#define AT_DISCRIMINATOR	0x2136

static bool spend(uint64_t *budget)
{
	if (!*budget)
		return false;
	--*budget;
	return true;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	return name ? name : dwarf_diename(die);
}

static uint64_t number_of(Dwarf_Die *die, unsigned int what)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, what, &attr) && !dwarf_formudata(&attr, &value) ? value : 0;
}

static int add_function(struct pp_functions *f, Dwarf_Die *die, uint64_t start, uint64_t end)
{
	if (op_grow(&f->items, f->nr))
		return -ENOMEM;
	f->items[f->nr++] = (struct pp_function){ .start = start, .end = end, .die = *die };
	return 0;
}

static int add_functions(struct pp_functions *f, Dwarf_Die *die, struct pp_budget *budget)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && spend(&budget->ranges))
		if (start < end && add_function(f, die, start, end))
			return -ENOMEM;
	return 0;
}

/* Return whether a DIE with @tag may contain functions. In Rust, types contain functions. In other
 * languages, skip types, because reading them takes long. */
static bool has_functions(int tag, bool is_rust)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_class_type:
		return is_rust;
	default:
		return false;
	}
}

static int find_functions(struct pp_functions *f, Dwarf_Die *parent, bool is_rust,
			  struct pp_budget *budget, int depth)
{
	Dwarf_Die die;
	int err = 0, more;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (!spend(&budget->dies))
			return 0;
		if (tag == DW_TAG_subprogram)
			err = add_functions(f, &die, budget);
		else if (has_functions(tag, is_rust))
			err = find_functions(f, &die, is_rust, budget, depth + 1);
		more = dwarf_siblingof(&die, &die);
	} while (!err && !more);
	return err;
}

static int compare_functions(const void *a, const void *b)
{
	const struct pp_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

int pp_functions_read(struct pp_functions *ret, Dwarf_Die *cudie, Dwarf_Die *files, int version,
		      struct pp_budget *budget)
{
	struct pp_functions f = { .version = version };
	size_t nr_files;
	int err = find_functions(&f, cudie, dwarf_srclang(cudie) == DW_LANG_Rust, budget, 0);

	if (err) {
		free(f.items);
		return err;
	}
	if (f.nr)
		qsort(f.items, f.nr, sizeof(*f.items), compare_functions);
	if (!files || dwarf_getsrcfiles(files, &f.files, &nr_files))
		f.files = NULL;
	*ret = f;
	return 0;
}

void pp_functions_release(struct pp_functions *functions)
{
	for (size_t i = 0; i < functions->nr; i++) {
		free(functions->items[i].scopes);
		free(functions->items[i].ranges);
	}
	free(functions->items);
	*functions = (struct pp_functions){ 0 };
}

/* An address range of a scope (a function or an inlined call), used while the scopes of a function
 * are collected. */
struct extent {
	uint64_t start, end;
	uint32_t scope, depth;
};

struct collector {
	struct pp_functions *functions;
	struct pp_budget *budget;
	struct pp_scope *scopes;
	size_t nr_scopes;
	struct extent *extents;
	size_t nr_extents;
};

static int add_scope(struct collector *c, Dwarf_Die *die, uint32_t parent)
{
	struct pp_scope *scope;
	uint64_t file;
	int line;

	if (op_grow(&c->scopes, c->nr_scopes))
		return -ENOMEM;
	scope = &c->scopes[c->nr_scopes++];
	*scope = (struct pp_scope){ .function = name_of(die), .parent = parent };
	if (!dwarf_decl_line(die, &line) && line > 0)
		scope->start_line = line;
	if (parent == PP_NO_SCOPE)
		return 0;
	file = number_of(die, DW_AT_call_file);
	if (c->functions->files && (file || c->functions->version >= 5))
		scope->call_file = dwarf_filesrc(c->functions->files, file, NULL, NULL);
	scope->call_line = number_of(die, DW_AT_call_line);
	scope->call_discriminator = number_of(die, AT_DISCRIMINATOR);
	return 0;
}

static int add_extents(struct collector *c, Dwarf_Die *die, uint32_t scope, uint32_t depth)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && spend(&c->budget->ranges)) {
		if (op_grow(&c->extents, c->nr_extents))
			return -ENOMEM;
		if (start < end)
			c->extents[c->nr_extents++] = (struct extent){ start, end, scope, depth };
	}
	return 0;
}

static int collect(struct collector *c, Dwarf_Die *parent, uint32_t scope, int depth)
{
	Dwarf_Die die;
	int err = 0, more;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (!spend(&c->budget->dies))
			return 0;
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram) {
			uint32_t inner = c->nr_scopes;

			/* A nested function is not an inlined call, so it has no parent scope. */
			err = add_scope(c, &die, tag == DW_TAG_subprogram ? PP_NO_SCOPE : scope);
			if (!err)
				err = add_extents(c, &die, inner, depth);
			if (!err)
				err = collect(c, &die, inner, depth + 1);
		} else if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
			   tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt) {
			err = collect(c, &die, scope, depth + 1);
		}
		more = dwarf_siblingof(&die, &die);
	} while (!err && !more);
	return err;
}

static int compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void push_range(struct pp_function *f, uint64_t start, uint32_t scope)
{
	if (f->nr_ranges && f->ranges[f->nr_ranges - 1].start == start)
		f->nr_ranges--;
	if (f->nr_ranges && f->ranges[f->nr_ranges - 1].scope == scope)
		return;
	f->ranges[f->nr_ranges++] = (struct pp_scope_range){ start, scope };
}

/* Remove the extents that end at or before @vma from @stack. Also remove outer extents that end
 * before an inner extent, which occur only in damaged data. */
static size_t pop_until(struct pp_function *f, const struct extent *const *stack, size_t depth,
			uint64_t vma)
{
	while (depth && stack[depth - 1]->end <= vma) {
		uint64_t end = stack[depth - 1]->end;

		depth--;
		while (depth && stack[depth - 1]->end <= end)
			depth--;
		push_range(f, end, depth ? stack[depth - 1]->scope : PP_NO_SCOPE);
	}
	return depth;
}

/* Convert @extents, the nested address ranges of scopes, to a list of ranges, each with its
 * innermost scope. */
static int flatten(struct pp_function *f, struct extent *extents, size_t nr)
{
	const struct extent **stack = malloc((nr + 1) * sizeof(*stack));
	size_t depth = 0;

	f->ranges = malloc((2 * nr + 1) * sizeof(*f->ranges));
	if (!stack || !f->ranges) {
		free(stack);
		return -ENOMEM;
	}
	if (nr)
		qsort(extents, nr, sizeof(*extents), compare_extents);
	for (size_t i = 0; i < nr; i++) {
		depth = pop_until(f, stack, depth, extents[i].start);
		stack[depth++] = &extents[i];
		push_range(f, extents[i].start, extents[i].scope);
	}
	pop_until(f, stack, depth, UINT64_MAX);
	free(stack);
	return 0;
}

static void read_function(struct pp_functions *functions, struct pp_function *f,
			  struct pp_budget *budget)
{
	struct collector c = { .functions = functions, .budget = budget };
	int err = add_scope(&c, &f->die, PP_NO_SCOPE);

	f->is_read = 1;
	if (!err)
		err = add_extents(&c, &f->die, 0, 0);
	if (!err)
		err = collect(&c, &f->die, 0, 1);
	if (!err)
		err = flatten(f, c.extents, c.nr_extents);
	free(c.extents);
	if (err) {
		free(c.scopes);
		return;
	}
	f->scopes = c.scopes;
	f->nr_scopes = c.nr_scopes;
}

/* Return the function that contains @vma, or NULL. If functions overlap, which is rare, return the
 * function with the highest start address. */
static struct pp_function *function_at(struct pp_functions *functions, uint64_t vma)
{
	size_t above = op_partition_point(i, functions->nr, functions->items[i].start <= vma);

	for (size_t back = 0; above && back < 16; above--, back++)
		if (functions->items[above - 1].end > vma)
			return &functions->items[above - 1];
	return NULL;
}

static uint32_t scope_at(const struct pp_function *f, uint64_t vma)
{
	size_t above = op_partition_point(i, f->nr_ranges, f->ranges[i].start <= vma);

	return above ? f->ranges[above - 1].scope : PP_NO_SCOPE;
}

unsigned int pp_functions_scopes(struct pp_functions *functions, uint64_t vma,
				 struct pp_budget *budget, const struct pp_scope **ret_scopes,
				 uint32_t *indices, unsigned int max)
{
	struct pp_function *f = function_at(functions, vma);
	unsigned int nr = 0;
	uint32_t scope;

	if (!f)
		return 0;
	if (!f->is_read)
		read_function(functions, f, budget);
	/* The loop terminates, because the index of a parent is always lower than the indices of
	 * its children. */
	for (scope = scope_at(f, vma); scope != PP_NO_SCOPE && nr < max;
	     scope = f->scopes[scope].parent)
		indices[nr++] = scope;
	*ret_scopes = f->scopes;
	return nr;
}
