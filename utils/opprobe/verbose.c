// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verbose.c -- prints messages about a run, which the options -v and -D select.
 */
#include "config.h"
#include "utils/opprobe/verbose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"

struct bit {
	const char *name, *what;
};

/* Names of the bits of -v, from the lowest bit on. */
static const struct bit users[] = {
	{ "files", "each file that the run has made, and how large it is" },
	{ "recovered", "the files that were made from those of killed processes" },
	{ "time", "elapsed and CPU time of the command and of the children that it waited for" },
	{ NULL, NULL },
};
static const struct bit developers[] = {
	{ "words", "the variables that the command gets" },
	{ "signals", "signals that are forwarded" },
	{ "end", "how the command ended, as wait(2) has it" },
	{ NULL, NULL },
};

static const struct bit *bits_of(bool for_developers)
{
	return for_developers ? developers : users;
}

static uint32_t bit_of(const struct bit *bits, const char *name, size_t len)
{
	for (uint32_t i = 0; bits[i].name; i++)
		if (!strncmp(bits[i].name, name, len) && !bits[i].name[len])
			return 1u << i;
	return 0;
}

int probe_verbose_mask(uint32_t *ret, const char *text, bool for_developers)
{
	const struct bit *bits = bits_of(for_developers);
	uint32_t all = 0, mask = 0;
	unsigned long n;
	char *end;

	while (bits[0].name && bits[__builtin_popcount(all)].name)
		all = 2 * all + 1;
	errno = 0;
	n = strtoul(text, &end, 0);
	if (*text >= '0' && *text <= '9') {
		if (*end || errno || n > all)
			return -EINVAL;
		*ret = n;
		return 0;
	}
	for (const char *at = text; ; at++) {
		size_t len = strcspn(at, ",");
		uint32_t bit = bit_of(bits, at, len);

		if (!bit)
			return -EINVAL;
		mask |= bit;
		at += len;
		if (!*at)
			break;
	}
	*ret = mask;
	return 0;
}

void probe_verbose_list(FILE *to, bool for_developers)
{
	const struct bit *bits = bits_of(for_developers);

	for (uint32_t i = 0; bits[i].name; i++)
		fprintf(to, "%-4u %-10s %s\n", 1u << i, bits[i].name, bits[i].what);
}

static const struct probe_file *find(const struct probe_files *files, const char *name)
{
	for (size_t i = 0; i < files->nr; i++)
		if (!strcmp(files->files[i].name, name))
			return &files->files[i];
	return NULL;
}

static void print_file(const char *dir, const char *name)
{
	struct stat st;
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return;
	if (!lstat(path, &st))
		op_clean_printf(stderr, "opprobe: %s: %lld bytes\n", path, (long long)st.st_size);
	free(path);
}

void probe_print_files(const char *dir, const struct probe_files *before)
{
	struct op_reason error = { "" };
	struct probe_files after;

	if (probe_files_list(&after, dir, &error))
		op_clean_printf(stderr, "opprobe: %s\n", error.text);
	for (size_t i = 0; i < after.nr; i++) {
		const struct probe_file *old = find(before, after.files[i].name);

		if (!old || old->written_ns != after.files[i].written_ns)
			print_file(dir, after.files[i].name);
	}
	probe_files_release(&after);
}

void probe_print_time(uint64_t start_ns)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	fprintf(stderr,
		"opprobe: %.3f s elapsed, %lld.%06ld s in user mode, %lld.%06ld s in the kernel\n",
		(op_now_ns() - start_ns) / 1e9, (long long)usage.ru_utime.tv_sec,
		(long)usage.ru_utime.tv_usec, (long long)usage.ru_stime.tv_sec,
		(long)usage.ru_stime.tv_usec);
}
