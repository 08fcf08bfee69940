/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_oprofilefs.h -- decoder of the kernel module's `buffer` file: converts its words to runs
 * of samples.
 *
 * The decoder calls only the functions of the sink, and allocates memory only for call paths and
 * units. It makes no system call, except that cgroups.h may search for an unknown group. It accepts
 * any sequence of words, and reads each word once. It counts an invalid record ("stream_bad_record",
 * "stream_unknown_code") and continues at the next escape.
 */
#ifndef OPD_DECODE_OPROFILEFS_H
#define OPD_DECODE_OPROFILEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/record.h"

struct opd_cgroups;	/* see daemon/image/cgroups.h */
struct opd_ext;		/* see daemon/source/ext.h */
struct opd_stream_paths;	/* see daemon/source/stream_paths.h */

enum opd_decode_mode {
	/* the stream has not yet reported whether the CPU is in kernel, user or guest mode */
	OPD_DECODE_NO_DOMAIN,
	OPD_DECODE_KERNEL,
	OPD_DECODE_FILE,
	OPD_DECODE_ANON,
	OPD_DECODE_NO_FILE,	/* the CPU executes user code in an unknown file */
	OPD_DECODE_GUEST,
};

enum opd_decode_trace {
	OPD_TRACE_NONE,
	/* in a call trace: the next sample is the address that was interrupted */
	OPD_TRACE_LEAF,
	/* in a call trace: the next samples are callers, which the decoder skips */
	OPD_TRACE_CALLERS,
};

#define OPD_DECODE_RUN	512
/* size of the buffer for an incomplete record, in words; longer than any record */
#define OPD_DECODE_TAIL	16

struct opd_decoder {
	struct opd_sink *sink;
	/* Return the image of a cookie, or NULL. Called whenever the stream switches to another
	 * cookie. @tgid: the process that has mapped the file, or 0. */
	const struct opd_image *(*image_of)(void *arg, uint64_t cookie, pid_t tgid);
	void *image_of_arg;
	/* Names of control groups, borrowed; NULL: samples have no unit. */
	struct opd_cgroups *cgroups;
	/* Prefetch the table entry of a cookie that the decoder will look up soon. NULL: do not
	 * prefetch. */
	void (*image_ahead)(void *arg, uint64_t cookie);
	/* Derive events from the records of a CPU feature with its own sampling method (IBS):
	 * opd_ext_derive(). NULL: no such feature is in use. */
	int (*derive)(const struct opd_ext *ext, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);
	const struct opd_ext *ext;
	/* Tables that map the numbers of nodes and images in the stream to call paths; borrowed.
	 * NULL: ignore call paths. */
	struct opd_stream_paths *paths;
	/* Called with the cookie of a file whose unwind table the module requests. NULL: ignore
	 * such requests. */
	void (*table_wanted)(void *arg, uint64_t cookie);
	void *table_wanted_arg;

	/* State of the stream. A record may be split between two calls of opd_decode() at any word,
	 * so all state of the decoder is in this struct. */
	struct opd_context ctx;
	/* .mode and .max_plain are derived from .domain, .cookie and .image */
	enum opd_decode_mode mode;
	/* largest first word that a valid sample can have */
	unsigned long max_plain;
	/* last of the codes KERNEL_ENTER, KERNEL_EXIT and GUEST_ENTER; 0: no such record yet */
	unsigned long domain;
	uint64_t cookie;
	const struct opd_image *image;	/* image of .cookie */
	enum opd_decode_trace trace;
	uint64_t group;			/* id of the control group of .ctx; 0: unknown */
	uint32_t count;			/* number of interrupts that the next sample stands for */
	/* the next sample has a call path: .user_node and .kernel_node */
	bool has_path;
	unsigned long user_node, kernel_node;
	int resync;			/* nonzero: the decoder skips words up to the next escape */
	unsigned long tail[OPD_DECODE_TAIL];
	size_t nr_tail;

	/* number of interrupts that the stream has reported so far, including lost ones */
	uint64_t taken;

	/* Samples with context .ctx that were decoded but not yet delivered to the sink. Empty
	 * between calls of opd_decode(). */
	struct opd_sample run[OPD_DECODE_RUN];
	size_t nr_run;
};

void opd_decoder_init(struct opd_decoder *d, struct opd_sink *sink,
		      const struct opd_image *(*image_of)(void *arg, uint64_t cookie, pid_t tgid),
		      void *image_of_arg);

/* Decode @nr words, and deliver all complete records to the sink. Keep an incomplete record for
 * the next call. */
void opd_decode(struct opd_decoder *d, const unsigned long *words, size_t nr);

/* Call at the end of the stream: count an incomplete record as bad, or as a lost sample. */
void opd_decode_end(struct opd_decoder *d);

#endif
