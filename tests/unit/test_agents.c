// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_agents.c -- tests the library of opagent.h, by which programs announce JIT code: reports
 * read the announced functions, and a hostile user cannot interfere.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agents/dump.h"
#include "agents/java_name.h"
#include "agents/opagent.h"
#include "pp/image/jit.h"

#define FILE_NAME	"a, b and \xc3\xa4.c"

static char dir[] = "/tmp/test_agents.XXXXXX";
static char elsewhere[64];

static const char *path_of(const char *in, pid_t pid)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", in, (int)pid);
	return path;
}

static struct pp_jit read_dump(const char *path)
{
	struct pp_jit jit = { 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	jit.data = malloc(st.st_size + 1);
	jit.size = st.st_size;
	assert_int_equal(read(fd, jit.data, jit.size), st.st_size);
	jit.data[jit.size] = '\0';
	close(fd);
	assert_int_equal(pp_jitdump_parse(&jit), 0);
	assert_int_equal(pp_jit_finish(&jit), 0);
	return jit;
}

static const char *code_name_at(const struct pp_jit *jit, uint64_t vma)
{
	uint32_t i = pp_symtab_lookup(&jit->symtab, vma);

	return i == PP_NO_SYMBOL ? "none" : jit->symtab.symbols[i].name;
}

static int remove_dumps(void **state)
{
	(void)state;
	unlink(path_of(dir, getpid()));
	unlink(path_of(elsewhere, getpid()));
	return 0;
}

static void reported_code_is_read_back(void **state)
{
	static const unsigned char code[] = { 0x90, 0x90, 0x90, 0xc3 };
	const struct debug_line_info lines[] = {
		{ 0x1000, 7, FILE_NAME }, { 0x1002, 8, FILE_NAME }, { 0x1003, 9, NULL }, { 0x1003, 10, "other.c" },
	};
	op_agent_t agent = op_open_agent(), second = op_open_agent();
	struct pp_frame frame;
	struct pp_jit jit;
	char bytes[8];

	(void)state;
	assert_non_null(agent);
	assert_non_null(second);
	assert_int_equal(op_write_native_code(agent, "first", 0x1000, code, sizeof(code)), 0);
	assert_int_equal(op_write_debug_line_info(agent, (void *)0x1000, 4, lines), 0);
	assert_int_equal(op_write_native_code(second, "no bytes", 0x2000, NULL, 0x100), 0);
	assert_int_equal(op_close_agent(second), 0);
	assert_int_equal(op_write_native_code(agent, "gone", 0x3000, code, 1), 0);
	assert_int_equal(op_unload_native_code(agent, 0x3000), 0);
	assert_int_equal(op_write_native_code(agent, "of no length", 0x4000, code, 0), 0);
	assert_int_equal(op_close_agent(agent), 0);

	jit = read_dump(path_of(dir, getpid()));
	assert_int_equal(jit.nr_codes, 3);
	assert_string_equal(code_name_at(&jit, 0x1003), "first");
	assert_string_equal(code_name_at(&jit, 0x1004), "none");
	assert_int_equal(pp_jit_code(&jit, 0x1001, bytes, sizeof(bytes)), 3);
	assert_memory_equal(bytes, code + 1, 3);
	assert_string_equal(code_name_at(&jit, 0x20ff), "no bytes");
	assert_int_equal(pp_jit_code(&jit, 0x2000, bytes, sizeof(bytes)), 0);
	assert_string_equal(code_name_at(&jit, 0x3000), "gone");
	assert_true(pp_jit_line(&jit, 0x1001, &frame));
	assert_string_equal(frame.file, FILE_NAME);
	assert_int_equal(frame.line, 7);
	assert_true(pp_jit_line(&jit, 0x1002, &frame));
	assert_int_equal(frame.line, 8);
	assert_true(pp_jit_line(&jit, 0x1003, &frame));
	assert_string_equal(frame.file, "other.c");
	assert_int_equal(frame.line, 10);
	pp_jit_close(&jit);
}

/* After new code has replaced older code, the line numbers of the older code must not apply to the
 * new code. */
static void old_lines_do_not_apply_to_replacing_code(void **state)
{
	const struct debug_line_info old = { 0x1000, 7, "old.c" }, young = { 0x2000, 8, "young.c" };
	op_agent_t agent = op_open_agent();
	struct pp_frame frame;
	struct pp_jit jit;

	(void)state;
	assert_int_equal(op_write_native_code(agent, "old", 0x1000, NULL, 16), 0);
	assert_int_equal(op_write_debug_line_info(agent, (void *)0x1000, 1, &old), 0);
	assert_int_equal(op_write_native_code(agent, "new", 0x1000, NULL, 16), 0);
	assert_int_equal(op_write_native_code(agent, "young", 0x2000, NULL, 16), 0);
	assert_int_equal(op_write_debug_line_info(agent, (void *)0x2000, 1, &young), 0);
	assert_int_equal(op_close_agent(agent), 0);
	jit = read_dump(path_of(dir, getpid()));
	assert_string_equal(code_name_at(&jit, 0x1000), "new");
	assert_false(pp_jit_line(&jit, 0x1000, &frame));
	assert_true(pp_jit_line(&jit, 0x2000, &frame));
	pp_jit_close(&jit);
}

static void invalid_calls_return_errors(void **state)
{
	const struct debug_line_info line = { 0x1000, 7, "x.c" };
	op_agent_t agent = op_open_agent();
	char other;

	(void)state;
	assert_int_equal(op_write_native_code(agent, NULL, 1, NULL, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(op_write_native_code(NULL, "x", 1, NULL, 1), -1);
	assert_int_equal(op_write_native_code(&other, "x", 1, NULL, 1), -1);
	assert_int_equal(op_write_debug_line_info(agent, NULL, 1, &line), -1);
	assert_int_equal(op_write_debug_line_info(agent, &other, 1, NULL), -1);
	assert_int_equal(op_write_debug_line_info(agent, &other, 0, NULL), 0);
	/* A record whose code bytes cannot be read is not written. */
	assert_int_equal(op_write_native_code(agent, "bytes nowhere", 1, (void *)8, 64), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(op_close_agent(NULL), -1);
	assert_int_equal(op_close_agent(agent), 0);
	errno = 0;
	assert_int_equal(op_close_agent(agent), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(op_write_native_code(agent, "closed", 1, NULL, 1), -1);
	assert_int_equal(op_unload_native_code(agent, 1), -1);
}

static void reopened_agent_keeps_earlier_records(void **state)
{
	struct pp_jit jit;

	(void)state;
	for (int i = 0; i < 3; i++) {
		op_agent_t agent = op_open_agent();

		assert_int_equal(op_write_native_code(agent, "again", 0x1000 * (i + 1), NULL, 16), 0);
		assert_int_equal(op_close_agent(agent), 0);
	}
	jit = read_dump(path_of(dir, getpid()));
	assert_int_equal(jit.nr_codes, 3);
	pp_jit_close(&jit);
}

/*
 * If a file with the agent's file name exists, the file of an ended process is replaced. A file
 * that an agent has open, or an object that is not a regular file, is kept.
 */
static void existing_file_is_replaced_only_when_unused(void **state)
{
	const char *path = path_of(dir, getpid());
	op_agent_t agent;
	struct pp_jit jit;
	struct stat st;
	int fd;

	(void)state;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "left", 4), 4);
	close(fd);
	agent = op_open_agent();
	assert_int_equal(op_write_native_code(agent, "mine", 0x1000, NULL, 16), 0);
	assert_int_equal(op_close_agent(agent), 0);
	jit = read_dump(path);
	assert_int_equal(jit.nr_codes, 1);
	pp_jit_close(&jit);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	unlink(path);

	/* The dump belongs to a running process, for example in a container that shares /tmp. */
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	agent = op_open_agent();
	assert_non_null(agent);
	assert_int_equal(op_write_native_code(agent, "elsewhere", 0x1000, NULL, 16), 0);
	assert_int_equal(op_close_agent(agent), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(st.st_nlink, 1);
	close(fd);
	unlink(path);
	jit = read_dump(path_of(elsewhere, getpid()));
	assert_string_equal(code_name_at(&jit, 0x1000), "elsewhere");
	pp_jit_close(&jit);
	remove_dumps(NULL);

	/* A symbolic link is not followed. */
	path = path_of(dir, getpid());
	assert_int_equal(symlink("target", path), 0);
	agent = op_open_agent();
	assert_non_null(agent);
	assert_int_equal(op_close_agent(agent), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	remove_dumps(NULL);
}

static void child_writes_to_its_own_file(void **state)
{
	op_agent_t agent = op_open_agent();
	struct pp_jit jit;
	pid_t pid;
	int status;

	(void)state;
	assert_int_equal(op_write_native_code(agent, "before", 0x1000, NULL, 16), 0);
	pid = fork();
	if (!pid)
		_exit(op_write_native_code(agent, "of the child", 0x2000, NULL, 16) ||
		      op_write_native_code(agent, "and more", 0x4000, NULL, 16));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(op_write_native_code(agent, "of the parent", 0x3000, NULL, 16), 0);
	assert_int_equal(op_close_agent(agent), 0);
	jit = read_dump(path_of(dir, getpid()));
	assert_int_equal(jit.nr_codes, 2);
	assert_string_equal(code_name_at(&jit, 0x3000), "of the parent");
	pp_jit_close(&jit);
	jit = read_dump(path_of(dir, pid));
	unlink(path_of(dir, pid));
	assert_int_equal(jit.nr_codes, 3);
	assert_string_equal(code_name_at(&jit, 0x1000), "before");
	assert_string_equal(code_name_at(&jit, 0x2000), "of the child");
	assert_int_equal(((uint32_t *)jit.data)[5], pid);
	pp_jit_close(&jit);
}

static volatile sig_atomic_t nr_signals;

static void count_signal(int sig)
{
	(void)sig;
	nr_signals++;
}

/*
 * On a full disk one record is missing, earlier and later records are complete, and the program
 * gets no signal.
 */
static void full_disk_loses_one_record(void **state)
{
	struct sigaction action = { .sa_handler = count_signal }, before;
	op_agent_t agent = op_open_agent();
	static char code[8192];
	struct rlimit old, small;
	struct pp_jit jit;

	(void)state;
	sigaction(SIGXFSZ, &action, &before);
	nr_signals = 0;
	assert_int_equal(op_write_native_code(agent, "first", 0x1000, code, 16), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 4096, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(op_write_native_code(agent, "large", 0x10000, code, sizeof(code)), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(op_write_native_code(agent, "small", 0x2000, code, 16), 0);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(op_close_agent(agent), 0);
	sigaction(SIGXFSZ, &before, NULL);
	assert_int_equal(nr_signals, 0);
	jit = read_dump(path_of(dir, getpid()));
	assert_int_equal(jit.nr_codes, 2);
	assert_string_equal(code_name_at(&jit, 0x2000), "small");
	assert_string_equal(code_name_at(&jit, 0x10000), "none");
	pp_jit_close(&jit);
}

/* Return the number of the agent's descriptor of the file, which its interface does not report. */
static int find_descriptor(const char *path)
{
	struct stat wanted, st;

	assert_int_equal(stat(path, &wanted), 0);
	for (int fd = 3; fd < 1024; fd++)
		if (!fstat(fd, &st) && st.st_dev == wanted.st_dev && st.st_ino == wanted.st_ino)
			return fd;
	return -1;
}

/*
 * If a program closes all descriptors, as daemons do, and opens its own file, the agent does not
 * write to this file.
 */
static void agent_does_not_write_to_reused_descriptor(void **state)
{
	static char bytes[4096], found[sizeof(bytes) + 1];
	op_agent_t agent = op_open_agent();
	FILE *own = tmpfile();
	struct pp_jit jit;
	int fd, status;
	pid_t pid;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	assert_int_equal(op_write_native_code(agent, "before", 0x1000, NULL, 16), 0);
	fd = find_descriptor(path_of(dir, getpid()));
	assert_true(fd >= 0);
	assert_int_equal(write(fileno(own), bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(dup2(fileno(own), fd), fd);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(op_write_native_code(agent, "of the child", 0x3000, NULL, 16) || fcntl(fd, F_GETFD));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(op_write_native_code(agent, "behind", 0x2000, NULL, 16), 0);
	assert_int_equal(op_close_agent(agent), 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(pread(fd, found, sizeof(found), 0), sizeof(bytes));
	assert_memory_equal(found, bytes, sizeof(bytes));
	close(fd);
	fclose(own);
	jit = read_dump(path_of(dir, pid));
	unlink(path_of(dir, pid));
	assert_string_equal(code_name_at(&jit, 0x1000), "before");
	assert_string_equal(code_name_at(&jit, 0x3000), "of the child");
	pp_jit_close(&jit);
	jit = read_dump(path_of(dir, getpid()));
	assert_string_equal(code_name_at(&jit, 0x1000), "before");
	assert_string_equal(code_name_at(&jit, 0x2000), "behind");
	pp_jit_close(&jit);
}

static op_agent_t of_handler;

static void report_code_in_handler(int sig)
{
	(void)sig;
	if (!op_write_native_code(of_handler, "in a handler", 0x2000, NULL, 16))
		nr_signals++;
}

/* A signal handler that reports code, or forks, does not deadlock with the call that it
 * interrupts. */
static void signal_handler_does_not_deadlock(void **state)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = report_code_in_handler, .sa_flags = SA_RESTART };
	struct sigaction before;
	struct pp_jit jit;

	(void)state;
	of_handler = op_open_agent();
	nr_signals = 0;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	while (nr_signals < 500)
		assert_int_equal(op_write_native_code(of_handler, "outside", 0x1000, NULL, 16), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_int_equal(op_close_agent(of_handler), 0);
	jit = read_dump(path_of(dir, getpid()));
	assert_string_equal(code_name_at(&jit, 0x1000), "outside");
	assert_string_equal(code_name_at(&jit, 0x2000), "in a handler");
	pp_jit_close(&jit);
}

#define NR_THREADS	8
#define NR_EACH		500

static void *report_many_codes(void *arg)
{
	uint64_t base = (uintptr_t)arg * 0x100000;
	op_agent_t agent = op_open_agent();
	char name[32];

	for (unsigned int i = 0; i < NR_EACH; i++) {
		const struct debug_line_info line = { base + i * 16, i + 1, "many.c" };

		snprintf(name, sizeof(name), "%llx", (unsigned long long)line.vma);
		if (op_write_native_code(agent, name, line.vma, name, 8) ||
		    op_write_debug_line_info(agent, (void *)(uintptr_t)line.vma, 1, &line))
			return NULL;
	}
	return op_close_agent(agent) ? NULL : arg;
}

static void concurrent_reports_are_all_read_back(void **state)
{
	pthread_t thread[NR_THREADS];
	struct pp_jit jit;

	(void)state;
	for (uintptr_t i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, report_many_codes,
						(void *)(i + 1)), 0);
	for (uintptr_t i = 0; i < NR_THREADS; i++) {
		void *result;

		pthread_join(thread[i], &result);
		assert_ptr_equal(result, (void *)(i + 1));
	}
	jit = read_dump(path_of(dir, getpid()));
	assert_int_equal(jit.nr_codes, NR_THREADS * NR_EACH);
	for (size_t i = 0; i < jit.nr_codes; i++) {
		char name[32];
		struct pp_frame frame;

		snprintf(name, sizeof(name), "%llx", (unsigned long long)jit.codes[i].start);
		assert_string_equal(jit.codes[i].name, name);
		assert_true(pp_jit_line(&jit, jit.codes[i].start, &frame));
		assert_int_equal(frame.line, (jit.codes[i].start & 0xfffff) / 16 + 1);
	}
	pp_jit_close(&jit);
}

/* A profiler finds the agent's file in any directory by the file's mapping. */
static void agent_file_is_mapped_for_profilers(void **state)
{
	op_agent_t agent = op_open_agent();
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int found = 0;

	(void)state;
	while (fgets(line, sizeof(line), maps))
		found += strstr(line, path_of(dir, getpid())) && strstr(line, " r-xp ");
	fclose(maps);
	assert_int_equal(found, 1);
	assert_int_equal(op_close_agent(agent), 0);
}

static void java_signatures_are_demangled(void **state)
{
	static const char *const names[][4] = {
		{ "Ljava/lang/String;", "indexOf", "(I[J)V", "java.lang.String.indexOf(int, long[])" },
		{ "LHot;", "main", "([Ljava/lang/String;)V", "Hot.main(java.lang.String[])" },
		{ "La/B$C;", "<init>", "()V", "a.B$C.<init>()" },
		{ "[[Z", "clone", "(BCDFSZ)Ljava/lang/Object;", "boolean[][].clone(byte, char, double, float, short, boolean)" },
		{ "nonsense", "m", "neither", "nonsense.mneither" },
		{ "Lunterminated", "m", "(Lx", "Lunterminated.m(Lx" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *name = opa_java_name(names[i][0], names[i][1], names[i][2]);

		assert_string_equal(name, names[i][3]);
		free(name);
	}
	for (size_t i = 0; i < 2; i++) {
		char *path = opa_java_source(i ? "LHot;" : "Ljava/lang/String;", i ? "Hot.java" : "String.java");

		assert_string_equal(path, i ? "Hot.java" : "java/lang/String.java");
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(reported_code_is_read_back, remove_dumps),
		cmocka_unit_test_teardown(old_lines_do_not_apply_to_replacing_code, remove_dumps),
		cmocka_unit_test_teardown(invalid_calls_return_errors, remove_dumps),
		cmocka_unit_test_teardown(reopened_agent_keeps_earlier_records, remove_dumps),
		cmocka_unit_test_teardown(existing_file_is_replaced_only_when_unused, remove_dumps),
		cmocka_unit_test_teardown(child_writes_to_its_own_file, remove_dumps),
		cmocka_unit_test_teardown(full_disk_loses_one_record, remove_dumps),
		cmocka_unit_test_teardown(agent_does_not_write_to_reused_descriptor, remove_dumps),
		cmocka_unit_test_teardown(signal_handler_does_not_deadlock, remove_dumps),
		cmocka_unit_test_teardown(concurrent_reports_are_all_read_back, remove_dumps),
		cmocka_unit_test_teardown(agent_file_is_mapped_for_profilers, remove_dumps),
		cmocka_unit_test(java_signatures_are_demangled),
	};
	int failed;

	assert_non_null(mkdtemp(dir));
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", dir);
	assert_int_equal(mkdir(elsewhere, 0700), 0);
	setenv("XDG_RUNTIME_DIR", elsewhere, 1);
	opa_dump_set_dir(dir);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(elsewhere);
	rmdir(dir);
	return failed;
}
