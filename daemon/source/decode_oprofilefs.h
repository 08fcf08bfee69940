/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_oprofilefs.h -- the words of the module's `buffer` file become runs of samples.
 *
 * Pure: no system call, no output but the sink, no allocation but for the numbers of call paths. Whatever the words are, every one
 * is looked at once and decoding goes on: a record that makes no sense is counted
 * ("stream_bad_record", "stream_unknown_code") and skipped up to the next escape.
 */
#ifndef OPD_DECODE_OPROFILEFS_H
#define OPD_DECODE_OPROFILEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/record.h"

struct opd_ext;		/* daemon/source/ext.h */
struct opd_stream_paths;	/* daemon/source/stream_paths.h */

enum opd_decode_mode {
	OPD_DECODE_NO_DOMAIN,	/* the stream has said neither kernel nor user yet */
	OPD_DECODE_KERNEL,
	OPD_DECODE_FILE,
	OPD_DECODE_ANON,
	OPD_DECODE_NO_FILE,	/* user code of a file that is not known */
	OPD_DECODE_GUEST,
};

enum opd_decode_trace {
	OPD_TRACE_NONE,
	OPD_TRACE_LEAF,		/* the next sample is where the interrupt hit */
	OPD_TRACE_CALLERS,	/* those that follow are its callers */
};

#define OPD_DECODE_RUN	512
#define OPD_DECODE_TAIL	16	/* longer than any record */

struct opd_decoder {
	struct opd_sink *sink;
	/* The image of a cookie, NULL when it has none. Called once per switch of cookie. */
	const struct opd_image *(*image_of)(void *arg, uint64_t cookie);
	void *image_of_arg;
	/* Is told of cookies that will be asked for soon, so that memory can be waited for early; or NULL. */
	void (*image_ahead)(void *arg, uint64_t cookie);
	/* What derives events from records of features: opd_ext_derive(); or NULL. */
	int (*derive)(const struct opd_ext *ext, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);
	const struct opd_ext *ext;
	/* What numbers of call paths mean, borrowed; NULL: samples are taken without. */
	struct opd_stream_paths *paths;
	/* Whom to tell that a file has no table to walk stacks by; or NULL. */
	void (*table_wanted)(void *arg, uint64_t cookie);
	void *table_wanted_arg;

	/* What the stream has said so far; a record may be cut between two calls anywhere. */
	struct opd_context ctx;
	enum opd_decode_mode mode;	/* this and max_plain: derived from the next three */
	unsigned long max_plain;	/* the greatest first word of a sample */
	unsigned long domain;		/* the code that said it: KERNEL_ENTER, _EXIT or GUEST_ENTER; 0: none */
	uint64_t cookie;
	const struct opd_image *image;	/* of cookie */
	enum opd_decode_trace trace;
	uint32_t count;			/* what the next sample stands for */
	bool has_path;			/* the next sample: these two nodes */
	unsigned long user_node, kernel_node;
	int resync;			/* skipping to the next escape */
	unsigned long tail[OPD_DECODE_TAIL];
	size_t nr_tail;

	uint64_t taken;			/* interrupts that the stream told of, lost ones included */

	/* Samples that share ctx and have not been delivered; empty between calls. */
	struct opd_sample run[OPD_DECODE_RUN];
	size_t nr_run;
};

void opd_decoder_init(struct opd_decoder *d, struct opd_sink *sink,
		      const struct opd_image *(*image_of)(void *arg, uint64_t cookie),
		      void *image_of_arg);

/* Everything complete in @words has reached the sink when this returns. */
void opd_decode(struct opd_decoder *d, const unsigned long *words, size_t nr);

/* No more words will come: what is left of a cut record is counted. */
void opd_decode_end(struct opd_decoder *d);

#endif
