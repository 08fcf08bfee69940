/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_oprofilefs.h -- decoder of the kernel module's `buffer` file: converts its words to runs
 * of samples.
 *
 * The decoder makes no system call, writes only to the sink, and allocates memory only for call
 * paths. It accepts any words and reads each word once. It counts an invalid record
 * ("stream_bad_record", "stream_unknown_code") and continues at the next escape.
 */
#ifndef OPD_DECODE_OPROFILEFS_H
#define OPD_DECODE_OPROFILEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/record.h"

struct opd_ext;		/* see daemon/source/ext.h */
struct opd_stream_paths;	/* see daemon/source/stream_paths.h */

enum opd_decode_mode {
	/* before the first record that reports kernel, user or guest mode */
	OPD_DECODE_NO_DOMAIN,
	OPD_DECODE_KERNEL,
	OPD_DECODE_FILE,
	OPD_DECODE_ANON,
	OPD_DECODE_NO_FILE,	/* user code in an unknown file */
	OPD_DECODE_GUEST,
};

enum opd_decode_trace {
	OPD_TRACE_NONE,
	OPD_TRACE_LEAF,		/* in a call trace; the next sample is the interrupted address */
	OPD_TRACE_CALLERS,	/* in a call trace; the next samples are callers and are skipped */
};

#define OPD_DECODE_RUN	512
/* size of the buffer for an incomplete record, in words; longer than any record */
#define OPD_DECODE_TAIL	16

struct opd_decoder {
	struct opd_sink *sink;
	/* Return the image of a cookie, or NULL. Called at each switch to another cookie. */
	const struct opd_image *(*image_of)(void *arg, uint64_t cookie);
	void *image_of_arg;
	/* Prefetch the table entry of a cookie that will be looked up soon. NULL: do not
	 * prefetch. */
	void (*image_ahead)(void *arg, uint64_t cookie);
	/* Derive events from records of CPU features with their own sampling method (IBS):
	 * opd_ext_derive(). NULL: no such feature is in use. */
	int (*derive)(const struct opd_ext *ext, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);
	const struct opd_ext *ext;
	/* Nodes and images of call paths by their numbers in the stream; borrowed. NULL: ignore
	 * call paths. */
	struct opd_stream_paths *paths;
	/* Called with the cookie of a file whose unwind table the module requests. NULL: ignore. */
	void (*table_wanted)(void *arg, uint64_t cookie);
	void *table_wanted_arg;

	/* State of the stream. A record may be split between two calls of opd_decode() at any
	 * word, so no state is kept on the stack. */
	struct opd_context ctx;
	/* .mode and .max_plain are computed from .domain, .cookie and .image */
	enum opd_decode_mode mode;
	/* largest valid first word of a sample */
	unsigned long max_plain;
	/* last of the codes KERNEL_ENTER, KERNEL_EXIT and GUEST_ENTER; 0: no such record yet */
	unsigned long domain;
	uint64_t cookie;
	const struct opd_image *image;	/* image of .cookie */
	enum opd_decode_trace trace;
	uint32_t count;			/* number of interrupts that the next sample stands for */
	/* the next sample has a call path: .user_node and .kernel_node */
	bool has_path;
	unsigned long user_node, kernel_node;
	int resync;			/* nonzero: skip words up to the next escape */
	unsigned long tail[OPD_DECODE_TAIL];
	size_t nr_tail;

	/* number of interrupts in the stream so far, including lost ones */
	uint64_t taken;

	/* Collected samples with context .ctx, not delivered yet. Empty between calls of
	 * opd_decode(). */
	struct opd_sample run[OPD_DECODE_RUN];
	size_t nr_run;
};

void opd_decoder_init(struct opd_decoder *d, struct opd_sink *sink,
		      const struct opd_image *(*image_of)(void *arg, uint64_t cookie),
		      void *image_of_arg);

/* Decode @nr words, and deliver all complete records to the sink. Keep an incomplete record for
 * the next call. */
void opd_decode(struct opd_decoder *d, const unsigned long *words, size_t nr);

/* End the stream: count an incomplete record as bad, or as a lost sample. */
void opd_decode_end(struct opd_decoder *d);

#endif
