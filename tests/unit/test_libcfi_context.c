// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libcfi_context.c -- tests the return address of functions started by makecontext() in the
 * installed C library: its unwind rows are wrong on x86_64, and paths must end there.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>

#include "libcfi/table.h"

static void coroutine(void)
{
}

/*
 * Return the address to which a function started by makecontext() returns, or 0 if the address is
 * unknown for this C library.
 */
static uint64_t returns_to(void)
{
	static char stack[16384];
	uint64_t address = 0;
	ucontext_t context;

	assert_int_equal(getcontext(&context), 0);
	context.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) };
	context.uc_link = NULL;
	makecontext(&context, coroutine, 0);
#if defined(__x86_64__) && defined(__GLIBC__)
	memcpy(&address, (void *)context.uc_mcontext.gregs[REG_RSP], 8);
#elif defined(__aarch64__) && defined(__GLIBC__)
	address = context.uc_mcontext.regs[30];
#endif
	return address;
}

static void makecontext_return_address_ends_path(void **state)
{
	const struct oprofile_uw_rule *rule;
	struct oprofile_uw_table *table;
	uint64_t address = returns_to(), room;
	__u64 offset, left;
	struct cfi_elf elf;
	struct stat st;
	void *bytes;
	Dl_info info;
	int fd;

	(void)state;
	if (!address || !dladdr((void *)(uintptr_t)address, &info))
		skip();
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(bytes != MAP_FAILED);
	close(fd);
	assert_int_equal(cfi_elf_open(&elf, bytes, st.st_size), 0);
	room = cfi_table_room(&elf);
	table = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(table != MAP_FAILED);
	assert_int_equal(cfi_table_make(&elf, table, room, NULL), 0);
	assert_true(cfi_elf_code(&elf, address - (uintptr_t)info.dli_fbase, &offset, &left));
	rule = oprofile_uw_lookup(table, offset);
	assert_non_null(rule);
	assert_int_equal(rule->cfa, OPROFILE_UW_CFA_END);
	munmap(table, room);
	munmap(bytes, st.st_size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makecontext_return_address_ends_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
