// SPDX-License-Identifier: GPL-2.0-or-later
/* jit.c -- finds the files about code made at run time, and merges the entries of several files. */
#include "config.h"
#include "pp/image/jit.h"

#include <byteswap.h>
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/image/swapped.h"

/* maximum size, in bytes, of a file about generated code; a jitdump contains all code that a
 * process ever generated */
#define MAX_FILE	(512u << 20)
#define MAX_CODES	(8u << 20)
#define MAX_LINES	(32u << 20)
/* maximum size, in bytes, that is assumed for a function without a size */
#define MAX_UNSIZED	(64u << 10)
#define MAX_GENERATIONS	16
#define MAX_BORN	4096 /* maximum size of a file that lists a process's ancestors, in bytes */

int pp_jit_add_code(struct pp_jit *jit, const struct pp_jit_code *code)
{
	if (jit->nr_codes >= MAX_CODES || op_grow(&jit->codes, jit->nr_codes))
		return -ENOMEM;
	jit->codes[jit->nr_codes] = *code;
	jit->codes[jit->nr_codes].order = jit->nr_codes;
	jit->nr_codes++;
	return 0;
}

int pp_jit_add_line(struct pp_jit *jit, const struct pp_jit_line *line)
{
	if (jit->nr_lines >= MAX_LINES || op_grow(&jit->lines, jit->nr_lines))
		return -ENOMEM;
	jit->lines[jit->nr_lines++] = *line;
	return 0;
}

static int compare_codes(const void *a, const void *b)
{
	const struct pp_jit_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Compare lines by address. If addresses are equal, compare positions in the file, because the last
 * line for an address is used. The position is the address of the array element. qsort() of large
 * arrays may not be stable. */
static int compare_lines(const void *a, const void *b)
{
	const struct pp_jit_line *x = *(const struct pp_jit_line *const *)a,
				 *y = *(const struct pp_jit_line *const *)b;

	if (x->vma != y->vma)
		return x->vma < y->vma ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Some programs do not write the sizes of functions. Extend a function without a size to the start
 * of the next function, as perf does. @codes, the functions, is sorted by address. */
static void end_unsized(struct pp_jit_code *codes, size_t nr)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = nr; i-- > 0; ) {
		struct pp_jit_code *c = &codes[i];

		if (i + 1 < nr && codes[i + 1].start > c->start)
			next = codes[i + 1].start;
		if (c->end == c->start)
			c->end = next - c->start < MAX_UNSIZED ? next : c->start + MAX_UNSIZED;
	}
}

/* If functions overlap, remove the older function, because its memory was reused. Also remove a
 * function without a size at the last address, which end_unsized() cannot extend. */
static void drop_replaced(struct pp_jit *jit)
{
	struct pp_jit_code *codes = jit->codes;
	size_t kept = 0;

	for (size_t i = 0; i < jit->nr_codes; i++) {
		bool is_replaced = codes[i].end == codes[i].start;

		while (kept && codes[kept - 1].end > codes[i].start && !is_replaced) {
			is_replaced = codes[kept - 1].order > codes[i].order;
			kept -= !is_replaced;
		}
		if (!is_replaced)
			codes[kept++] = codes[i];
	}
	jit->nr_codes = kept;
}

static int sort_lines(struct pp_jit *jit)
{
	const struct pp_jit_line **order;
	struct pp_jit_line *lines;
	size_t nr = 0;

	if (!jit->nr_lines)
		return 0;
	order = malloc(jit->nr_lines * sizeof(*order));
	lines = malloc(jit->nr_lines * sizeof(*lines));
	if (!order || !lines) {
		free(order);
		free(lines);
		return -ENOMEM;
	}
	for (size_t i = 0; i < jit->nr_lines; i++)
		order[i] = &jit->lines[i];
	qsort(order, jit->nr_lines, sizeof(*order), compare_lines);
	for (size_t i = 0; i < jit->nr_lines; i++) {
		if (nr && lines[nr - 1].vma == order[i]->vma)
			nr--;
		lines[nr++] = *order[i];
	}
	free(order);
	free(jit->lines);
	jit->lines = lines;
	jit->nr_lines = nr;
	return 0;
}

