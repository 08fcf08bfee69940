// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opintervals.c -- the program opintervals: for the daemon, it packs closed sessions, merges
 * intervals and stores their symbol tables; for users, it lists and checks the intervals of a host.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intervals/confine.h"
#include "intervals/file.h"
#include "intervals/tables.h"
#include "intervals/work.h"
#include "libdb/odb.h"
#include "libop/base/process.h"

/* The daemon starts the program with the first argument --room=BYTES,PID: the number of bytes that
 * the program may write to disk, and the daemon's process id. */
#define ROOM		"--room="
#define MAX_ERRNO	133
#define MAX_INTERVAL	(1ull << 30)	/* memory limit for one interval, in bytes */

static int usage(FILE *out)
{
	fputs("usage: opintervals list DIRECTORY\n"
	      "       opintervals check FILE...\n"
	      "       opintervals pack SESSION MAX-BYTES\n"
	      "       opintervals merge STEP MAX-BYTES INTERVAL...\n"
	      "       opintervals shrink STEP MAX-BYTES INTERVAL...\n"
	      "       opintervals tables MAX-BYTES\n"
	      "pack, merge, shrink and tables work in the current directory. shrink merges, but "
	      "only if the\nresult is smaller.\n", out);
	return out == stdout ? 0 : 2;
}

static int report(const char *what, const char *name, int err)
{
	fprintf(stderr, "opintervals: cannot %s %s: %s\n", what, name, itv_strerror(err));
	return EXIT_FAILURE;
}

/* Print an error message. Return the exit status, which determines the daemon's reaction. */
static int failed(const char *what, const char *name, int err)
{
	/* -ESTALE: another process has already packed or merged the inputs, and the daemon deletes
	 * them. */
	if (err == -ESTALE)
		return EXIT_SUCCESS;
	report(what, name, err);
	if (itv_file_is_bad(err) || err == -EOVERFLOW)
		return ITV_EXIT_BAD;
	if (err == -ENOSPC && itv_confined_is_short())
		return ITV_EXIT_SHORT;
	if (err == -ENOSPC || err == -EDQUOT)
		return ITV_EXIT_FULL;
	return err < 0 && err >= -MAX_ERRNO ? ITV_EXIT_ERRNO - err : EXIT_FAILURE;
}

static int list(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	struct itv_list list = { .nr = 0 };

	err = fd < 0 ? -errno : itv_store_list(&list, fd);
	if (fd >= 0)
		close(fd);
	if (err)
		return report("list", path, err);
	for (size_t i = 0; i < list.nr; i++)
		printf("%s\t%" PRIu64 "\n", list.entries[i].name, list.entries[i].bytes);
	itv_list_release(&list);
	return 0;
}

static int check(const char *path)
{
	static const char *const precisions[] = { "addresses", "lines", "functions" };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct itv v = { .nr_images = 0 };

	err = fd < 0 ? -errno : itv_file_read(&v, fd, ITV_READ_ALL, MAX_INTERVAL);
	if (fd >= 0)
		close(fd);
	if (!err)
		err = itv_sum(&v);
	if (err)
		return report("read", path, err);
	printf("%s: %" PRIu64 " samples, %" PRIu32 " addresses, %" PRIu64 " paths, %" PRIu32
	       " nodes, %" PRIu64 " folded, by %s\n", path, v.accounting.samples, v.nr_cells,
	       v.accounting.paths, v.nr_nodes, v.accounting.folded,
	       precisions[v.accounting.precision]);
	itv_release(&v);
	return 0;
}

/* Parse an unsigned decimal number. Return false if @text is not a number. */
static bool number(uint64_t *ret, const char *text)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* Open and lock the store, which is the current directory. */
static int open_store(void)
{
	int dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = dir < 0 ? -errno : itv_store_lock(dir);

	if (!err)
		return dir;
	if (dir >= 0)
		close(dir);
	return err;
}

