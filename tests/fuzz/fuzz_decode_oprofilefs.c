// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_decode_oprofilefs.c -- fuzzes the decoder of the module's stream with any words: each
 * interrupt in the stream is delivered or counted as a named loss, each delivered sample is
 * consistent, and the result does not depend on where reads split the stream.
 *
 * Input: the first byte is the distance between splits. Then words: 255: ESCAPE; 254: the following
 * 8 bytes; any other byte: its value.
 */
#include "config.h"

#include "daemon/source/decode_oprofilefs.h"
#include "daemon/source/stream_paths.h"
#include "daemon/image/cgroups.h"
#include "daemon/image/image.h"
#include "module/uapi/oprofile.h"
#include "module/uapi/unwind.h"
#include "tests/fuzz/fuzz.h"

struct tally {
	struct opd_sink sink;
	uint64_t stored, lost, hash;
	/* numbers of IBS records, and of events derived from them */
	uint64_t records, derived;
};

static const struct opd_image images[4];

static const struct opd_image *find_image(void *arg, uint64_t cookie, pid_t tgid)
{
	(void)arg;
	(void)tgid;
	fuzz_require(cookie != OPROFILE_NO_COOKIE && cookie != OPROFILE_INVALID_COOKIE);
	return cookie < 4 ? &images[cookie] : NULL;
}

static void mix(struct tally *t, uint64_t v)
{
	t->hash = (t->hash ^ v) * 0x9e3779b97f4a7c15u;
	t->hash ^= t->hash >> 29;
}

/* Check that the frames have the offsets in the stream, and that the path belongs to this sample
 * only. */
static void check_path(struct tally *t, const struct opd_context *ctx, size_t nr)
{
	const struct opd_path *p = ctx->path;
	bool kernel = false;

	if (!p)
		return;
	fuzz_require(nr == 1 && ctx->domain != OPD_GUEST);
	fuzz_require(p->end >= OPROFILE_UW_WHOLE && p->end < OPROFILE_UW_NR_ENDS);
	for (size_t i = 0; i < p->nr; i++) {
		const struct opd_frame *f = &p->frames[i];

		fuzz_require(f->domain == OPD_USER_FILE ? f->image != NULL : f->image == NULL);
		fuzz_require((f->how == OPROFILE_UW_HOW_KERNEL) == (f->domain == OPD_KERNEL));
		fuzz_require(!kernel || f->domain == OPD_KERNEL);
		kernel |= f->domain == OPD_KERNEL;
		if (f->domain == OPD_USER_ANON)
			fuzz_require(f->anon.label && f->offset >= f->anon.start && f->offset < f->anon.end);
		mix(t, f->offset + f->domain + f->how);
	}
	fuzz_require(!kernel || ctx->domain == OPD_KERNEL);
	mix(t, p->end);
}

static void on_table_wanted(void *arg, uint64_t cookie)
{
	mix(arg, cookie);
}

static void on_samples(struct opd_sink *sink, const struct opd_context *ctx,
		       const struct opd_sample *samples, size_t nr)
{
	struct tally *t = (struct tally *)sink;

	fuzz_require(nr > 0 && nr <= OPD_DECODE_RUN);
	fuzz_require(ctx->domain == OPD_USER_FILE ? ctx->image != NULL : ctx->image == NULL);
	fuzz_require(ctx->tid >= 0 && ctx->tgid >= 0);
	check_path(t, ctx, nr);
	if (ctx->unit)
		mix(t, strlen(ctx->unit));
	for (size_t i = 0; i < nr; i++) {
		fuzz_require(samples[i].count > 0);
		if (ctx->domain == OPD_USER_ANON)
			fuzz_require(ctx->anon.label && samples[i].offset >= ctx->anon.start &&
				     samples[i].offset < ctx->anon.end);
		t->stored += samples[i].count;
		mix(t, samples[i].offset + samples[i].event + ctx->domain + ctx->tid + ctx->cpu);
	}
}

