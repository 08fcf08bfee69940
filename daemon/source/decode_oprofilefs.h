/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_oprofilefs.h -- decoder of the module's `buffer` file: converts its words into runs of
 * samples.
 *
 * The decoder makes no system call, writes only to the sink, and allocates memory only for the
 * numbers of call paths. It accepts any words, and reads each word once: an invalid record is
 * counted ("stream_bad_record", "stream_unknown_code"), and the decoder continues at the next
 * escape.
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
	OPD_DECODE_NO_DOMAIN,	/* the stream has reported neither kernel nor user mode yet */
	OPD_DECODE_KERNEL,
	OPD_DECODE_FILE,
	OPD_DECODE_ANON,
	OPD_DECODE_NO_FILE,	/* the samples are user code in an unknown file */
	OPD_DECODE_GUEST,
};

enum opd_decode_trace {
	OPD_TRACE_NONE,
	OPD_TRACE_LEAF,		/* state: the next address is that of the interrupt itself */
	OPD_TRACE_CALLERS,	/* the following samples are callers of the interrupt's address */
};

#define OPD_DECODE_RUN	512
/* number of words that can be kept of an incomplete record; longer than any record */
#define OPD_DECODE_TAIL	16

struct opd_decoder {
	struct opd_sink *sink;
	/* Returns the image of a cookie, or NULL. Called once for each switch to another cookie. */
	const struct opd_image *(*image_of)(void *arg, uint64_t cookie);
	void *image_of_arg;
	/* Prefetches the table entry of a cookie that will be looked up soon. NULL: do not
	 * prefetch. */
	void (*image_ahead)(void *arg, uint64_t cookie);
	/* Derives events from records of CPU features that have their own method of sampling:
	 * opd_ext_derive(). NULL: no such feature is in use. */
	int (*derive)(const struct opd_ext *ext, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);
	const struct opd_ext *ext;
	/* The nodes and images of call paths, which the stream refers to by number; borrowed. NULL:
	 * decode samples without call paths. */
	struct opd_stream_paths *paths;
	/* Called with the cookie of a file that needs an unwind table. NULL: no call. */
	void (*table_wanted)(void *arg, uint64_t cookie);
	void *table_wanted_arg;

	/* State of the stream. A record may be split between two calls of opd_decode() at any word,
	 * so all state is kept here. */
	struct opd_context ctx;
	/* .mode and .max_plain are derived from .domain, .cookie and .image */
	enum opd_decode_mode mode;
	/* greatest value that the first word of a sample may have */
	unsigned long max_plain;
	/* code of the last KERNEL_ENTER, KERNEL_EXIT or GUEST_ENTER record; 0: no such record was
	 * read yet */
	unsigned long domain;
	uint64_t cookie;
	const struct opd_image *image;	/* image of the file with the number .cookie */
	enum opd_decode_trace trace;
	uint32_t count;			/* number of interrupts that the next sample represents */
	/* .user_node and .kernel_node are the call path of the next sample */
	bool has_path;
	unsigned long user_node, kernel_node;
	int resync;			/* the decoder skips words up to the next escape */
	unsigned long tail[OPD_DECODE_TAIL];
	size_t nr_tail;

	/* number of interrupts that the stream has reported, including lost interrupts */
	uint64_t taken;

	/* Samples that have the context .ctx and have not been delivered; empty between calls of
	 * opd_decode(). */
	struct opd_sample run[OPD_DECODE_RUN];
	size_t nr_run;
};

void opd_decoder_init(struct opd_decoder *d, struct opd_sink *sink,
		      const struct opd_image *(*image_of)(void *arg, uint64_t cookie),
		      void *image_of_arg);

/* Decode @words, and deliver all complete records to the sink. Keep an incomplete record for the
 * next call. */
void opd_decode(struct opd_decoder *d, const unsigned long *words, size_t nr);

/* End the stream: count an incomplete record as unreadable or lost. */
void opd_decode_end(struct opd_decoder *d);

#endif
