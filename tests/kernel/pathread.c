// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathread.c -- reads the module's `buffer` while call paths are on, hands over the tables it asks for, checks
 * what the stream says of nodes, checks that all samples are accounted for, and prints the paths of one program.
 *
 * usage: pathread [-d DEPTH] [-n NODES] [-m SAMPLES] [-o STREAM] [-pqwx] [-t FILE]... SECONDS PROGRAM COMMAND [ARG...]
 *   samples while COMMAND runs, at most SECONDS, or until there are so many SAMPLES of PROGRAM, then prints
 *     path COUNT OUTERMOST;...;INNERMOST	of PROGRAM's samples: functions of its own by name, else "image" or, of the
 *				kernel, "k:ADDRESS"; a path that is not whole begins with "[REASON]"; by frame pointers: "~name"
 *     plain COUNT		its samples without a path
 *     walked N			samples of whichever program that have a path in user mode
 *     nodes N images N anew N tables N wanted N bytes N	the last: of all tables in the end
 *     taken N stored N lost N
 *     took NS N			what COMMAND took, by the clock, and how many samples were taken meanwhile
 *   -w: withholds tables; -t FILE: hands over that one's before COMMAND is run; -q: reads nothing before it ends;
 *   -x: samples nothing; -p: COMMAND runs on the first CPU; -o STREAM: writes what is read there, for oprofiled --replay
 */
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "module/uapi/oprofile.h"
#include "tests/kernel/fs_files.h"
#include "module/uapi/unwind.h"
#include "tests/kernel/give_table.h"

#define MAX_NODES (1 << 22)
#define MAX_IMAGES (1 << 16)
#define MAX_PATHS (1 << 16)
#define MAX_FRAMES 1100

static const char *const reasons[] = {
#define X(end, name, words) [OPROFILE_UW_##end] = words,
	OPROFILE_UW_ENDS(X)
#undef X
};

static struct node {
	uint32_t parent, image, how;
	bool known;
	uint64_t offset;
} nodes[MAX_NODES];

static struct image {
	bool known;
	uint64_t cookie;
	char name[256];
	bool target;
} images[MAX_IMAGES];

/*
 * Call paths of PROGRAM's samples, as text that is built when a path is first seen, because the
 * module may renumber its nodes.
 */
static struct path {
	char *text;
	uint64_t n;
} paths[MAX_PATHS];
static size_t nr_paths;

/* The path of each pair of nodes, valid until the module renumbers its nodes. */
static struct known {
	uint32_t user, kernel, path;
} known[MAX_PATHS];
static size_t nr_known;

static const char *program;
static uint64_t target_app, stored, plain, of_program, walked, anew, nr_nodes, nr_images, nr_tables, nr_wanted;
static bool withhold;
static int buffer;
static FILE *stream, *stream_cookies;

static struct symbol {
	uint64_t offset, size;
	const char *name;
} *symbols;
static size_t nr_symbols;

/*
 * Read the symbols of PROGRAM's functions, for 32-bit and 64-bit files. Offsets are file offsets.
 */
#define READ_SYMBOLS(bits)									\
static void read_symbols##bits(const unsigned char *data)					\
{												\
	const Elf##bits##_Ehdr *eh = (const void *)data;					\
	const Elf##bits##_Shdr *sh = (const void *)(data + eh->e_shoff), *code;			\
												\
	for (int i = 0; i < eh->e_shnum; i++) {							\
		const Elf##bits##_Sym *sym = (const void *)(data + sh[i].sh_offset);		\
		const char *names = (const char *)data + sh[sh[i].sh_link].sh_offset;		\
												\
		if (sh[i].sh_type != SHT_SYMTAB)						\
			continue;								\
		symbols = calloc(sh[i].sh_size / sizeof(*sym), sizeof(*symbols));		\
		for (size_t j = 0; j < sh[i].sh_size / sizeof(*sym); j++) {			\
			if ((sym[j].st_info & 15) != STT_FUNC || sym[j].st_shndx >= eh->e_shnum) \
				continue;							\
			code = &sh[sym[j].st_shndx];						\
			symbols[nr_symbols++] = (struct symbol){				\
				sym[j].st_value - code->sh_addr + code->sh_offset,		\
				sym[j].st_size ? sym[j].st_size : 1, names + sym[j].st_name };	\
		}										\
	}											\
}
READ_SYMBOLS(64)
READ_SYMBOLS(32)