static const struct pp_jit_code *code_at(const struct pp_jit *jit, uint64_t vma)
{
	uint32_t i = pp_symtab_lookup(&jit->symtab, vma);

	return i == PP_NO_SYMBOL ? NULL : &jit->codes[i];
}

/* Remove the source lines of replaced functions. */
static void drop_replaced_lines(struct pp_jit *jit)
{
	size_t kept = 0;

	for (size_t i = 0; i < jit->nr_lines; i++) {
		const struct pp_jit_code *code = code_at(jit, jit->lines[i].vma);

		if (code && jit->lines[i].order >= code->order)
			jit->lines[kept++] = jit->lines[i];
	}
	jit->nr_lines = kept;
}

int pp_jit_finish(struct pp_jit *jit)
{
	struct pp_symbol *symbols;
	int err;

	if (jit->nr_codes)
		qsort(jit->codes, jit->nr_codes, sizeof(*jit->codes), compare_codes);
	end_unsized(jit->codes, jit->nr_codes);
	drop_replaced(jit);
	err = sort_lines(jit);
	if (err)
		return err;
	symbols = malloc((jit->nr_codes + 1) * sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < jit->nr_codes; i++)
		symbols[i] = (struct pp_symbol){
			.start = jit->codes[i].start,
			.end = jit->codes[i].end,
			.limit = jit->codes[i].end,
			.name = jit->codes[i].name,
		};
	err = pp_symtab_make_sorted(&jit->symtab, symbols, jit->nr_codes);
	if (err)
		free(symbols);
	else
		drop_replaced_lines(jit);
	return err;
}

/* Read a file of at most @limit bytes. @own: accept only a file that belongs to the calling user or
 * to root. Return -ENOENT if the file does not exist or may not be read. */
static int read_file(const char *path, bool own, uint64_t limit, char **ret, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
	    err = -ENOENT;
	size_t size, done = 0;
	struct stat st;
	char *data;

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE ||
	    (own && st.st_uid != geteuid() && st.st_uid != 0))
		goto close_fd;
	size = (uint64_t)st.st_size < limit ? (size_t)st.st_size : (size_t)limit;
	data = malloc(size + 1);
	if (!data) {
		err = -ENOMEM;
		goto close_fd;
	}
	while (done < size) {
		ssize_t n = read(fd, data + done, size - done);

		if (n <= 0)
			/* the file was truncated after fstat(): use the bytes that were read */
			break;
		done += n;
	}
	data[done] = '\0';
	*ret = data;
	*ret_size = done;
	err = 0;
close_fd:
	close(fd);
	return err;
}

/* Add the functions in a file. They replace overlapping functions from files that were added
 * before. Free or store @path. */
static int add_file(struct pp_jit *jit, char *path, bool own, uint64_t limit,
		    int (*parse)(struct pp_jit *jit), struct pp_log *log)
{
	size_t nr_codes = jit->nr_codes, nr_lines = jit->nr_lines;
	char *data = NULL;
	size_t size = 0;
	int err = path ? 0 : -ENOMEM;

	if (!err && jit->data && op_grow(&jit->older, jit->nr_older))
		err = -ENOMEM;
	if (!err)
		err = read_file(path, own, limit, &data, &size);
	if (err) {
		free(path);
		return err;
	}
	if (jit->data)
		jit->older[jit->nr_older++] = jit->data;
	jit->data = data;
	jit->size = size;
	err = parse(jit);
	if (err == -EINVAL) {
		pp_warn(log, "cannot use %s: it is damaged, or its format does not fit its name",
			path);
		jit->nr_codes = nr_codes;
		jit->nr_lines = nr_lines;
		err = -ENOENT;
	}
	if (err) {
		free(path);
		return err;
	}
	free(jit->path);
	jit->path = path;
	return 0;
}

static char *name_file(const char *dir, const char *what, const char *pid, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s/%s%s.%s", dir, what, pid, suffix) < 0 ? NULL : path;
}

/* Add the functions that one process generated while it ran one program: from its jitdump, else
 * from the dump of an OProfile 1.x agent, else from its map. @name: file name without suffix.
 * @map_size: number of bytes of the map to read. */