static int pack(const char *session, const char *max)
{
	struct itv_entry entry;
	uint64_t max_bytes;
	int dir, err;

	if (!number(&max_bytes, max))
		return usage(stderr);
	dir = open_store();
	err = dir < 0 ? dir : itv_work_pack(&entry, dir, session, max_bytes);
	if (err)
		return failed("pack", session, err);
	printf("%s\n", entry.name);
	return 0;
}

static int merge(const char *step, const char *max, char *const *names, size_t nr,
		 bool must_shrink)
{
	struct itv_entry result = { .begin = INT64_MAX, .end = INT64_MIN }, part;
	uint64_t max_bytes, step_number;
	int dir, err;

	if (!number(&step_number, step) || step_number >= ITV_NR_STEPS || !number(&max_bytes, max))
		return usage(stderr);
	for (size_t i = 0; i < nr; i++) {
		if (!itv_name_parse(&part, names[i]) || part.is_session ||
		    (i && part.kernel != result.kernel))
			return report("merge", names[i], -EINVAL);
		result.begin = part.begin < result.begin ? part.begin : result.begin;
		result.end = part.end > result.end ? part.end : result.end;
		result.kernel = part.kernel;
	}
	result.step = (unsigned int)step_number;
	dir = open_store();
	err = dir < 0 ? dir : itv_work_merge(&result, dir, (const char *const *)names, nr,
						max_bytes, must_shrink);
	if (err == -EALREADY)
		return ITV_EXIT_STUCK;
	if (err)
		return failed("merge", names[0], err);
	printf("%s\n", result.name);
	return 0;
}

static int tables(const char *max)
{
	uint64_t max_bytes;
	int dir, err;

	if (!number(&max_bytes, max))
		return usage(stderr);
	dir = open_store();
	err = dir < 0 ? dir : itv_tables_keep(dir, max_bytes);
	/* Ignore -ENOSPC: some tables exceed the limit and were skipped. */
	return err && err != -ENOSPC ? failed("keep", "symbol tables", err) : 0;
}

/* Run the command @argv[1] with the arguments after it. */
static int work(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "pack"))
		return pack(argv[2], argv[3]);
	if (argc >= 5 && !strcmp(argv[1], "merge"))
		return merge(argv[2], argv[3], argv + 4, (size_t)argc - 4, false);
	if (argc >= 5 && !strcmp(argv[1], "shrink"))
		return merge(argv[2], argv[3], argv + 4, (size_t)argc - 4, true);
	if (argc == 3 && !strcmp(argv[1], "tables"))
		return tables(argv[2]);
	return usage(argc == 2 && !strcmp(argv[1], "--help") ? stdout : stderr);
}

/* Run a command for the daemon with minimal rights. @room: "BYTES,PID". */
static int work_for_daemon(char *room, int argc, char **argv)
{
	const bool is_tables = !strcmp(argv[1], "tables");
	char *pid = strchr(room, ',');
	uint64_t bytes, daemon;
	int err;

	if (pid)
		*pid++ = '\0';
	if (!pid || !number(&bytes, room) || !number(&daemon, pid))
		return usage(stderr);
	/* Call this before itv_confine(): symbol tables are links into the user's cache, which this
	 * process cannot access after it has changed its root directory. */
	err = itv_work_prepare();
	if (!err)
		err = itv_confine(bytes, (pid_t)daemon, !is_tables);
	return err ? report("give up", "the rights of the daemon", err) : work(argc, argv);
}

int main(int argc, char **argv)
{
	op_process_prepare(NULL, OP_PROCESS_WORKS);
	odb_survive_lost_pages();
	if (argc == 3 && !strcmp(argv[1], "list"))
		return list(argv[2]);
	if (argc >= 3 && !strcmp(argv[1], "check")) {
		int failed = 0;

		for (int i = 2; i < argc; i++)
			failed |= check(argv[i]);
		return failed;
	}
	if (argc > 2 && !strncmp(argv[1], ROOM, strlen(ROOM)))
		return work_for_daemon(argv[1] + strlen(ROOM), argc - 1, argv + 1);
	return work(argc, argv);
}