static void read_symbols(void)
{
	size_t size;
	const unsigned char *data = map_file(program, &size);

	if (!data || size < sizeof(Elf64_Ehdr))
		err(1, "%s", program);
	if (data[EI_CLASS] == ELFCLASS64)
		read_symbols64(data);
	else
		read_symbols32(data);
}

static const char *symbol_of(uint64_t offset)
{
	for (size_t i = 0; i < nr_symbols; i++)
		if (offset - symbols[i].offset < symbols[i].size)
			return symbols[i].name;
	return "program";
}

static bool path_of(uint64_t cookie, char *path, size_t size)
{
	struct oprofile_cookie_info info = { .cookie = cookie, .path = (uintptr_t)path, .path_size = size };

	return !ioctl(buffer, OPROFILE_IOC_COOKIE, &info);
}

static void wanted(uint64_t cookie)
{
	char path[4096];

	nr_wanted++;
	if (withhold || !path_of(cookie, path, sizeof(path)))
		return;
	give_table(buffer, cookie, path);
	nr_tables++;
}

static struct {
	long cpu, tid, tgid;
	uint64_t app, cookie, start, end, count, user_node, kernel_node;
	int user;
	bool has_path;
} st = { .cpu = -1, .tid = -1, .user = -1, .count = 1 };

/* Store the path of node @number in @chain, outermost first. Return its length. */
static int chain_of(uint32_t number, uint32_t *chain)
{
	int nr = 0;

	for (; number; number = nodes[number].parent) {
		if (!nodes[number].known)
			errx(1, "node %u was not told", number);
		if (nr == MAX_FRAMES)
			errx(1, "a path of more than %d frames", nr);
		chain[nr++] = number;
	}
	for (int i = 0; i < nr / 2; i++) {
		uint32_t swapped = chain[i];

		chain[i] = chain[nr - 1 - i];
		chain[nr - 1 - i] = swapped;
	}
	return nr;
}

static size_t frame_text(char *text, size_t size, uint32_t number)
{
	const struct node *node = &nodes[number];
	const struct image *image = &images[node->image];

	if (node->how >= OPROFILE_UW_HOW_ENDS)
		return snprintf(text, size, "[%s];", reasons[node->how - OPROFILE_UW_HOW_ENDS]);
	if (!node->image)
		return snprintf(text, size, "k:%lx;", node->offset);
	return snprintf(text, size, "%s%s;", node->how == OPROFILE_UW_HOW_FP ? "~" : "", image->target ? symbol_of(node->offset) : image->name);
}

static uint32_t path_number(uint32_t user, uint32_t kernel)
{
	static char text[1 << 16];
	uint32_t chain[MAX_FRAMES];
	size_t len = 0;
	int nr;

	for (size_t i = 0; i < nr_known; i++)
		if (known[i].user == user && known[i].kernel == kernel)
			return known[i].path;
	nr = chain_of(user, chain);
	for (int i = 0; i < nr && len < sizeof(text) - 300; i++)
		len += frame_text(text + len, sizeof(text) - len, chain[i]);
	nr = chain_of(kernel, chain);
	for (int i = 0; i < nr && len < sizeof(text) - 300; i++)
		len += frame_text(text + len, sizeof(text) - len, chain[i]);
	for (size_t i = 0; i < nr_paths; i++)
		if (!strcmp(paths[i].text, text)) {
			known[nr_known++ % MAX_PATHS] = (struct known){ user, kernel, i };
			return i;
		}
	if (nr_paths == MAX_PATHS || nr_known == MAX_PATHS)
		errx(1, "too many paths");
	paths[nr_paths].text = strdup(text);
	known[nr_known++] = (struct known){ user, kernel, nr_paths };
	return nr_paths++;
}

static void check_leaf(unsigned long offset)
{
	const struct node *leaf = &nodes[st.user ? st.user_node : st.kernel_node];

	if (!leaf->known || leaf->how >= OPROFILE_UW_HOW_ENDS)
		errx(1, "the leaf of a path is no frame");
	if (leaf->offset != offset || (!st.user && leaf->image))
		errx(1, "sample at %lx, its path's leaf at %lx", offset, leaf->offset);
	if (st.user && images[leaf->image].cookie != st.cookie)
		errx(1, "sample in cookie %lx, its path's leaf in %lx", st.cookie, images[leaf->image].cookie);
}

