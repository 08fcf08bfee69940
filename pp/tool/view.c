// SPDX-License-Identifier: GPL-2.0-or-later
/* view.c -- splits an annotated listing (source and assembly with counts) into rows for a
 * terminal. */
#include "config.h"
#include "pp/tool/view.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ADDRESS_WIDTH	8	/* minimum width of an instruction's address */

/* Parse a hexadecimal number at @text, and store its value. Return the number of digits. */
static size_t parse_hex(const char *text, size_t len, uint64_t *ret)
{
	size_t i = 0;

	for (*ret = 0; i < len && isxdigit((unsigned char)text[i]); i++) {
		const int c = tolower((unsigned char)text[i]);

		*ret = *ret * 16 + (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return i;
}

/* If the row is an instruction, parse "ADDRESS:\t" at its start. Return false for other rows. */
static bool parse_insn(struct pp_view_row *row)
{
	size_t at = 0, digits;

	while (at < row->len && row->text[at] == ' ')
		at++;
	digits = parse_hex(row->text + at, row->len - at, &row->address);
	at += digits;
	return digits && at >= ADDRESS_WIDTH && at + 1 < row->len && row->text[at] == ':' &&
	       row->text[at + 1] == '\t';
}

static bool is_function(const struct pp_view_row *row)
{
	uint64_t address;

	return row->len > 18 && parse_hex(row->text, 16, &address) == 16 &&
	       !memcmp(row->text + 16, " <", 2);
}

static void parse_row(struct pp_view_row *row, const char *line, size_t len, size_t columns,
		      bool assembly)
{
	*row = (struct pp_view_row){
		.text = line, .len = len, .target = PP_VIEW_NONE, .above = PP_VIEW_NONE,
	};
	if (len <= columns || line[columns] != ':')
		return;
	row->text = line + columns + 1;
	row->len = len - columns - 1;
	row->counts = line;
	if (assembly && parse_insn(row))
		row->kind = PP_VIEW_INSN;
	else if (assembly && is_function(row))
		row->kind = PP_VIEW_FUNCTION;
	else if (row->len)
		row->kind = PP_VIEW_SOURCE;
}

/* Return whether @name is the mnemonic of a jump within a function, not of a call or return. */
static bool is_jump(const char *name, size_t len)
{
	if (!len)
		return false;
	if (name[0] == 'j')
		return true;
	if (len > 3 && !strncmp(name, "loop", 4))
		return true;
	/* aarch64: b, b.cond, cbz, cbnz, tbz, tbnz; but not bl, blr, br */
	return (name[0] == 'b' && (len == 1 || name[1] == '.')) ||
	       (len >= 3 && (name[0] == 'c' || name[0] == 't') && name[1] == 'b' &&
		(name[2] == 'z' || name[2] == 'n'));
}

/* Return the target address of a jump instruction, or 0. The target is the last number that is at
 * the end of the text or before " <". */
static uint64_t jump_address(const struct pp_view_row *row)
{
	const char *end = row->text + row->len, *at = memchr(row->text, ':', row->len) + 2;
	const char *name = at;
	uint64_t found = 0;

	while (at < end && !isspace((unsigned char)*at))
		at++;
	if (!is_jump(name, (size_t)(at - name)))
		return 0;
	while (at < end) {
		uint64_t value;
		size_t digits;

		while (at < end && (isspace((unsigned char)*at) || *at == ','))
			at++;
		if (end - at > 2 && at[0] == '0' && at[1] == 'x')
			at += 2;
		digits = parse_hex(at, (size_t)(end - at), &value);
		if (digits > 2 && (at + digits == end || at[digits] == ' '))
			found = value;
		while (at < end && !isspace((unsigned char)*at) && *at != ',')
			at++;
	}
	return found;
}

/* Return the index in @insns of the instruction at @address. @insns: indices of @nr rows, sorted by
 * address. */
static size_t find_address(const struct pp_view *view, const size_t *insns, size_t nr,
			   uint64_t address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (view->rows[insns[middle]].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr && view->rows[insns[low]].address == address ? insns[low] : PP_VIEW_NONE;
}

/* Find the target row of each jump inside a function. @insns: an array with an element for each
 * row, used as scratch memory. */
static void link_jumps(struct pp_view *view, size_t *insns)
{
	size_t end, nr;

	for (size_t first = 0; first < view->nr; first = end) {
		nr = 0;
		for (end = first; end < view->nr; end++) {
			const enum pp_view_kind kind = view->rows[end].kind;

			if (end > first && (kind == PP_VIEW_FUNCTION || kind == PP_VIEW_PLAIN))
				break;
			if (kind == PP_VIEW_INSN)
				insns[nr++] = end;
		}
		for (size_t i = 0; i < nr; i++) {
			const uint64_t address = jump_address(&view->rows[insns[i]]);

			if (address)
				view->rows[insns[i]].target =
					find_address(view, insns, nr, address);
		}
	}
}

/* For each run of instructions, find the source line or title above it. The run can be folded below
 * that row. */
static void link_folds(struct pp_view *view)
{
	size_t above = PP_VIEW_NONE;

	for (size_t i = 0; i < view->nr; i++) {
		struct pp_view_row *row = &view->rows[i];

		if (row->kind != PP_VIEW_INSN) {
			above = row->kind == PP_VIEW_PLAIN ? PP_VIEW_NONE : i;
			continue;
		}
		row->above = above;
		if (above != PP_VIEW_NONE)
			view->rows[above].nr_below++;
	}
}

struct hot {
	uint64_t count;
	size_t row;
};

static int compare_hot(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Sort the visible rows with samples by their number of samples. If out of memory, leave them in
 * the order of the listing. */
static void sort_hot(struct pp_view *view)
{
	struct hot *order = calloc(view->nr_hot + 1, sizeof(*order));

	if (!order)
		return;
	for (size_t i = 0; i < view->nr_hot; i++)
		order[i] = (struct hot){ view->rows[view->hot[i]].count, view->hot[i] };
	qsort(order, view->nr_hot, sizeof(*order), compare_hot);
	for (size_t i = 0; i < view->nr_hot; i++)
		view->hot[i] = order[i].row;
	free(order);
}

static bool is_shown(const struct pp_view *view, const struct pp_view_row *row)
{
	return row->above == PP_VIEW_NONE || !view->rows[row->above].folded;
}

/* Update the list of visible rows and the counts that they show. Called after folding. */
static void refresh(struct pp_view *view)
{
	view->nr_shown = view->nr_hot = 0;
	for (size_t i = 0; i < view->nr; i++)
		view->rows[i].count = view->rows[i].own;
	for (size_t i = 0; i < view->nr; i++) {
		struct pp_view_row *row = &view->rows[i];

		if (is_shown(view, row))
			view->shown[view->nr_shown++] = i;
		else
			view->rows[row->above].count += row->own;
	}
	for (size_t i = 0; i < view->nr_shown; i++)
		if (view->rows[view->shown[i]].count)
			view->hot[view->nr_hot++] = view->shown[i];
	sort_hot(view);
}

int pp_view_init(struct pp_view *view, char *text, size_t size, size_t columns, bool assembly,
		 const uint64_t *totals, size_t nr_classes)
{
	size_t nr = 0;

	*view = (struct pp_view){ .text = text, .totals = totals, .nr_classes = nr_classes };
	for (size_t i = 0; i < size; i++)
		nr += text[i] == '\n';
	view->rows = calloc(nr + 1, sizeof(*view->rows));
	view->shown = calloc(nr + 1, sizeof(*view->shown));
	view->hot = calloc(nr + 1, sizeof(*view->hot));
	if (!view->rows || !view->shown || !view->hot) {
		pp_view_release(view);
		return -ENOMEM;
	}
	for (const char *line = text, *end; line < text + size; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + size - line));
		if (!end)
			break;
		parse_row(&view->rows[view->nr++], line, (size_t)(end - line), columns, assembly);
	}
	link_jumps(view, view->shown);
	link_folds(view);
	pp_view_choose(view, 0);
	return 0;
}

/* Parse the count of class number @class from the text "COUNT PERCENT COUNT PERCENT...". */
static uint64_t count_of(const char *counts, size_t class)
{
	counts += strspn(counts, " ");
	if (!isdigit((unsigned char)*counts))	/* the row has no counts, so it has no samples */
		return 0;
	for (size_t i = 0; i < 2 * class; i++) {
		counts += strcspn(counts, " ");
		counts += strspn(counts, " ");
	}
	return strtoull(counts, NULL, 10);
}

void pp_view_choose(struct pp_view *view, size_t class)
{
	view->chosen = class;
	for (size_t i = 0; i < view->nr; i++)
		if (view->rows[i].counts)
			view->rows[i].own = count_of(view->rows[i].counts, class);
	refresh(view);
}

void pp_view_release(struct pp_view *view)
{
	free(view->text);
	free(view->rows);
	free(view->shown);
	free(view->hot);
	*view = (struct pp_view){ .nr = 0 };
}

size_t pp_view_fold_of(const struct pp_view *view, size_t row)
{
	if (row < view->nr && view->rows[row].nr_below)
		return row;
	return row < view->nr ? view->rows[row].above : PP_VIEW_NONE;
}

bool pp_view_has_unfolded(const struct pp_view *view)
{
	for (size_t i = 0; i < view->nr; i++)
		if (view->rows[i].nr_below && !view->rows[i].folded)
			return true;
	return false;
}

void pp_view_fold(struct pp_view *view, size_t row, bool fold)
{
	for (size_t i = row == PP_VIEW_NONE ? 0 : row; i < view->nr; i++) {
		if (view->rows[i].nr_below)
			view->rows[i].folded = fold;
		if (i == row)
			break;
	}
	refresh(view);
}

size_t pp_view_place(const struct pp_view *view, size_t row)
{
	size_t low = 0, high = view->nr_shown;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (view->shown[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

size_t pp_view_hot(const struct pp_view *view, size_t row, int steps)
{
	if (!view->nr_hot)
		return PP_VIEW_NONE;
	for (size_t i = 0; i < view->nr_hot; i++) {
		if (view->hot[i] != row)
			continue;
		if (steps < 0)
			return view->hot[i < (size_t)-steps ? 0 : i - (size_t)-steps];
		return view->hot[i + (size_t)steps < view->nr_hot ? i + (size_t)steps :
								    view->nr_hot - 1];
	}
	return view->hot[0];
}

static bool contains(const struct pp_view_row *row, const char *pattern, size_t len)
{
	for (size_t i = 0; i + len <= row->len; i++)
		if (!strncasecmp(row->text + i, pattern, len))
			return true;
	return false;
}

size_t pp_view_search(const struct pp_view *view, size_t row, const char *pattern, bool back)
{
	size_t len = strlen(pattern);

	for (size_t n = 1; len && n <= view->nr; n++) {
		size_t i = (row + (back ? view->nr - n % view->nr : n)) % view->nr;

		if (contains(&view->rows[i], pattern, len))
			return i;
	}
	return PP_VIEW_NONE;
}

/* Draw the jump from row @from to row @to of the screen, counted from 0. Either row may be outside
 * the screen. Return false if another jump already uses this lane (a column of lines beside the
 * rows). */
static bool draw(struct pp_view_jumps *ret, size_t nr, long from, long to, int lane)
{
	const long top = from < to ? from : to, bottom = from < to ? to : from;
	const long first = top < 0 ? 0 : top, last = bottom >= (long)nr ? (long)nr - 1 : bottom;

	for (long i = first; i <= last; i++)
		if (ret[i].lanes[lane] != ' ')
			return false;
	for (long i = first; i <= last; i++) {
		char *lanes = ret[i].lanes;

		lanes[lane] = i == top ? ',' : i == bottom ? '`' : '|';
		if (i != from && i != to)
			continue;
		for (int k = lane + 1; k < PP_VIEW_LANES; k++)
			if (lanes[k] == ' ')
				lanes[k] = '-';
		if (lanes[PP_VIEW_LANES] != '>')
			lanes[PP_VIEW_LANES] = i == to ? '>' : '-';
	}
	return true;
}

static void draw_jump(const struct pp_view *view, size_t first, size_t nr, size_t row,
		      struct pp_view_jumps *ret)
{
	const size_t target = view->rows[row].target;
	long from, to;

	if (target == PP_VIEW_NONE || !is_shown(view, &view->rows[target]) ||
	    !is_shown(view, &view->rows[row]))
		return;
	from = (long)pp_view_place(view, row) - (long)first;
	to = (long)pp_view_place(view, target) - (long)first;
	if ((from < 0 && to < 0) || (from >= (long)nr && to >= (long)nr))
		return;
	/* try the lane next to the text of the rows first */
	for (int lane = PP_VIEW_LANES - 1; lane >= 0; lane--)
		if (draw(ret, nr, from, to, lane))
			return;
}

void pp_view_draw_jumps(const struct pp_view *view, size_t first, size_t nr, size_t cursor,
			struct pp_view_jumps *ret)
{
	for (size_t i = 0; i < nr; i++) {
		memset(ret[i].lanes, ' ', PP_VIEW_LANES + 1);
		ret[i].lanes[PP_VIEW_LANES + 1] = '\0';
	}
	if (cursor < view->nr)
		draw_jump(view, first, nr, cursor, ret);
	for (size_t i = first; i < first + nr && i < view->nr_shown; i++)
		if (view->shown[i] != cursor)
			draw_jump(view, first, nr, view->shown[i], ret);
}
