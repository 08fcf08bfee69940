// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi_rows.c -- prints unwind rows that libcfi computes from a file: a summary, a comparison, or
 * the rows in readelf's format.
 *
 * Usage: cfi_rows FILE...		prints for each file: numbers of rows and rules, bytes a
 * 				row, share of rows without a supported rule, ms
 *        cfi_rows --compare FILE...	also compares the table with cfi_row_at() at every address
 *        cfi_rows --dump FILE		prints rows as "FROM TO CFA FP RETURN", like
 * 				readelf --debug-dump=frames-interp
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libcfi/rule.h"
#include "libcfi/stubs.h"
#include "libcfi/table.h"

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

struct compare {
	const struct cfi_elf *elf;
	const struct oprofile_uw_table *table;
	const struct cfi_section *section;
	unsigned long rows, wrong;
};

static void report_difference(struct compare *compare, const char *what, __u64 at)
{
	if (compare->wrong++ < 10)
		printf("  %#llx: %s\n", at, what);
}

/*
 * Return whether the table's @rule equals the row's rule. They may differ only in the one function
 * whose compiler-made rows are wrong.
 */
static bool is_of(const struct compare *compare, const struct oprofile_uw_rule *rule, const struct cfi_row *row)
{
	__u64 offset, left;

	return cfi_same_rule(rule, &row->rule) ||
	       (rule->cfa == OPROFILE_UW_CFA_END && cfi_elf_code(compare->elf, row->from, &offset, &left) &&
		cfi_starts_context(compare->elf->data + offset, left));
}

/* Compare cfi_row_at() and the table at one address of a row of cfi_compile(). */
static void compare_at(struct compare *compare, const struct cfi_row *row, __u64 at)
{
	const struct oprofile_uw_rule *rule;
	struct cfi_row one;
	__u64 offset, left;

	if (cfi_row_at(compare->section, at, &one))
		report_difference(compare, "cfi_row_at() has no row", at);
	else if (one.from != row->from || one.to != row->to || !cfi_same_rule(&one.rule, &row->rule))
		report_difference(compare, "cfi_row_at() has another row", at);
	if (!cfi_elf_code(compare->elf, at, &offset, &left))
		return;
	rule = oprofile_uw_lookup(compare->table, offset);
	if (!rule)
		report_difference(compare, "the table has no row", at);
	else if (!is_of(compare, rule, row))
		report_difference(compare, "the table has another row", at);
}

static int compare_row(void *data, const struct cfi_row *row)
{
	struct compare *compare = data;

	compare->rows++;
	compare_at(compare, row, row->from);
	/*
	 * No other row may begin inside the range that cfi_row_at() returns, because the search of
	 * the table relies on this.
	 */
	compare_at(compare, row, row->to - 1);
	for (__u64 at = row->from; at < row->to && row->to - row->from <= 64; at++) {
		const struct oprofile_uw_rule *rule;
		__u64 offset, left;

		if (cfi_elf_code(compare->elf, at, &offset, &left)) {
			rule = oprofile_uw_lookup(compare->table, offset);
			if (!rule || !is_of(compare, rule, row))
				report_difference(compare, "the table has another row", at);
		}
	}
	return 0;
}

