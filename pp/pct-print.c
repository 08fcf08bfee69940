// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pct-print.c -- the pct-print program: prints the counts of a histogram file (.pct) by address or
 * by function.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/error.h"
#include "libop/base/process.h"
#include "libop/raw/num.h"
#include "libop/raw/words.h"
#include "pp/pct/options.h"
#include "pp/pct/places.h"
#include "pp/source/pct.h"

/*
 * Two texts written to two files at the same time. One process may read both files alternately, so
 * the writer must not finish one text before it begins the other.
 *
 * A pipe that poll() reports as writable accepts PIPE_BUF bytes without blocking. The descriptors
 * stay in blocking mode, because other processes may share a terminal.
 */

struct pp_text_to {
	int fd;
	const char *text;
	size_t len;
};

static int put(struct pp_text_to *end)
{
	ssize_t done = write(end->fd, end->text, end->len < PIPE_BUF ? end->len : PIPE_BUF);

	if (done < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	end->text += done;
	end->len -= done;
	return 0;
}

/* Write both texts alternately, as much to each file as it accepts. Close a descriptor after its
 * text, or on failure. Return 0 or a negative errno. */
static int write_both(struct pp_text_to ends[2])
{
	int err = 0;

	while (!err && (ends[0].fd >= 0 || ends[1].fd >= 0)) {
		struct pollfd fds[2] = {{.fd = ends[0].fd, .events = POLLOUT},
					{.fd = ends[1].fd, .events = POLLOUT}};

		for (int i = 0; i < 2; i++) {
			if (ends[i].fd >= 0 && !ends[i].len) {
				if (close(ends[i].fd))
					err = -errno;
				ends[i].fd = fds[i].fd = -1;
			}
		}
		if (err || (fds[0].fd < 0 && fds[1].fd < 0))
			break;
		if (poll(fds, 2, -1) < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		for (int i = 0; i < 2 && !err; i++) {
			if (fds[i].revents)
				err = put(&ends[i]);
		}
	}
	for (int i = 0; i < 2; i++) {
		if (ends[i].fd >= 0)
			close(ends[i].fd);
	}
	return err;
}

struct printing {
	const struct pct_options *o;
	struct pp_pct **files;
	uint64_t total;
};

static void put_count(const struct printing *p, FILE *out, uint64_t count)
{
	char text[RAW_NUM_MAX];

	if (p->o->percent)
		fprintf(out, "%.4f", p->total ? 100.0 * count / p->total : 0.0);
	else
		fwrite(text, raw_num2str(text, count, 10, 0, ' ') - text, 1, out);
}

static void put_pc(FILE *out, uint64_t pc)
{
	char text[RAW_NUM_MAX];

	fputs("0x", out);
	fwrite(text, raw_num2str(text, pc, 16, 0, ' ') - text, 1, out);
}

/* Return whether to print the samples of the binary @r. By default only the program's own file is
 * printed; the user may name another binary. */
static bool is_wanted(const struct pct_options *o, const struct pp_pct_region *r)
{
	const char *base = r ? strrchr(r->image, '/') : NULL;

	if (!r)
		return false;
	if (!o->image)
		return r->record.flags & RAW_PCT_MAIN;
	return !strcmp(r->image, o->image) || (base && !strcmp(base + 1, o->image));
}

static void print_pct(const struct printing *p, const struct pp_pct *pct, FILE *counts, FILE *pcs)
{
	const struct pct_options *o = p->o;
	bool all = !o->image && !o->just_pcs && !o->just_cts && !o->fifo;

	for (size_t i = 0; i < pct->nr_samples; i++) {
		const struct pp_pct_sample *s = &pct->samples[i];
		const struct pp_pct_region *r =
			s->region == PP_PCT_NO_REGION ? NULL : pct->regions[s->region];

		if (!all && !is_wanted(o, r))
			continue;
		if (counts)
			put_count(p, counts, s->count);
		if (counts && counts == pcs)
			putc('\t', counts);
		if (pcs)
			put_pc(pcs, s->pc);
		/* For an address in another file than the program's own, also print the name of the
		 * file. */
		if (all && !is_wanted(o, r)) {
			putc('\t', pcs);
			op_put_clean(pcs, r ? r->image : "[other]",
				     strlen(r ? r->image : "[other]"));
		}
		if (counts)
			putc('\n', counts);
		if (pcs && pcs != counts)
			putc('\n', pcs);
	}
}

static int print_both(const struct printing *p, struct op_reason *error)
{
	char *texts[2] = { NULL, NULL };
	size_t lens[2] = { 0, 0 };
	FILE *counts = open_memstream(&texts[0], &lens[0]),
	     *pcs = open_memstream(&texts[1], &lens[1]);
	int err = counts && pcs ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->o->nr_files && !err; i++)
		print_pct(p, p->files[i], counts, pcs);
	if ((counts && fclose(counts)) || (pcs && fclose(pcs)))
		err = -ENOMEM;
	if (!err) {
		struct pp_text_to ends[2] = {
			{ open(p->o->fifo, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), texts[0], lens[0] },
			{ fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), texts[1], lens[1] },
		};

		err = ends[0].fd < 0 ? -errno : 0;
		if (err) {
			close(ends[1].fd);
			err = op_fail(error, err, "%s: %s", p->o->fifo, strerror(-err));
		} else {
			/* Close this copy of stdout. The reader of a pipe, such as addr2line, then
			 * reads the end of its input when write_both() closes the other copy. */
			close(STDOUT_FILENO);
			err = write_both(ends);
			if (err)
				op_fail(error, err, "cannot write: %s", strerror(-err));
		}
	}
	free(texts[0]);
	free(texts[1]);
	return err;
}

