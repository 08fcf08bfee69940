// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bad_tables.c -- passes damaged unwind tables to the module for the files of a program that is
 * being sampled. The module must refuse each table for the same reason as the same check in this
 * program. The module walks the program's stacks with the remaining tables.
 *
 * usage: bad_tables TURNS SEED PROGRAM ARG...
 *   prints "refused N taken N", and fails if the module and the check disagree.
 */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcfi/table.h"
#include "module/uapi/oprofile.h"
#include "tests/kernel/fs_files.h"
#include "tests/kernel/give_table.h"

static int buffer;
static unsigned long words[1 << 20];

static struct oprofile_uw_table *make(const char *path, size_t *size)
{
	struct oprofile_uw_table *table;
	const unsigned char *data;
	struct cfi_elf elf;

	data = map_file(path, size);
	if (!data || cfi_elf_open(&elf, data, *size))
		err(1, "%s", path);
	table = mmap(NULL, cfi_table_room(&elf), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED || cfi_table_make(&elf, table, cfi_table_room(&elf), NULL))
		errx(1, "%s: no table", path);
	*size = oprofile_uw_table_size(table);
	return table;
}

/* Change the table's rules to other valid rules, which lead unwinding to wrong frames. */
static void mislead(struct oprofile_uw_table *table)
{
	struct oprofile_uw_rule *rules = (struct oprofile_uw_rule *)oprofile_uw_rules(table);

	for (__u32 i = random() % 5; i < table->nr_rules; i += 1 + random() % 5)
		rules[i] = (struct oprofile_uw_rule){
			.cfa = random() % OPROFILE_UW_NR_CFA, .cfa_register = random() % 16, .cfa_add = random(),
			.saved = random() % 5 | random() % 5 << 4, .fp_offset = random() % 2 ? random() : -16,
			.other_offset = random(), .cfa_offset = random() % 3 ? 8 * (random() % 40) : random() * 2,
		};
}

static void damage(struct oprofile_uw_table *table, size_t size)
{
	size_t from = random() % 2 ? 0 : sizeof(*table), behind = from ? size : sizeof(*table);

	if (random() % 2) {
		mislead(table);
		return;
	}
	for (int i = 1 + random() % 40; i > 0; i--)
		((unsigned char *)table)[from + random() % (behind - from)] = random() >> 8;
}

static void refused(int cmd, struct oprofile_unwind_table t, int expected, const char *what)
{
	if (!ioctl(buffer, cmd, &t) || errno != expected)
		errx(1, "%s: not refused with \"%s\"", what, strerror(expected));
}

static void nonsense(const char *program)
{
	static char page[4096] __attribute__((aligned(8)));
	int fd = open(program, O_RDONLY);

	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = -1, .size = 4096 }, EBADF, "no file");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .cookie = 1UL << 60, .size = 4096 }, ENOENT, "no such cookie");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = 4096, .flags = 3 }, EINVAL, "flags");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd }, EINVAL, "none, and no reason");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .end = OPROFILE_UW_WHOLE }, EINVAL, "none, and whole");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = 4096, .end = OPROFILE_UW_NO_ROW },
		EINVAL, "a table, and why there is none");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = ~0ULL }, E2BIG, "all there is");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = 1UL << 40 }, E2BIG, "a terabyte");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = 4096 }, EFAULT, "from nowhere");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = 4096, .table = ~0ULL << 47 },
		EFAULT, "from the kernel");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = 1, .table = (uintptr_t)page },
		EINVAL, "one byte");
	refused(OPROFILE_IOC_TABLE, (struct oprofile_unwind_table){ .fd = fd, .size = 4096, .table = (uintptr_t)page },
		EINVAL, "zeros");
	close(fd);
}

static void handed_over(int fd, const struct oprofile_uw_table *table, int expected, unsigned int fault)
{
	struct oprofile_unwind_table t = { .fd = fd, .size = oprofile_uw_table_size(table), .table = (uintptr_t)table };
	int got = ioctl(buffer, OPROFILE_IOC_TABLE, &t) ? errno : 0;

	if (got != expected || t.fault != fault)
		errx(1, "largest table: error %d, fault %u, instead of %d, %u", got, t.fault, expected, fault);
}

/*
 * Pass tables with the maximum number of rows and rules: one is refused for its size, one for an
 * error at its end, and one is accepted.
 */