static int add_kept(struct pp_jit *jit, const char *dir, const char *name, uint64_t map_size,
		    struct pp_log *log)
{
	int err = add_file(jit, name_file(dir, "jit/", name, "dump"), 0, UINT64_MAX,
			   pp_jitdump_parse, log);

	if (err == -ENOENT)
		err = add_file(jit, name_file(dir, "jit/", name, "agent"), 0, UINT64_MAX,
			       pp_agent_dump_parse, log);
	if (err == -ENOENT)
		err = add_file(jit, name_file(dir, "jit/", name, "map"), 0, map_size,
			       pp_perf_map_parse, log);
	return err;
}

/* Write the beginning of the file names of process @pid: "PID", or "PID.PROGRAM". */
static void name_program(char name[32], int pid, unsigned int program)
{
	if (program)
		snprintf(name, 32, "%d.%u", pid, program);
	else
		snprintf(name, 32, "%d", pid);
}

/* Add the functions that a process inherited from its ancestors by fork. The ancestors' files
 * describe these functions, up to the size that the files had at the fork. jit/NAME.born lists the
 * ancestors, the parent first, with a line "PID BYTES PROGRAM" each. */
static int add_ancestors(struct pp_jit *jit, const char *dir, const char *process,
			 struct pp_log *log)
{
	struct { int pid; long long size; unsigned int program; } line[MAX_GENERATIONS];
	char *path = name_file(dir, "jit/", process, "born"), *text = NULL, *at, *rest;
	size_t size, nr = 0;
	int err = path ? read_file(path, 0, MAX_BORN, &text, &size) : -ENOMEM;

	free(path);
	if (err)
		return err == -ENOENT ? 0 : err;
	for (at = strtok_r(text, "\n", &rest); at && nr < MAX_GENERATIONS;
	     at = strtok_r(NULL, "\n", &rest)) {
		line[nr].program = 0;
		if (sscanf(at, "%d %lld %u", &line[nr].pid, &line[nr].size, &line[nr].program) < 2)
			break;
		nr++;
	}
	free(text);
	while (nr-- > 0 && (!err || err == -ENOENT)) {
		char name[32];

		name_program(name, line[nr].pid, line[nr].program);
		err = add_kept(jit, dir, name,
			       line[nr].size < 0 ? UINT64_MAX : (uint64_t)line[nr].size, log);
	}
	return err == -ENOENT ? 0 : err;
}

/* Add the functions in the files of @pid and @program in a session, or beside a program's own file.
 * Add the files of the process's ancestors first. */
static int add_session(struct pp_jit *jit, const char *dir, pid_t pid, unsigned int program,
		       struct pp_log *log)
{
	char name[32];
	int err;

	name_program(name, (int)pid, program);
	err = add_ancestors(jit, dir, name, log);
	if (!err)
		err = add_kept(jit, dir, name, UINT64_MAX, log);
	return err == -ENOENT && jit->path ? 0 : err;
}

static int add_from_tmp(struct pp_jit *jit, pid_t pid, struct pp_log *log)
{
	char name[16];
	int err;

	snprintf(name, sizeof(name), "%d", (int)pid);
	err = add_file(jit, name_file("/tmp", "jit-", name, "dump"), 1, UINT64_MAX,
		       pp_jitdump_parse, log);
	if (err == -ENOENT)
		err = add_file(jit, name_file("/tmp", ".oprofile/jitdump/", name, "dump"), 1,
			       UINT64_MAX, pp_agent_dump_parse, log);
	if (err == -ENOENT)
		err = add_file(jit, name_file("/tmp", "perf-", name, "map"), 1, UINT64_MAX,
			       pp_perf_map_parse, log);
	return err;
}

int pp_jit_open(struct pp_jit *ret, const struct pp_jit_places *places, pid_t pid,
		unsigned int program, struct pp_log *log)
{
	struct pp_jit jit = { 0 };
	int err = -ENOENT;

	for (size_t i = 0; i < places->nr_samples_dirs && err == -ENOENT; i++)
		err = add_session(&jit, places->samples_dirs[i], pid, program, log);
	if (err == -ENOENT && places->with_tmp)
		err = add_from_tmp(&jit, pid, log);
	if (!err)
		err = pp_jit_finish(&jit);
	if (err)
		pp_jit_close(&jit);
	else
		*ret = jit;
	return err;
}