static int print_places(const struct printing *p, struct op_reason *error)
{
	struct pct_places places = { 0 };
	int err = 0;

	for (size_t i = 0; i < p->o->nr_files && !err; i++)
		err = pct_places_add(&places, p->o, p->files[i], error);
	if (!err)
		pct_places_sort(&places);
	for (size_t i = 0; i < places.nr && !err; i++) {
		put_count(p, stdout, places.items[i].count);
		putchar('\t');
		op_put_clean(stdout, places.items[i].name, strlen(places.items[i].name));
		putchar('\n');
	}
	pct_places_release(&places);
	return err;
}

/* Print the sampling rate of the clock. If the gaps between samples are random, their mean is the
 * requested gap. */
static void print_rate(const char *path, const struct raw_pct_header *h)
{
	static const char *const clocks[] = {
		[RAW_PCT_PROF] = "CPU time", [RAW_PCT_VIRTUAL] = "user time", [RAW_PCT_REAL] = "real time",
	};
	static const char *const drivers[] = {
		[RAW_PCT_BY_ITIMER] = "setitimer", [RAW_PCT_BY_PERF] = "perf_events", [RAW_PCT_BY_TIMER] = "timers",
	};
	const double requested_us = (double)h->quantum_ns * (h->gap ? h->gap : 1) / 1000;

	if (!h->magic || h->clock > RAW_PCT_REAL || h->driver > RAW_PCT_BY_TIMER)
		op_clean_printf(stdout, "%s: unknown sampling rate\n", path);
	else if (!h->timed || !h->timed_ns)
		op_clean_printf(stdout,
				"%s: samples requested every %.1f us of %s by %s; the actual rate "
				"is unknown because no run has ended\n",
				path, requested_us, clocks[h->clock], drivers[h->driver]);
	else
		op_clean_printf(stdout,
				"%s: samples every %.1f us of %s by %s, requested every %.1f us\n",
				path, (double)h->timed_ns / h->timed / 1000, clocks[h->clock],
				drivers[h->driver], requested_us);
}

/* Print the number of samples that were lost and are not counted, with the reasons. */
static void report_losses(const char *path, const struct pp_pct *pct)
{
	static const char *const words[RAW_PCT_NR_LOSSES] = {
		"outside all code",
		"while libraries were loaded or unloaded",
		"without disk space or memory",
		"in counters at their maximum",
		"while another thread wrote",
	};

	if (*pct->broken.text)
		op_clean_printf(stderr, "pct-print: %s\n", pct->broken.text);
	for (int i = 0; i < RAW_PCT_NR_LOSSES; i++) {
		if (pct->header.lost[i])
			op_clean_printf(stderr,
					"pct-print: %s: %" PRIu64 " of %" PRIu64
					" samples are not shown: %s\n",
					path, pct->header.lost[i], pct->header.taken, words[i]);
	}
}

static int print(const struct pct_options *o, struct op_reason *error)
{
	struct printing p = { o, calloc(o->nr_files, sizeof(struct pp_pct *)), 0 };
	int err = p.files ? 0 : -ENOMEM;

	for (size_t i = 0; i < o->nr_files && !err; i++) {
		err = pp_pct_read(&p.files[i], o->files[i], error);
		if (err)
			break;
		report_losses(o->files[i], p.files[i]);
		p.total += p.files[i]->counted;
	}
	for (size_t i = 0; i < o->nr_files && !err && o->rate; i++)
		print_rate(o->files[i], &p.files[i]->header);
	if (!err && o->fifo)
		err = print_both(&p, error);
	else if (!err && o->by)
		err = print_places(&p, error);
	for (size_t i = 0; i < o->nr_files && !err && !o->fifo && !o->by && !o->rate; i++)
		print_pct(&p, p.files[i], o->just_pcs ? NULL : stdout, o->just_cts ? NULL : stdout);
	for (size_t i = 0; p.files && i < o->nr_files; i++)
		pp_pct_free(p.files[i]);
	free(p.files);
	if (!err && !o->fifo && fflush(stdout))
		err = op_fail(error, -errno, "cannot write: %s", strerror(errno));
	return err;
}

int main(int argc, char **argv)
{
	struct pct_options options = { 0 };
	struct op_reason error = { "" };
	int status = EXIT_SUCCESS, err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	switch (pct_options_parse(&options, argc, argv, stdout, &error)) {
	case PCT_RUN:
		err = print(&options, &error);
		if (err) {
			op_clean_printf(stderr, "pct-print: %s\n", op_reason_text(&error, err));
			status = EXIT_FAILURE;
		}
		break;
	case PCT_DONE:
		break;
	case PCT_WRONG:
		op_clean_printf(stderr, "pct-print: %s\n", error.text);
		status = EXIT_FAILURE;
		break;
	}
	pct_options_release(&options);
	return status;
}