static void sample(unsigned long offset)
{
	if (st.cpu < 0 || st.tid < 0 || st.user < 0)
		errx(1, "sample without CPU, task or domain");
	stored += st.count;
	if (st.has_path)
		check_leaf(offset);
	if (st.has_path && st.user_node)
		walked += st.count;
	if (st.app && !target_app) {
		char path[4096];

		if (path_of(st.app, path, sizeof(path)) && !strcmp(path, program))
			target_app = st.app;
	}
	if (st.app && st.app == target_app) {
		of_program += st.count;
		if (st.has_path)
			paths[path_number(st.user_node, st.kernel_node)].n += st.count;
		else
			plain += st.count;
	}
	st.count = 1;
	st.has_path = false;
}

/* Append @cookie and its path to STREAM.cookies. A cookie may be appended more than once. */
static void name_cookie(uint64_t cookie)
{
	char path[4096];

	if (stream && cookie != OPROFILE_NO_COOKIE && path_of(cookie, path, sizeof(path)))
		fprintf(stream_cookies, "%lx\t%s\n", cookie, path);
}

static void new_image(const unsigned long *op)
{
	struct image *image;
	char path[4096];

	if (op[0] >= MAX_IMAGES || images[op[0]].known || !op[0])
		errx(1, "image %lu told twice", op[0]);
	name_cookie(op[1]);
	image = &images[op[0]];
	*image = (struct image){ .known = true, .cookie = op[1] };
	if (!op[1]) {
		if (op[2] >= op[3] || op[4] > OPROFILE_ANON_VDSO)
			errx(1, "bad image");
		strcpy(image->name, op[4] == OPROFILE_ANON_VDSO ? "[vdso]" : "anon");
	} else if (path_of(op[1], path, sizeof(path))) {
		char *slash = strrchr(path, '/');

		image->target = !strcmp(path, program);
		snprintf(image->name, sizeof(image->name), "%.250s", slash ? slash + 1 : path);
	} else {
		errx(1, "image of no cookie");
	}
	nr_images++;
}

static void new_node(const unsigned long *op)
{
	if (op[0] >= MAX_NODES || nodes[op[0]].known || !op[0])
		errx(1, "node %lu told twice", op[0]);
	if (op[1] && !nodes[op[1]].known)
		errx(1, "node %lu told before its caller's", op[0]);
	if (op[2] >= MAX_IMAGES || (op[2] && !images[op[2]].known))
		errx(1, "node %lu in no image", op[0]);
	if (op[3] >= OPROFILE_UW_HOW_ENDS + OPROFILE_UW_NR_ENDS || (op[3] > OPROFILE_UW_HOW_KERNEL && op[3] < OPROFILE_UW_HOW_ENDS) || (op[3] >= OPROFILE_UW_HOW_ENDS && op[1]))
		errx(1, "node %lu found by %lu", op[0], op[3]);
	nodes[op[0]] = (struct node){ .parent = op[1], .image = op[2], .how = op[3], .offset = op[4], .known = true };
	nr_nodes++;
}

static size_t decode(const unsigned long *w, size_t nr)
{
	int operands;

	if (nr < 2)
		errx(1, "torn record");
	if (w[0] != OPROFILE_ESCAPE) {
		sample(w[0]);
		return 2;
	}
	operands = oprofile_operands(w[1]);
	if (operands < 0 || nr < 2 + (size_t)operands)
		errx(1, "bad record: code %lu", w[1]);
	switch (w[1]) {
	case OPROFILE_CTX_SWITCH:
		st.tid = w[2];
		st.app = w[3];
		st.tgid = w[6];
		name_cookie(st.app);
		break;
	case OPROFILE_CPU_SWITCH:
		st.cpu = w[2];
		st.tid = st.user = -1;
		break;
	case OPROFILE_COOKIE_SWITCH:
		st.cookie = w[2];
		name_cookie(st.cookie);
		break;
	case OPROFILE_KERNEL_ENTER:
	case OPROFILE_KERNEL_EXIT:
		st.user = w[1] == OPROFILE_KERNEL_EXIT;
		break;
	case OPROFILE_COUNT:
		st.count = w[2];
		break;
	case OPROFILE_PATH:
		st.user_node = w[2];
		st.kernel_node = w[3];
		st.has_path = true;
		break;
	case OPROFILE_PATH_NODE:
		new_node(w + 2);
		break;
	case OPROFILE_PATH_IMAGE:
		new_image(w + 2);
		break;
	case OPROFILE_PATHS_ANEW:
		memset(nodes, 0, sizeof(nodes));
		memset(images, 0, sizeof(images));
		nr_known = 0;
		anew++;
		break;
	case OPROFILE_TABLE_WANTED:
		wanted(w[2]);
		break;
	}
	return 2 + operands;
}