static void largest(const char *program)
{
	const struct oprofile_uw_table head = {
		.magic = OPROFILE_UW_MAGIC, .version = OPROFILE_UW_VERSION, .machine = OPROFILE_UW_X86_64,
		.bucket_shift = 16, .length = OPROFILE_UW_MAX_ROWS, .nr_buckets = OPROFILE_UW_MAX_ROWS >> 16,
		.nr_rows = OPROFILE_UW_MAX_ROWS, .nr_rules = OPROFILE_UW_MAX_RULES,
	};
	size_t size = oprofile_uw_table_size(&head);
	struct oprofile_uw_table *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct oprofile_uw_rule *rules;
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	__u32 *buckets, *rows;

	if (table == MAP_FAILED || fd < 0)
		err(1, "largest table");
	*table = head;
	buckets = (__u32 *)oprofile_uw_buckets(table);
	rows = (__u32 *)oprofile_uw_rows(table);
	rules = (struct oprofile_uw_rule *)oprofile_uw_rules(table);
	for (__u32 i = 0; i <= head.nr_buckets; i++)
		buckets[i] = i << 16;
	for (__u32 i = 0; i < head.nr_rows; i++)
		rows[i] = i << 16 | (i & 0xffff);
	handed_over(fd, table, E2BIG, OPROFILE_UW_SOUND);
	put("unwind_tables_max", "268435456");
	rules[head.nr_rules - 1].cfa = OPROFILE_UW_NR_CFA;
	handed_over(fd, table, EINVAL, OPROFILE_UW_FAULT_RULES);
	rules[head.nr_rules - 1].cfa = 0;
	rows[head.nr_rows - 1] = 0;
	handed_over(fd, table, EINVAL, OPROFILE_UW_FAULT_ROWS);
	rows[head.nr_rows - 1] = rows[0xffff];
	handed_over(fd, table, 0, OPROFILE_UW_SOUND);
	if (get("paths/table_bytes") < size)
		errx(1, "the largest table was not kept");
	put("unwind_tables_max", "67108864");
	munmap(table, size);
	close(fd);
}

static pid_t run(char **argv)
{
	pid_t child = fork();

	if (child)
		return child;
	execv(argv[0], argv);
	err(127, "%s", argv[0]);
}

#ifdef __aarch64__
static const char libc[] = "/lib/aarch64-linux-gnu/libc.so.6";
#else
static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";
#endif

int main(int argc, char **argv)
{
	unsigned long refused_by[16] = { 0 }, taken = 0, all = 0;
	struct oprofile_uw_table *sound[2], *table;
	const char *files[2];
	size_t sizes[2];
	pid_t child;

	if (argc < 4)
		errx(2, "usage: bad_tables TURNS SEED PROGRAM ARG...");
	files[0] = argv[3];
	files[1] = libc;
	srandom(atoi(argv[2]));
	buffer = open(FS "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (buffer < 0)
		err(1, FS "buffer");
	nonsense(argv[3]);
	largest(argv[3]);
	for (int i = 0; i < 2; i++)
		sound[i] = make(files[i], &sizes[i]);
	table = malloc(sizes[0] + sizes[1]);
	if (!table)
		err(1, "malloc");
	put("callgraph", "128");
	put("enable", "1");
	child = run(argv + 3);
	for (int turns = atoi(argv[1]); turns > 0; turns--) {
		const char *file = files[turns % 2];
		size_t size = sizes[turns % 2];
		struct oprofile_unwind_table t = {
			.fd = open(file, O_RDONLY | O_CLOEXEC), .size = size, .table = (uintptr_t)table,
		};
		unsigned int fault;
		int got;

		memcpy(table, sound[turns % 2], size);
		damage(table, size);
		fault = oprofile_uw_check(table, size);
		got = ioctl(buffer, OPROFILE_IOC_TABLE, &t) ? errno : 0;
		if (got != (fault ? EINVAL : 0) || t.fault != fault)
			errx(1, "damaged table: check says %u, the module %u (error %d)", fault, t.fault, got);
		refused_by[fault]++;
		taken += !fault;
		all++;
		close(t.fd);
		while (read(buffer, words, sizeof(words)) > 0)
			;
		usleep(10000);
	}
	put("enable", "0");
	put("callgraph", "0");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (int i = 1; i < 16; i++)
		if (refused_by[i])
			printf("fault %d: %lu\n", i, refused_by[i]);
	printf("refused %lu taken %lu\n", all - taken, taken);
	return 0;
}
