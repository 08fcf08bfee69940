/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_oprofilefs.h -- decodes the words of the module's `buffer` file into runs of samples.
 *
 * Makes no system call, has no output except the sink, and allocates memory only for the numbers of
 * call paths. It accepts any words, and reads each word once: an invalid record is counted
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
	OPD_DECODE_NO_DOMAIN,	/* the stream has reported neither kernel nor user mode yet */
	OPD_DECODE_KERNEL,
	OPD_DECODE_FILE,
	OPD_DECODE_ANON,
	OPD_DECODE_NO_FILE,	/* user code in an unknown file */
	OPD_DECODE_GUEST,
};

enum opd_decode_trace {
	OPD_TRACE_NONE,
	OPD_TRACE_LEAF,		/* the next sample is the address of the interrupt */
	OPD_TRACE_CALLERS,	/* the following samples are its callers */
};

#define OPD_DECODE_RUN	512
#define OPD_DECODE_TAIL	16	/* longer than any record */

struct opd_decoder {
	struct opd_sink *sink;
	/* Returns the image of a cookie, or NULL. Called once for each switch to another cookie. */
	const struct opd_image *(*image_of)(void *arg, uint64_t cookie);
	void *image_of_arg;
	/* Prefetches the entry of a cookie that will be looked up soon; or NULL. */
	void (*image_ahead)(void *arg, uint64_t cookie);
	/* Derives events from records of features: opd_ext_derive(); or NULL. */
	int (*derive)(const struct opd_ext *ext, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);
	const struct opd_ext *ext;
	/* The meaning of numbers of call paths, borrowed; NULL: samples are decoded without paths.
	 */
	struct opd_stream_paths *paths;
	/* Called with the cookie of a file that needs an unwind table; or NULL. */
	void (*table_wanted)(void *arg, uint64_t cookie);
	void *table_wanted_arg;

	/* State from the stream so far; a record may be split between two calls at any word. */
	struct opd_context ctx;
	/* this and max_plain are derived from the three members after them */
	enum opd_decode_mode mode;
	unsigned long max_plain;	/* the greatest value of a sample's first word */
	/* the code that set the mode: KERNEL_ENTER, _EXIT or GUEST_ENTER; 0: none */
	unsigned long domain;
	uint64_t cookie;
	const struct opd_image *image;	/* the image of .cookie */
	enum opd_decode_trace trace;
	uint32_t count;			/* number of interrupts that the next sample stands for */
	bool has_path;			/* the next sample has the path of these two nodes */
	unsigned long user_node, kernel_node;
	int resync;			/* skipping to the next escape */
	unsigned long tail[OPD_DECODE_TAIL];
	size_t nr_tail;

	/* number of interrupts reported by the stream, including lost ones */
	uint64_t taken;

	/* Samples that share .ctx and have not been delivered; empty between calls. */
	struct opd_sample run[OPD_DECODE_RUN];
	size_t nr_run;
};

void opd_decoder_init(struct opd_decoder *d, struct opd_sink *sink,
		      const struct opd_image *(*image_of)(void *arg, uint64_t cookie),
		      void *image_of_arg);

/* Decode @words, and deliver all complete records to the sink. */
void opd_decode(struct opd_decoder *d, const unsigned long *words, size_t nr);

/* End the stream: count the rest of an incomplete record. */
void opd_decode_end(struct opd_decoder *d);

#endif
