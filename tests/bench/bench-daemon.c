// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-daemon.c -- measures the throughput of the daemon (samples per second) on a recorded
 * stream: decoding, attribution and storing, without the kernel.
 *
 * bench-daemon [DIR]: works in DIR (default: a new directory in /dev/shm or /tmp), and prints table
 * rows with tab-separated cells (tests/bench/run).
 */
#include "config.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/attribute.h"
#include "daemon/options.h"
#include "daemon/image/cookie.h"
#include "daemon/source/decode_oprofilefs.h"
#include "daemon/image/image.h"
#include "daemon/image/kernel.h"
#include "daemon/base/log.h"
#include "daemon/store/sample_cache.h"
#include "daemon/base/session.h"
#include "daemon/store/stats.h"
#include "libop/base/dir.h"
#include "module/uapi/oprofile.h"

#define E OPROFILE_ESCAPE

struct stream {
	unsigned long *words;
	size_t nr, room;
	size_t samples;
};

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void put(struct stream *s, unsigned long w)
{
	if (s->nr == s->room) {
		s->room = s->room ? s->room * 2 : 1 << 20;
		s->words = realloc(s->words, s->room * sizeof(*s->words));
		if (!s->words)
			exit(1);
	}
	s->words[s->nr++] = w;
}

static void put_context(struct stream *s, unsigned long pid, unsigned long app)
{
	const unsigned long words[] = { E, OPROFILE_CTX_SWITCH, pid, app, E, OPROFILE_CTX_TGID,
					pid, E, OPROFILE_KERNEL_EXIT };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put(s, words[i]);
}

/*
 * Return a random offset with a realistic distribution: most samples are at a few hundred
 * addresses, and few of these have most samples.
 */
static unsigned long hot_offset(unsigned int distinct)
{
	uint64_t r = next_random();
	unsigned int a = r % distinct, b = (r >> 32) % distinct;

	return 0x1000 + 4ul * (a < b ? a : b);
}

/*
 * Generate a stream of @nr samples in runs of @run samples, in @files images with @distinct
 * addresses each.
 */
static void make(struct stream *s, size_t nr, size_t run, unsigned int files, unsigned int distinct)
{
	memset(s, 0, sizeof(*s));
	put(s, E);
	put(s, OPROFILE_CPU_SWITCH);
	put(s, 0);
	while (s->samples < nr) {
		unsigned long cookie = 1 + next_random() % files;

		put_context(s, 1000 + cookie, cookie);
		put(s, E);
		put(s, OPROFILE_COOKIE_SWITCH);
		put(s, cookie);
		for (size_t i = 0; i < run; i++) {
			put(s, hot_offset(distinct));
			put(s, 0);
		}
		s->samples += run;
	}
}

static double now(void)
{
	struct timespec t;

	/* use CPU time, because other programs may be running */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "bench-daemon: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void read_cookies(struct opd_cookies *cookies, unsigned int files)
{
	char table[64];

	for (unsigned int i = 1; i <= files; i++) {
		FILE *f;

		snprintf(table, sizeof(table), "%x\t/usr/lib/lib%u.so\n", i, i);
		f = fmemopen(table, strlen(table), "r");
		opd_cookies_read(cookies, f);
		fclose(f);
	}
}

/* Return the samples per second of the fastest round. */
static double measure(const char *dir, const struct stream *s, unsigned int files)
{
	char *argv[] = { "bench", "--max-files=1000000", "--max-new-files=0", NULL };
	struct opd_kernel_files none = { "/dev/null", "/dev/null", "/dev/null" };
	struct opd_config cfg;
	struct opd_session session;
	struct opd_stats stats;
	struct opd_log log;
	struct opd_images *images;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_attribution attribution;
	struct opd_cookies *cookies;
	struct opd_decoder *decoder = malloc(sizeof(*decoder));
	struct op_reason error = { "" };
	double best = 0;

	if (opd_config_parse(&cfg, 3, argv, stdout, stderr) != OPD_PARSE_RUN || !decoder)
		exit(1);
	opd_log_init(&log);
	opd_stats_init(&stats);
	check(opd_session_open(&session, dir, (gid_t)-1, &error), error.text);
	check(opd_images_create(&images), "images");
	check(opd_kernel_create(&kernel, &cfg, &log, &none), "kernel");
	check(opd_sample_cache_create(&cache, &cfg, &session, &stats, &log, 4, 0), "cache");
	opd_attribution_init(&attribution, &cfg, kernel, cache, &stats, &log);
	check(opd_cookies_create(&cookies, images, -1), "cookies");
	read_cookies(cookies, files);
	for (int round = 0; round < 5; round++) {
		double t;

		opd_decoder_init(decoder, &attribution.sink, opd_cookies_image, cookies);
		decoder->image_ahead = opd_cookies_ahead;
		t = now();
		opd_decode(decoder, s->words, s->nr);
		opd_sample_cache_flush(cache);
		t = now() - t;
		if (s->samples / t > best)
			best = s->samples / t;
	}
	if (stats.v[OPD_STAT_STORED] != 5 * s->samples) {
		fprintf(stderr, "bench-daemon: %llu of %zu samples stored\n",
			(unsigned long long)stats.v[OPD_STAT_STORED], 5 * s->samples);
		exit(1);
	}
	opd_cookies_destroy(cookies);
	opd_sample_cache_destroy(cache);
	opd_kernel_destroy(kernel);
	opd_images_destroy(images);
	opd_stats_release(&stats);
	/* Remove the files here: opd_session_reset() would delete them in a thread, whose time
	 * would be charged to the next stream. */
	op_empty_dir(session.current_fd);
	opd_session_release(&session);
	opd_config_release(&cfg);
	free(decoder);
	return best;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what;
		size_t nr, run;
		unsigned int files, distinct;
	} cases[] = {
		{ "few files, long runs", 20000000, 10000, 4, 300 },
		{ "few files, many addresses", 20000000, 10000, 4, 20000 },
		{ "few files, runs of 8", 10000000, 8, 4, 300 },
		{ "1,000 files, runs of 8", 4000000, 8, 1000, 300 },
		{ "10,000 files, runs of 4", 2000000, 4, 10000, 100 },
	};
	char shm[] = "/dev/shm/bench-daemon-XXXXXX", tmp[] = "/tmp/bench-daemon-XXXXXX";
	const char *dir = argc > 1 ? argv[1] : mkdtemp(shm);

	if (!dir)
		dir = mkdtemp(tmp);
	if (!dir) {
		perror("bench-daemon");
		return 1;
	}
	puts("daemon: samples decoded, attributed and stored from a recorded stream, one core");
	puts("stream\tmillion/s\tns each");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stream s;
		double rate;

		make(&s, cases[i].nr, cases[i].run, cases[i].files, cases[i].distinct);
		rate = measure(dir, &s, cases[i].files);
		printf("%s\t%.1f\t%.1f\n", cases[i].what, rate / 1e6, 1e9 / rate);
		fflush(stdout);
		free(s.words);
	}
	if (argc == 1) {
		char path[200];

		snprintf(path, sizeof(path), "%s/samples/current", dir);
		rmdir(path);
		snprintf(path, sizeof(path), "%s/samples", dir);
		rmdir(path);
		rmdir(dir);
	}
	return 0;
}
