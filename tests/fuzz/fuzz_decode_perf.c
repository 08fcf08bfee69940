// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_decode_perf.c -- fuzzes the decoder of perf_events rings, including runs of samples: each
 * decoded sample must be delivered or counted as lost.
 *
 * If the format includes stacks, call paths are walked by an unwind table (always the vDSO's) and
 * by frame pointers. Each path must have at most the requested depth, and a reason for its end.
 * Input: the first byte selects the format and the start offset in the rings. The next two bytes
 * are the number of following bytes that are samples; the rest are notices.
 */
#include "config.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/source/perf_attribute.h"
#include "daemon/source/perf_order.h"
#include "daemon/image/process.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/image/vdso.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/perf_walk.h"
#include "tests/fuzz/fuzz.h"

#define RING	8192
#define DEPTH	20
#define STACKS	16	/* flag in the first byte of the input */

struct fuzz {
	/* must be the first member, because the callbacks cast it */
	struct opd_sink sink;
	struct opd_perf_attributor attributor;
	uint64_t sent, delivered, lost;
	bool has_stacks;
};

static void check_path(const struct opd_path *path)
{
	fuzz_require(path->end < OPROFILE_UW_NR_ENDS);
	fuzz_require(path->nr <= DEPTH + 1 + PERF_MAX_STACK_DEPTH);
	for (size_t i = 0; i < path->nr; i++) {
		const struct opd_frame *frame = &path->frames[i];

		fuzz_require(frame->domain != OPD_USER_FILE || frame->image);
		fuzz_require(frame->domain != OPD_USER_ANON || (frame->anon.label && frame->offset >= frame->anon.start &&
								frame->offset < frame->anon.end));
		fuzz_require(frame->how < OPROFILE_UW_HOW_ENDS);
	}
}

static void on_samples(struct opd_sink *sink, const struct opd_context *ctx,
		       const struct opd_sample *samples, size_t nr)
{
	struct fuzz *f = (struct fuzz *)sink;

	fuzz_require(nr > 0 && nr <= OPD_PERF_RUN);
	fuzz_require(!ctx->path == !f->has_stacks);
	if (ctx->path)
		check_path(ctx->path);
	fuzz_require(ctx->domain != OPD_USER_FILE || ctx->image);
	fuzz_require(ctx->domain != OPD_USER_ANON || ctx->anon.label);
	for (size_t i = 0; i < nr; i++) {
		fuzz_require(samples[i].count > 0);
		fuzz_require(ctx->domain != OPD_USER_ANON ||
			     (samples[i].offset >= ctx->anon.start &&
			      samples[i].offset < ctx->anon.end));
		f->delivered += samples[i].count;
	}
}

/* Read the whole name, so that ASan detects a read past its end. */
static void on_named(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name, uint64_t when)
{
	(void)sink;
	(void)tgid;
	(void)tid;
	fuzz_require(!when && strlen(name) < 65536);
}

static void on_started(struct opd_sink *sink, pid_t tgid, pid_t tid, pid_t parent_tgid, pid_t parent_tid)
{
	(void)sink;
	(void)tgid;
	(void)tid;
	(void)parent_tgid;
	(void)parent_tid;
}

static void on_execed(struct opd_sink *sink, pid_t tgid)
{
	(void)sink;
	(void)tgid;
}

static void on_lost(struct opd_sink *sink, const char *name, uint64_t nr)
{
	struct fuzz *f = (struct fuzz *)sink;

	(void)name;
	f->lost += nr;
}

static void on_modules_changed(struct opd_sink *sink)
{
	(void)sink;
}

static bool on_sample(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct fuzz *f = arg;
	int event;

	if (r->kind != OPD_PERF_SAMPLE)
		return true;
	f->sent++;
	event = (int)(r->sample.id % 3) - 1;
	return opd_perf_attribute_sample(&f->attributor, (uint32_t)ring, event, r, NULL);
}

static void on_notice(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct fuzz *f = arg;

	(void)ring;
	opd_perf_attribute_notice(&f->attributor, r);
}

/* Make an unwind table for every second program. */
static void on_table_wanted(void *arg, const struct opd_image *image)
{
	struct opd_unwind_tables *tables = *(struct opd_unwind_tables **)arg;
	struct cfi_file *vdso = opd_vdso_unwind(false);
	int fd = memfd_create("table", MFD_CLOEXEC);

	if (vdso && fd >= 0 && strlen(image->path) % 2 && write(fd, vdso, cfi_file_size(vdso)) >= 0)
		opd_unwind_tables_load(tables, image, fd);
	else
		opd_unwind_tables_give_up(tables, image, OPROFILE_UW_NO_ROW);
	close(fd);
	free(vdso);
}

/* Copy the data to a ring with its own allocation, so that ASan detects a read past its end. */
static unsigned char *make_ring(struct opd_perf_ring *ring, const uint8_t *data, size_t size,
				uint64_t tail, const struct opd_perf_format *format)
{
	unsigned char *bytes = calloc(1, RING);

	fuzz_require(bytes);
	if (size > RING)
		size = RING;
	size &= ~(size_t)7;
	for (size_t i = 0; i < size; i++)
		bytes[(tail + i) % RING] = data[i];
	opd_perf_ring_init_memory(ring, bytes, RING, tail, tail + size, format);
	return bytes;
}

static void choose_format(struct opd_perf_format *format, uint8_t how)
{
	if (how & 1)
		format->sample_type |= PERF_SAMPLE_IDENTIFIER;
	if (how & STACKS) {
		format->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		format->nr_regs = (unsigned int)__builtin_popcountll(OPD_PERF_REGS);
	}
}

static void check_counts(const struct fuzz *f)
{
	const struct opd_perf_counters *c = &f->attributor.counters;

	fuzz_require(c->received == f->sent);
	fuzz_require(f->sent == f->delivered + f->lost + c->lost_mode + c->lost_process +
		     c->lost_hidden + c->lost_unread + c->lost_mapping + c->lost_event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct opd_perf_order_ops ops = { .sample = on_sample, .notice = on_notice };
	struct opd_perf_format sample_format = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};
	struct opd_perf_format notice_format = {
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
	};
	struct opd_perf_ring samples, notices, *sample_rings[] = { &samples },
			     *notice_rings[] = { &notices };
	struct fuzz f = {
		.sink = { .samples = on_samples, .modules_changed = on_modules_changed,
			  .named = on_named, .started = on_started, .execed = on_execed, .lost = on_lost },
	};
	unsigned char *sample_bytes, *notice_bytes;
	struct opd_mapped_files *files;
	struct opd_processes *processes;
	struct opd_unwind_tables *tables;
	struct opd_images *images;
	size_t split;

	if (size < 3)
		return 0;
	f.has_stacks = data[0] & STACKS;
	choose_format(&sample_format, data[0]);
	split = data[1] | (size_t)data[2] << 8;
	if (split > size - 3)
		split = size - 3;
	sample_bytes = make_ring(&samples, data + 3, split, data[0] & 2 ? RING - 40 : 0,
				 &sample_format);
	notice_bytes = make_ring(&notices, data + 3 + split, size - 3 - split,
				 data[0] & 4 ? RING - 40 : 0, &notice_format);

	fuzz_require(!opd_images_create(&images));
	fuzz_require(!opd_mapped_files_create(&files, images));
	/* a directory without processes */
	fuzz_require(!opd_processes_create(&processes, files, "/sys"));
	opd_perf_attributor_init(&f.attributor, processes, &f.sink);
	fuzz_require(!opd_unwind_tables_create(&tables, on_table_wanted, &tables));
	if (f.has_stacks)
		fuzz_require(!opd_perf_walker_create(&f.attributor.walker, DEPTH, processes, tables, NULL,
						     NULL));
	opd_perf_order_drain(sample_rings, notice_rings, 1, data[0] & 8 ? 1000 : UINT64_MAX, &ops,
			     &f);
	opd_perf_attribute_end(&f.attributor);
	opd_processes_reap(processes, UINT64_MAX);

	check_counts(&f);
	opd_perf_walker_destroy(f.attributor.walker);
	opd_unwind_tables_destroy(tables);
	opd_processes_destroy(processes);
	opd_mapped_files_destroy(files);
	opd_images_destroy(images);
	opd_perf_ring_unmap(&samples);
	opd_perf_ring_unmap(&notices);
	free(sample_bytes);
	free(notice_bytes);
	return 0;
}