static unsigned long words[1 << 20];

static bool take(void)
{
	bool any = false;
	ssize_t n;

	while ((n = read(buffer, words, sizeof(words))) > 0) {
		if (stream && fwrite(words, n, 1, stream) != 1)
			err(1, "no room for the stream");
		for (size_t i = 0; i < n / sizeof(*words); )
			i += decode(words + i, n / sizeof(*words) - i);
		any = true;
	}
	return any;
}

static void report(void)
{
	for (size_t i = 0; i < nr_paths; i++)
		printf("path %lu %s\n", paths[i].n, paths[i].text);
	printf("plain %lu\nwalked %lu\n", plain, walked);
	printf("nodes %lu images %lu anew %lu tables %lu wanted %lu bytes %lu\n", nr_nodes, nr_images, anew, nr_tables, nr_wanted,
	       get("paths/table_bytes"));
	report_books(stored);
}

static pid_t run(char *const argv[], bool pinned)
{
	pid_t child = fork();
	cpu_set_t first;

	if (child)
		return child;
	/* Run on the first CPU, to which the NMIs are sent. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (pinned)
		sched_setaffinity(0, sizeof(first), &first);
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

/* Wait until @child ends, @seconds have passed, or @samples samples of PROGRAM were taken. */
static void wait_for(pid_t child, int seconds, uint64_t samples, bool quiet)
{
	time_t end = time(NULL) + seconds;

	while (quiet ? waitpid(child, NULL, 0) != child : time(NULL) < end && of_program < samples && waitpid(child, NULL, WNOHANG) != child) {
		struct pollfd p = { .fd = buffer, .events = POLLIN };

		if (poll(&p, 1, 100) > 0)
			take();
	}
}

static void record_to(const char *name)
{
	char cookies[4096];

	snprintf(cookies, sizeof(cookies), "%s.cookies", name);
	stream = fopen(name, "w");
	stream_cookies = fopen(cookies, "w");
	if (!stream || !stream_cookies)
		err(1, "%s", name);
}

static void end_recording(void)
{
	if (stream && (fclose(stream) || fclose(stream_cookies)))
		err(1, "no room for the stream");
}

int main(int argc, char **argv)
{
	const char *depth = "128", *sampling = "1", *files[16];
	unsigned int nr_files = 0;
	uint64_t samples = ~0UL;
	bool quiet = false, pinned = false;
	double begun;
	pid_t child;
	int opt;

	while ((opt = getopt(argc, argv, "+d:m:n:o:t:pqwx")) != -1) {
		if (opt == 'd')
			depth = optarg;
		else if (opt == 'n')
			put("path_nodes", optarg);
		else if (opt == 'm')
			samples = strtoull(optarg, NULL, 0);
		else if (opt == 'w')
			withhold = true;
		else if (opt == 'o')
			record_to(optarg);
		else if (opt == 't')
			files[nr_files++ % 16] = optarg;
		else if (opt == 'p')
			pinned = true;
		else if (opt == 'q')
			quiet = true;
		else if (opt == 'x')
			sampling = "0";
		else
			return 2;
	}
	if (argc < optind + 3)
		errx(2, "usage: pathread [-d DEPTH] [-n NODES] [-m SAMPLES] [-o STREAM] [-pqwx] [-t FILE]... SECONDS PROGRAM COMMAND [ARG...]");
	program = argv[optind + 1];
	read_symbols();
	buffer = open(FS "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (buffer < 0)
		err(1, FS "buffer");
	put("callgraph", depth);
	if (!withhold)
		give_vdsos(buffer);
	for (unsigned int i = 0; i < nr_files && i < 16; i++)
		give_table(buffer, OPROFILE_NO_COOKIE, files[i]);
	put("enable", sampling);
	begun = now();
	child = run(argv + optind + 2, pinned);
	wait_for(child, atoi(argv[optind]), samples, quiet);
	printf("took %.0f %lu\n", (now() - begun) * 1e9, get("sample_received"));
	kill(child, SIGKILL);
	dump(take);
	put("enable", "0");
	dump(take);
	put("callgraph", "0");
	end_recording();
	/* The counters have not changed since the last samples. */
	if (*sampling == '1')
		report();
	return 0;
}
