// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nm_search.c -- binary search for the symbol at an address in the output of `nm -n`.
 */
#include "config.h"
#include "utils/addr2func/nm_search.h"

#include <stdbool.h>
#include <string.h>

#include "libop/raw/num.h"

#define PIECE	512	/* number of bytes to read at a time; most lines of nm are shorter */

struct line {
	/* byte offsets of the line in the file; @end is the offset of its newline, or of the end of
	 * the file */
	uint64_t begin, end;
	uint64_t address;
	/* whether the line has an address; undefined symbols, which nm prints first, have no
	 * address */
	bool has_address;
};

static size_t read_piece(const struct nm_text *text, uint64_t at, char *buf, size_t size)
{
	long got = 0;

	if (at < text->len)
		got = text->read(text->arg, at, buf, text->len - at < size ? text->len - at : size);
	return got > 0 ? got : 0;
}

static void read_line(struct nm_text *text, uint64_t begin, struct line *line)
{
	char piece[PIECE];
	size_t got = read_piece(text, begin, piece, sizeof(piece));
	const char *newline = memchr(piece, '\n', got);

	line->begin = line->end = begin;
	line->has_address = raw_str2num(&line->address, piece,
					newline ? (size_t)(newline - piece) : got, 16) > 0;
	while (got && !newline) {
		line->end += got;
		got = read_piece(text, line->end, piece, sizeof(piece));
		newline = memchr(piece, '\n', got);
	}
	if (newline)
		line->end += newline - piece;
	text->looked++;
}

/* Return the offset of the start of the line that contains byte @at. Do not search before @low,
 * which is the start of a line. */
static uint64_t begin_of(const struct nm_text *text, uint64_t low, uint64_t at)
{
	char piece[PIECE];

	while (at > low) {
		size_t size = at - low < sizeof(piece) ? at - low : sizeof(piece);
		size_t got = read_piece(text, at - size, piece, size);
		const char *newline = memrchr(piece, '\n', got);

		at -= size;
		if (newline)
			return at + (newline - piece) + 1;
	}
	return low;
}

/* Copy to @name the name in the line "ADDRESS T NAME": the text after the second blank. Return the
 * length of the name. */
static size_t name_of(const struct nm_text *text, const struct line *line, char *name, size_t size)
{
	uint64_t at = line->begin;
	size_t len = 0, nr_blanks = 0;
	bool in_blank = false;
	char piece[PIECE];

	while (at < line->end && len < size) {
		size_t got = read_piece(text, at, piece, sizeof(piece));

		if (!got)
			break;
		for (size_t i = 0; i < got && at + i < line->end && len < size; i++) {
			bool is_blank = piece[i] == ' ' || piece[i] == '\t';

			nr_blanks += is_blank && !in_blank && nr_blanks < 2;
			in_blank = is_blank;
			if (nr_blanks == 2 && (len || !is_blank))
				name[len++] = piece[i];
		}
		at += got;
	}
	while (len && (name[len - 1] == ' ' || name[len - 1] == '\r'))
		len--;		/* strip trailing blanks of padded lines */
	return len;
}

size_t nm_search(struct nm_text *text, uint64_t pc, char *name, size_t size)
{
	/* invariant: the first line whose address is above @pc starts at an offset from @low to
	 * @high */
	uint64_t low = 0, high = text->len;
	struct line line, found = { 0 };

	while (low < high) {
		read_line(text, begin_of(text, low, low + (high - low) / 2), &line);
		if (!line.has_address || line.address <= pc) {
			if (line.has_address)
				found = line;
			low = line.end + 1;
		} else {
			high = line.begin;
		}
	}
	return found.has_address ? name_of(text, &found, name, size) : 0;
}
