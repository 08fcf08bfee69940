// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c -- parser of $PCT: a sequence of letters, some of them followed by a value.
 */
#include "libop/raw/words.h"

#include <errno.h>

#include "libop/raw/num.h"

#define AT(member)	offsetof(struct raw_pct_words, member)

static const struct row {
	char letter;
	enum { FLAG, NUMBER, CLOCK, REST } kind;
	size_t at;
	uint32_t min, max;
	bool is_power;	/* the value must be a power of two */
} rows[] = {
	{ 't', FLAG, AT(truncate), 0, 0, false },
	{ 'p', FLAG, AT(here), 0, 0, false },
	{ 'v', FLAG, AT(verbose), 0, 0, false },
	{ 'l', FLAG, AT(log), 0, 0, false },
	{ 'c', NUMBER, AT(circle), 2, 1u << 28, false },
	{ 'g', NUMBER, AT(bin), 1, 1u << 20, true },
	{ 'w', NUMBER, AT(width), 1, 8, true },
	{ 'q', NUMBER, AT(quantum_us), 1, 1000000000, false },
	{ 'r', NUMBER, AT(gap), 1, 1000000, false },
	{ 'a', NUMBER, AT(translator), 0, RAW_PCT_NR_TRANSLATORS - 1, false },
	{ 'I', CLOCK, AT(clock), 0, 0, false },
	{ 'o', REST, AT(dir), 0, 0, false },
};

void raw_pct_words_init(struct raw_pct_words *words)
{
	*words = (struct raw_pct_words){ .bin = 4, .width = 4, .clock = RAW_PCT_PROF };
}

/*
 * Parse the value that follows a letter into @words, and check that the table entry of the letter
 * allows it. Return the number of parsed characters, or a negative errno for an invalid value.
 */
static long parse_value(struct raw_pct_words *words, const struct row *row, const char *text)
{
	char *field = (char *)words + row->at;
	size_t len = 0;
	uint64_t n;

	switch (row->kind) {
	case FLAG:
		*(bool *)field = true;
		return 0;
	case CLOCK:
		if (*text != 'V' && *text != 'R' && *text != 'P')
			return -EINVAL;
		words->has_clock = true;
		words->clock = *text == 'V' ? RAW_PCT_VIRTUAL :
			       *text == 'R' ? RAW_PCT_REAL :
					      RAW_PCT_PROF;
		return 1;
	case NUMBER:
		while (text[len])
			len++;
		len = raw_str2num(&n, text, len, 10);
		if (!len || n < row->min || n > row->max || (row->is_power && (n & (n - 1))))
			return -EINVAL;
		*(uint32_t *)field = n;
		return len;
	case REST:
		if (!*text)
			return -EINVAL;
		while (text[len])
			len++;
		*(const char **)field = text;
		return len;
	}
	return -EINVAL;
}

int raw_pct_words_parse(struct raw_pct_words *words, const char *text, size_t *wrong)
{
	size_t at = 0;

	while (text[at]) {
		const struct row *row = NULL;
		long len;

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (rows[i].letter == text[at])
				row = &rows[i];
		}
		len = row ? parse_value(words, row, text + at + 1) : -EINVAL;
		if (len < 0) {
			*wrong = at;
			return -EINVAL;
		}
		at += 1 + len;
	}
	return 0;
}
