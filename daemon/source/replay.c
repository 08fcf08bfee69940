// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c -- a recorded `buffer` stream as a source of samples. The stream is a file of words.
 * The file STREAM.cookies maps the stream's cookies to files (cookie.h).
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/image/cookie.h"
#include "daemon/source/decode_oprofilefs.h"
#include "daemon/source/ext.h"
#include "daemon/source/source.h"
#include "daemon/source/stream_paths.h"
#include "libop/session/stats.h"

#define WORDS_PER_PROCESS	(1u << 20)

struct opd_source {
	struct opd_cookies *cookies;
	/* the words of the recorded stream, mapped; NULL: the stream is empty */
	unsigned long *words;
	size_t nr_words;
	size_t size;			/* size of the recorded stream in bytes */
	size_t pos;
	int started;
	int ended;
	struct opd_ext *ext;
	struct opd_decoder decoder;
};

static void replay_destroy(struct opd_source *s)
{
	if (!s)
		return;
	if (s->words)
		munmap(s->words, s->size);
	opd_stream_paths_destroy(s->decoder.paths);
	opd_cookies_destroy(s->cookies);
	opd_ext_destroy(s->ext);
	free(s);
}

static int map_stream(struct opd_source *s, const char *path)
{
	struct stat st;
	int err = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0) {
		err = -errno;
	} else if (!S_ISREG(st.st_mode)) {
		err = -EINVAL;
	} else if (st.st_size > 0) {
		void *map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (map == MAP_FAILED) {
			err = -errno;
		} else {
			s->words = map;
			s->size = st.st_size;
			s->nr_words = st.st_size / sizeof(*s->words);
			madvise(map, st.st_size, MADV_SEQUENTIAL);
		}
	}
	close(fd);
	return err;
}

static int read_cookies(struct opd_source *s, const char *stream)
{
	char *path;
	FILE *f;
	int err;

	if (asprintf(&path, "%s.cookies", stream) < 0)
		return -ENOMEM;
	f = fopen(path, "re");
	free(path);
	/* STREAM.cookies may be missing: a stream of kernel samples does not need it. */
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	err = opd_cookies_read(s->cookies, f);
	fclose(f);
	return err;
}

static int replay_create(struct opd_source **ret, const struct opd_config *cfg,
			 struct opd_images *images, struct opd_sink *sink, struct op_reason *error)
{
	struct opd_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = opd_cookies_create(&s->cookies, images, -1);
	if (err)
		goto err_destroy;
	err = map_stream(s, cfg->set.replay);
	if (err) {
		op_fail(error, err, err == -EINVAL ? "the recorded stream is not a regular file" :
			"the recorded stream cannot be read");
		goto err_destroy;
	}
	err = read_cookies(s, cfg->set.replay);
	if (err < 0) {
		op_fail(error, err, "the stream's cookie table (STREAM.cookies) cannot be read");
		goto err_destroy;
	}
	opd_decoder_init(&s->decoder, sink, opd_cookies_image, s->cookies);
	s->decoder.image_ahead = opd_cookies_ahead;
	if (err > 0)
		sink->unread(sink, "stream_bad_record", err);
	err = opd_ext_create(&s->ext, cfg);
	if (err)
		goto err_destroy;
	if (cfg->paths.depth)
		err = opd_stream_paths_create(&s->decoder.paths);
	if (err)
		goto err_destroy;
	s->decoder.derive = opd_ext_derive;
	s->decoder.ext = s->ext;
	*ret = s;
	return 0;

err_destroy:
	replay_destroy(s);
	return err;
}

static int replay_start(struct opd_source *s)
{
	s->started = 1;
	return 0;
}

static int replay_stop(struct opd_source *s)
{
	s->started = 0;
	return 0;
}

/* Return 0 descriptors to poll: a recorded stream can always be read immediately. */
static size_t replay_fds(struct opd_source *s, struct pollfd *fds, size_t max)
{
	(void)s;
	(void)fds;
	(void)max;
	return 0;
}

static int replay_process(struct opd_source *s)
{
	size_t nr = s->nr_words - s->pos;

	if (!s->started)
		return 0;
	if (nr > WORDS_PER_PROCESS)
		nr = WORDS_PER_PROCESS;
	if (nr)		/* Do not map an empty file, because mmap() rejects it. */
		opd_decode(&s->decoder, s->words + s->pos, nr);
	s->pos += nr;
	if (s->pos < s->nr_words)
		return 0;
	if (!s->ended) {
		s->ended = 1;
		opd_decode_end(&s->decoder);
		if (s->size % sizeof(*s->words))
			s->decoder.sink->unread(s->decoder.sink, "stream_bad_record", 1);
	}
	return 1;
}

/* Do nothing: samples that were not read from the recorded stream yet count as not taken yet. */
static int replay_flush(struct opd_source *s)
{
	(void)s;
	return 0;
}

static int replay_stats(struct opd_source *s, struct op_session_stats *stats)
{
	int err = op_session_stats_add(stats, "replay_samples", s->decoder.taken);

	return err ? err : opd_ext_stats(s->ext, stats);
}

const struct opd_source_ops opd_source_replay = {
	.name = "replay",
	.create = replay_create,
	.start = replay_start,
	.stop = replay_stop,
	.fds = replay_fds,
	.process = replay_process,
	.flush = replay_flush,
	.stats = replay_stats,
	.destroy = replay_destroy,
};