void pp_jit_close(struct pp_jit *jit)
{
	pp_symtab_release(&jit->symtab);
	free(jit->codes);
	free(jit->lines);
	while (jit->nr_older)
		free(jit->older[--jit->nr_older]);
	free(jit->older);
	free(jit->data);
	free(jit->path);
	*jit = (struct pp_jit){ 0 };
}

bool pp_jit_line(const struct pp_jit *jit, uint64_t vma, struct pp_frame *ret)
{
	const struct pp_jit_code *code = code_at(jit, vma);
	size_t above = op_partition_point(i, jit->nr_lines, jit->lines[i].vma <= vma);

	/* No source line of the function at @vma begins at or before @vma. */
	if (!above || !code || jit->lines[above - 1].vma < code->start)
		return false;
	*ret = (struct pp_frame){
		.file = jit->lines[above - 1].file,
		.line = jit->lines[above - 1].line,
	};
	return true;
}

size_t pp_jit_code(const struct pp_jit *jit, uint64_t vma, void *buf, size_t size)
{
	const struct pp_jit_code *code = code_at(jit, vma);

	if (!code || !code->bytes)
		return 0;
	if (size > code->end - vma)
		size = code->end - vma;
	memcpy(buf, code->bytes + (vma - code->start), size);
	return size;
}

/* Parser for lines "START SIZE NAME" with hexadecimal numbers, separated by blanks or tabs. */

#define MAX_CODE	(1ull << 30)	/* maximum size of one function, in bytes */

static int parse_hex(char **p, uint64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)**p))
		return -EINVAL;
	errno = 0;
	*ret = strtoull(*p, &end, 16);
	if (errno || (*end != ' ' && *end != '\t'))
		return -EINVAL;
	*p = end + strspn(end, " \t");
	return 0;
}

/* Add the function that one line of a perf-PID.map describes. @line is NUL-terminated. Return 0 or
 * a negative errno. */
static int parse_line(struct pp_jit *jit, char *line)
{
	struct pp_jit_code code = { 0 };
	uint64_t size;

	line += strspn(line, " \t");
	if (parse_hex(&line, &code.start) || parse_hex(&line, &size) || !*line || size > MAX_CODE ||
	    code.start > UINT64_MAX - size)
		return -EINVAL;
	code.end = code.start + size;
	code.name = line;
	return pp_jit_add_code(jit, &code);
}

int pp_perf_map_parse(struct pp_jit *jit)
{
	char *line = jit->data, *end = jit->data + jit->size;
	size_t nr_bad = 0;

	while (line < end) {
		char *next = memchr(line, '\n', end - line);
		int err;

		if (!next)
			/* The last line is incomplete, because the program is still writing the
			 * file. */
			break;
		*next = '\0';
		if (next > line && next[-1] == '\r')
			next[-1] = '\0';
		/* A NUL byte in the line ends the function's name. */
		err = parse_line(jit, line);
		if (err == -ENOMEM)
			return err;
		nr_bad += !!err;
		line = next + 1;
	}
	return nr_bad && !jit->nr_codes ? -EINVAL : 0;
}

/*
 * Parser for the dumps of OProfile 1.x's agents: a header, and records of new code, of lines, and
 * of unloaded code. Their time stamps have a resolution of a second, so the order in the file
 * decides.
 */

#define MAGIC	0x4f74496au	/* the bytes "jItO" on a little-endian machine */
#define FORMAT	1

enum { CODE_LOAD, CODE_UNLOAD, CODE_CLOSE, CODE_DEBUG_INFO };