static void on_modules_changed(struct opd_sink *sink)
{
	mix((struct tally *)sink, 1);
}

static void on_named(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name, uint64_t when)
{
	size_t len = strnlen(name, OPROFILE_NAME_SIZE);

	fuzz_require(tgid >= 0 && tid >= 0 && len > 0 && len < OPROFILE_NAME_SIZE);
	mix((struct tally *)sink, when + tid + len + (unsigned char)name[len - 1]);
}

static void on_lost(struct opd_sink *sink, const char *name, uint64_t nr)
{
	fuzz_require(nr > 0 && !strncmp(name, "lost_", 5));
	((struct tally *)sink)->lost += nr;
}

static void on_unread(struct opd_sink *sink, const char *name, uint64_t nr)
{
	(void)sink;
	fuzz_require(nr > 0 && !strncmp(name, "stream_", 7));
}

static void on_converted(struct opd_sink *sink, uint64_t derived)
{
	((struct tally *)sink)->records++;
	((struct tally *)sink)->derived += derived;
}

/* Derive an arbitrary number of events from a record, or none as for an unknown record. Read the
 * last operand, so that ASan detects missing operands. */
static int derive(const struct opd_ext *ext, unsigned long code, const unsigned long *operands,
		  struct opd_sample *samples)
{
	int nr = (int)(operands[3] % 9) - 1;

	(void)ext;
	if (operands[code == OPROFILE_IBS_FETCH ? 6 : 12] == 77)
		return 0;
	for (int i = 0; i < nr; i++)
		samples[i] = (struct opd_sample){ .event = i, .count = 1 + operands[4] % 1000 };
	return nr;
}

static void decode(struct tally *t, const unsigned long *words, size_t nr, size_t cut)
{
	struct opd_decoder *d = malloc(sizeof(*d));

	fuzz_require(d);
	*t = (struct tally){ .sink = {
		.samples = on_samples, .modules_changed = on_modules_changed, .named = on_named,
				.lost = on_lost, .unread = on_unread,
		.converted = on_converted,
	} };
	opd_decoder_init(d, &t->sink, find_image, NULL);
	d->derive = derive;
	fuzz_require(!opd_stream_paths_create(&d->paths));
	fuzz_require(!opd_cgroups_create(&d->cgroups, NULL));
	opd_cgroups_name(d->cgroups, 1, "/");
	opd_cgroups_name(d->cgroups, 2, "/a.service");
	d->table_wanted = on_table_wanted;
	d->table_wanted_arg = t;
	for (size_t i = 0; i < nr; i += cut) {
		size_t n = nr - i < cut ? nr - i : cut;
		/* Each part has its own allocation, so that ASan detects a read past its end. */
		unsigned long *part = malloc(n * sizeof(*part));

		fuzz_require(part);
		memcpy(part, words + i, n * sizeof(*part));
		opd_decode(d, part, n);
		fuzz_require(d->nr_run == 0 && d->nr_tail < OPD_DECODE_TAIL);
		free(part);
	}
	opd_decode_end(d);
	fuzz_require(d->taken + t->derived == t->stored + t->lost + t->records);
	opd_cgroups_destroy(d->cgroups);
	opd_stream_paths_destroy(d->paths);
	free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned long *words;
	struct tally whole, cut;
	size_t nr = 0;

	if (size < 2)
		return 0;
	words = malloc(size * sizeof(*words));
	fuzz_require(words);
	for (size_t i = 1; i < size; i++) {
		unsigned long w = data[i];

		if (w == 255) {
			w = OPROFILE_ESCAPE;
		} else if (w == 254 && size - i > 8) {
			memcpy(&w, data + i + 1, sizeof(w));
			i += 8;
		}
		words[nr++] = w;
	}
	decode(&whole, words, nr, nr);
	decode(&cut, words, nr, 1 + data[0] % 32);
	fuzz_require(whole.stored == cut.stored && whole.lost == cut.lost && whole.hash == cut.hash);
	free(words);
	return 0;
}
