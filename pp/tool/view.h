/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h -- an annotated listing (source and assembly with counts) as rows for a terminal. It
 * determines which rows are hot, where instructions jump, and which rows are folded. The rows are
 * made from the text output, so that both show the same.
 */
#ifndef PP_TOOL_VIEW_H
#define PP_TOOL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PP_VIEW_NONE	SIZE_MAX	/* index of a row that does not exist */

enum pp_view_kind {
	PP_VIEW_PLAIN,		/* a row of the summary, or a row without text */
	PP_VIEW_SOURCE,		/* a row with a source line or the name of a source file */
	PP_VIEW_FUNCTION,	/* a row with the title of a function's instructions */
	PP_VIEW_INSN,		/* a row with an instruction */
};

struct pp_view_row {
	const char *counts;	/* text of the columns of counts; NULL: the row has no counts */
	/* text of the row after the columns of counts; not terminated by a NUL */
	const char *text;
	size_t len;
	enum pp_view_kind kind;
	/* samples of the chosen event (class) in the row, including the folded instructions below
	 * it */
	uint64_t count;
	uint64_t own;		/* samples of the chosen event (class) in the row alone */
	uint64_t address;	/* address of the instruction, if the row is an instruction */
	/* index of the row to which the instruction jumps; PP_VIEW_NONE: no jump */
	size_t target;
	/* index of the row below which this instruction can be folded, or PP_VIEW_NONE */
	size_t above;
	size_t nr_below;	/* number of instructions that can be folded below this row */
	bool folded;
};

struct pp_view {
	char *text;		/* text of the whole listing */
	struct pp_view_row *rows;
	size_t nr;
	size_t *shown;		/* indices of the visible rows, which are not folded */
	size_t nr_shown;
	/* indices of visible rows with samples, sorted by samples, largest first */
	size_t *hot;
	size_t nr_hot;
	/* for each class (event): samples of the whole profile; owned by the caller */
	const uint64_t *totals;
	size_t nr_classes, chosen;
};

/*
 * Split a listing of @size bytes into rows, and choose the first class (event). The view owns
 * @text, even on failure. @columns: width of the columns of counts. @assembly: the listing has
 * instructions. @totals: for each of @nr_classes classes, the samples of the whole profile. Return
 * 0 or -ENOMEM.
 */
int pp_view_init(struct pp_view *view, char *text, size_t size, size_t columns, bool assembly,
		 const uint64_t *totals, size_t nr_classes);
/* Free the contents of @view, which may be zeroed. */
void pp_view_release(struct pp_view *view);

/* Choose the class (event) whose samples are shown, and update which rows are hot. */
void pp_view_choose(struct pp_view *view, size_t class);

/* Fold (@fold true) or unfold the instructions below @row. If @row is PP_VIEW_NONE, do this below
 * all rows. */
void pp_view_fold(struct pp_view *view, size_t row, bool fold);
/* Return the row below which the instructions at @row can be folded, or PP_VIEW_NONE. */
size_t pp_view_fold_of(const struct pp_view *view, size_t row);
/* Return whether at least one instruction is visible that can be folded. */
bool pp_view_has_unfolded(const struct pp_view *view);

/* Return the index in view->shown of @row, or of the nearest visible row before it. */
size_t pp_view_place(const struct pp_view *view, size_t row);

/* Move from @row by @steps (negative: towards hotter rows) in the list of rows sorted by samples,
 * and return the new row. If @row has no samples, return the hottest row. Return PP_VIEW_NONE if no
 * row has samples. */
size_t pp_view_hot(const struct pp_view *view, size_t row, int steps);

/* Return the next row after @row (with @back: before @row) whose text contains @pattern, ignoring
 * case. Continue at the other end of the listing. Also search folded rows. Return PP_VIEW_NONE if
 * no row matches. */
size_t pp_view_search(const struct pp_view *view, size_t row, const char *pattern, bool back);

/* Lanes: columns beside the rows of a screen in which lines show jumps. */

#define PP_VIEW_LANES	3	/* number of jumps that are drawn side by side */

/* The characters to draw in the lanes beside a row: " " or "|"; "," and "`" for the upper and lower
 * corner of a line; "-" from a corner to the text; ">" at the target of the jump. */
struct pp_view_jumps {
	char lanes[PP_VIEW_LANES + 2];
};

/* Draw the lanes of @nr visible rows, beginning with view->shown[@first], to @ret. Draw the jump of
 * row @cursor first, because it may leave no lane for other jumps. */
void pp_view_draw_jumps(const struct pp_view *view, size_t first, size_t nr, size_t cursor,
			struct pp_view_jumps *ret);

#endif