static const char *register_name(unsigned int machine, unsigned int number)
{
	static const char *const x86_64[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10",
					      "r11", "r12", "r13", "r14", "r15" };
	static const char *const i386[] = { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi" };
	static char name[8];

	if (machine == OPROFILE_UW_X86_64 && number < 16)
		return x86_64[number];
	if (machine == OPROFILE_UW_I386 && number < 8)
		return i386[number];
	snprintf(name, sizeof(name), number == 31 ? "sp" : "x%u", number);
	return name;
}

static void dump_saved(unsigned int kind, int offset, const struct cfi_numbers *numbers)
{
	switch (kind) {
	case OPROFILE_UW_SAME: printf(" u"); break;
	case OPROFILE_UW_AT_CFA: printf(" c%+d", offset * numbers->word); break;
	case OPROFILE_UW_RETURN: printf(" r%d", offset); break;
	default: printf(" exp"); break;
	}
}

static int dump_row(void *data, const struct cfi_row *row)
{
	const struct cfi_section *section = data;
	const struct cfi_numbers *numbers = cfi_numbers(section->machine);
	const struct oprofile_uw_rule *rule = &row->rule;

	printf("%llx %llx ", row->from, row->to);
	switch (rule->cfa) {
	case OPROFILE_UW_CFA_END: printf("end\n"); return 0;
	case OPROFILE_UW_CFA_UNSUPPORTED: printf("unsupported\n"); return 0;
	case OPROFILE_UW_CFA_SIGNAL: printf("signal%+d\n", rule->cfa_offset); return 0;
	case OPROFILE_UW_CFA_SP: printf("%s%+d", register_name(section->machine, numbers->sp), rule->cfa_offset); break;
	case OPROFILE_UW_CFA_FP: printf("%s%+d", register_name(section->machine, numbers->fp), rule->cfa_offset); break;
	case OPROFILE_UW_CFA_REGISTER:
		printf("%s%+d", register_name(section->machine, rule->cfa_register), rule->cfa_offset);
		break;
	default: printf("exp");
	}
	dump_saved(rule->saved & 15, rule->fp_offset, numbers);
	if (section->machine != OPROFILE_UW_AARCH64 && rule->saved >> 4 != OPROFILE_UW_RETURN)
		printf(" c-%d\n", numbers->word);
	else {
		dump_saved(rule->saved >> 4, rule->other_offset, numbers);
		putchar('\n');
	}
	return 0;
}

static bool figures(const char *name, const struct cfi_elf *elf, int compare)
{
	__u64 room = cfi_table_room(elf), size;
	struct cfi_section section;
	struct compare all = { .elf = elf, .section = &section };
	struct oprofile_uw_table *table;
	double before = cpu_ms(), took;
	__u32 unsupported;
	int err;

	table = mmap(NULL, room ? room : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED) {
		perror(name);
		return true;
	}
	err = cfi_table_make(elf, table, room, &unsupported);
	took = cpu_ms() - before;
	if (err) {
		printf("%s: %s\n", name, strerror(-err));
		return true;
	}
	size = oprofile_uw_table_size(table);
	printf("%s rows %u rules %u bytes/row %.2f unsupported %u (%.4f %%) KB %llu ms %.1f\n", name, table->nr_rows,
	       table->nr_rules, (double)size / table->nr_rows, unsupported, 100.0 * unsupported / table->nr_rows,
	       size / 1024, took);
	if (compare && !cfi_elf_frames(elf, CFI_EH_FRAME, &section)) {
		all.table = table;
		cfi_compile(&section, compare_row, &all);
		printf("%s: %lu rows compared, %lu differ\n", name, all.rows, all.wrong);
	}
	munmap(table, room);
	return all.wrong != 0;
}

static int one_file(const char *name, const char *what)
{
	int fd = open(name, O_RDONLY), err, status;
	struct cfi_section section;
	struct cfi_elf elf;
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st)) {
		perror(name);
		return 1;
	}
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED) {
		perror(name);
		return 1;
	}
	err = cfi_elf_open(&elf, data, st.st_size);
	if (err) {
		fprintf(stderr, "%s: %s\n", name, strerror(-err));
		status = 1;
	} else if (!strcmp(what, "--dump")) {
		status = cfi_elf_frames(&elf, CFI_EH_FRAME, &section) ||
			 cfi_compile(&section, dump_row, &section);
	} else {
		status = figures(name, &elf, !strcmp(what, "--compare"));
	}
	munmap(data, st.st_size);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = "";
	int status = 0, i = 1;

	if (argc > 1 && argv[1][0] == '-')
		what = argv[i++];
	if (i >= argc || (*what && strcmp(what, "--compare") && strcmp(what, "--dump"))) {
		fprintf(stderr, "Usage: cfi_rows [--compare|--dump] FILE...\n");
		return 2;
	}
	for (; i < argc; i++)
		status |= one_file(argv[i], what);
	return status;
}
