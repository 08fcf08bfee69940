/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h -- parser of $PCT: a sequence of letters, some of them followed by a value.
 *
 *	t	truncate: discard the counts of earlier runs
 *	p	write to the file ./pc.pct
 *	v	print a line at the start and at the end of the run
 *	l	log each sampled address, instead of counting addresses
 *	cN	log the last N sampled addresses, in a circular log
 *	gB	count B bytes of code in one counter
 *	wW	size of a counter in bytes: 1, 2, 4 or 8
 *	qQ	microseconds between samples; without this letter, 1024 samples per second
 *	IV IR IP	sample by virtual, real or profiling time
 *	rR	random gaps between samples: on average, R times the time of q
 *	aN	program that translates addresses for pct-print(1): RAW_PCT_TRANSLATORS[N]
 *	oPATH	directory of the files; must be last, because it takes the rest of the text
 */
#ifndef LIBOP_RAW_WORDS_H
#define LIBOP_RAW_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum raw_pct_clock { RAW_PCT_PROF, RAW_PCT_VIRTUAL, RAW_PCT_REAL };

#define RAW_PCT_RATE	1024

/* Names of programs that translate addresses into lines, as in the header of a .pct file. The index
 * is the number after the letter "a". */
#define RAW_PCT_TRANSLATORS	{ "", "addr2line", "eu-addr2line", "llvm-addr2line" }
#define RAW_PCT_NR_TRANSLATORS	4

struct raw_pct_words {
	bool truncate, here, verbose, log;
	uint32_t circle;	/* number of addresses in the circular log; 0: not circular */
	uint32_t bin;
	uint32_t width;
	/* time between two samples in microseconds; 0: the default, RAW_PCT_RATE samples per
	 * second */
	uint32_t quantum_us;
	/* index in RAW_PCT_TRANSLATORS of a translator of addresses; 0: any suitable translator */
	uint32_t translator;
	/* mean gap between two samples, in units of .quantum_us; gaps are then random. 0: all gaps
	 * are .quantum_us long */
	uint32_t gap;
	enum raw_pct_clock clock;
	bool has_clock;		/* the parser has already found a letter that chooses the clock */
	/* directory of the files, a pointer into the parsed text; NULL: not specified */
	const char *dir;
};

static inline uint64_t raw_pct_words_quantum_ns(const struct raw_pct_words *words)
{
	return words->quantum_us ? words->quantum_us * 1000ULL : 1000000000 / RAW_PCT_RATE;
}

/* Set @words to the defaults, which are also the result of parsing an empty $PCT. */
void raw_pct_words_init(struct raw_pct_words *words);

/* Parse @text, the value of $PCT. Return 0, or -EINVAL if the letter at offset *@wrong is
 * unknown or its value is out of range. @words then contains the values of the letters before
 * this letter. */
int raw_pct_words_parse(struct raw_pct_words *words, const char *text, size_t *wrong);

#endif