/* Offsets of fields in the header of a dump, and in its records. */
enum {
	FILE_VERSION = 4, FILE_SIZE = 8, FILE_TARGET = 32, FILE_MIN = 33,
	/* offset of a record's size field; size of a record's head: id, size and time stamp */
	RECORD_SIZE = 4, RECORD_MIN = 16,
	LOAD_VMA = 16, LOAD_SIZE = 32, LOAD_NAME = 40,
	DEBUG_NR = 24, DEBUG_ENTRIES = 32,
	ENTRY_LINE = 8, ENTRY_NAME = 12,
};

struct reader {
	struct pp_jit *jit;
	bool swap;
};

/* Add a function from a record of loaded code. The bytes of the code may be missing. */
static int read_load(const struct reader *r, const char *p, size_t size)
{
	const char *name = p + LOAD_NAME, *end;
	struct pp_jit_code code = { .name = name };
	uint32_t code_size;

	if (size <= LOAD_NAME)
		return 0;
	end = memchr(name, '\0', size - LOAD_NAME);
	code_size = pp_get32(p + LOAD_SIZE, r->swap);
	code.start = pp_get64(p + LOAD_VMA, r->swap);
	if (!end || !*name || !code_size || code.start > UINT64_MAX - code_size)
		return 0;
	code.end = code.start + code_size;
	if (code_size <= (size_t)(p + size - end - 1))
		code.bytes = end + 1;
	return pp_jit_add_code(r->jit, &code);
}

/* Add source lines to the function of the previous record. */
static int read_debug(const struct reader *r, const char *p, size_t size)
{
	const char *end = p + size;
	uint32_t nr;

	if (size < DEBUG_ENTRIES || !r->jit->nr_codes)
		return 0;
	nr = pp_get32(p + DEBUG_NR, r->swap);
	p += DEBUG_ENTRIES;
	for (uint32_t i = 0; i < nr && end - p > ENTRY_NAME; i++) {
		const char *name = p + ENTRY_NAME, *name_end = memchr(name, '\0', end - name);
		int err;

		if (!name_end)
			return 0;
		err = pp_jit_add_line(r->jit, &(struct pp_jit_line){
			.vma = pp_get64(p, r->swap),
			.file = name,
			.line = pp_get32(p + ENTRY_LINE, r->swap),
			.order = r->jit->nr_codes - 1,
		});
		if (err)
			return err;
		p = name_end + 1;
	}
	return 0;
}

/* Return the ELF machine for the name of an object format, such as "elf64-x86-64". The machine
 * number in the header is not used, because it differs between versions of libbfd. */
static uint16_t machine_of(const char *target, size_t size)
{
	static const struct {
		const char *target;
		uint16_t machine;
	} machines[] = {
		{ "elf64-x86-64", EM_X86_64 },
		{ "elf32-i386", EM_386 },
		{ "elf64-littleaarch64", EM_AARCH64 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		size_t len = strlen(machines[i].target) + 1;

		if (len <= size && !memcmp(target, machines[i].target, len))
			return machines[i].machine;
	}
	return EM_NONE;
}

int pp_agent_dump_parse(struct pp_jit *jit)
{
	struct reader r = { .jit = jit };
	const char *p = jit->data, *end = jit->data + jit->size;
	uint32_t magic, size;
	int err = 0;

	if (jit->size < FILE_MIN)
		return -EINVAL;
	memcpy(&magic, p, sizeof(magic));
	r.swap = magic == bswap_32(MAGIC);
	if ((magic != MAGIC && !r.swap) || pp_get32(p + FILE_VERSION, r.swap) != FORMAT)
		return -EINVAL;
	size = pp_get32(p + FILE_SIZE, r.swap);
	if (size < FILE_MIN || size > jit->size)
		return -EINVAL;
	jit->machine = machine_of(p + FILE_TARGET, size - FILE_TARGET);
	/* The last record may be incomplete, because the program may still be writing the file. */
	for (p += size; !err && end - p >= RECORD_MIN; p += size) {
		uint32_t id = pp_get32(p, r.swap);

		size = pp_get32(p + RECORD_SIZE, r.swap);
		if (size < RECORD_MIN || size > (size_t)(end - p))
			break;
		if (id == CODE_LOAD)
			err = read_load(&r, p, size);
		else if (id == CODE_DEBUG_INFO)
			err = read_debug(&r, p, size);
	}
	return err;
}
