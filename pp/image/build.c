// SPDX-License-Identifier: GPL-2.0-or-later
/* build.c -- finds the file of the profiled build of a binary, or a replacement. */
#include "config.h"
#include "pp/image/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/plural.h"
#include "libop/session/mangle.h"
#include "libop/session/table_files.h"
#include "pp/image/debug_file.h"
#include "pp/image/debuginfod.h"

struct pp_locate {
	/* .path: the binary's path. .root: prefix of all paths. .image_path: comma-separated list
	 * of other directories to search. .root and .image_path may be NULL. */
	const char *path, *root, *image_path;
	int step; /* number of the next path at which to search the binary */
	int first_err; /* negative errno from the first attempt to open ROOT/PATH; 0: no error */
};

static int try_open(char **ret_path, const char *dir, size_t dir_len, const char *name)
{
	char *path;
	int fd;

	if (asprintf(&path, "%.*s%s%s", (int)dir_len, dir, name[0] == '/' ? "" : "/", name) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	if (fd >= 0)
		*ret_path = path;
	else
		free(path);
	return fd;
}

/* Return directory number @index of the comma-separated list, or NULL. Skip empty elements. */
static const char *directory(const char *list, int index, size_t *len)
{
	while (list && *list) {
		*len = strcspn(list, ",");
		if (*len && !index--)
			return list;
		list += *len + (list[*len] == ',');
	}
	return NULL;
}

/* Return the path without the "/[container:...]" that the daemon puts before the paths of files in
 * containers. Directories that the user names do not have this mark. */
static const char *after_mark(const char *path)
{
	const char *name = strncmp(path, "/[container:", 12) ? NULL : strchr(path + 1, '/');

	return name ? name : path;
}

/* Open the next existing file among the paths where the binary may be. Return a descriptor and set
 * *@ret_path, malloc'd. Return -ENOENT after the last path, or -ENOMEM. */
static int pp_locate_next(struct pp_locate *l, char **ret_path)
{
	const char *base = strrchr(l->path, '/'), *dir;
	size_t len;
	int fd;

	if (!l->step) {
		l->step = 1;
		fd = try_open(ret_path, l->root ? l->root : "", l->root ? strlen(l->root) : 0,
			      l->root ? after_mark(l->path) : l->path);
		if (fd >= 0 || fd == -ENOMEM)
			return fd;
		l->first_err = fd;
	}
	/* In each directory of the list, try the binary's whole path, then its file name alone. */
	while ((dir = directory(l->image_path, (l->step - 1) / 2, &len))) {
		const char *name = l->step++ % 2 || !base ? after_mark(l->path) : base + 1;

		fd = try_open(ret_path, dir, len, name);
		if (fd >= 0 || fd == -ENOMEM)
			return fd;
	}
	return -ENOENT;
}

/* How well a file matches the profiled binary, best first. SAME: the same build; TOUCHED: possibly
 * the same build, but with another modification time; OTHER: another build; NO_ELF: not an ELF
 * file. */
enum verdict { SAME, TOUCHED, OTHER, NO_ELF };

struct candidate {
	char *path;
	int fd;
	struct pp_elf elf;
	char *build_id;
	uint64_t mtime;
	enum verdict verdict;
};

static void drop(struct candidate *c)
{
	if (c->fd < 0)
		return;
	pp_elf_release(&c->elf);
	close(c->fd);
	free(c->path);
	free(c->build_id);
	*c = (struct candidate){ .fd = -1 };
}

/* The build-ids that the session recorded for a binary's path. */
struct known {
	const struct op_build_id *ids;
	size_t nr;
	/* hash of the only recorded build-id to use; 0: use all recorded build-ids */
	uint32_t build;
};

static bool is_known(const struct known *known, size_t i)
{
	const struct op_build_id *id = &known->ids[i];

	return !known->build || op_identity_of_build_id(id->id, id->len) == known->build;
}

static size_t nr_known(const struct known *known)
{
	size_t nr = 0;

	for (size_t i = 0; i < known->nr; i++)
		nr += is_known(known, i);
	return nr;
}

#define HEX_SIZE	(2 * OP_BUILD_ID_MAX + 1)

static void put_hex(char text[HEX_SIZE], const struct op_build_id *id)
{
	text[0] = '\0';
	for (size_t i = 0; i < id->len && i < OP_BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", id->id[i]);
}

static bool same_id(const struct op_build_id *id, const char *hex)
{
	char text[HEX_SIZE];

	put_hex(text, id);
	return hex && !strcmp(text, hex);
}

static bool has_known_id(const struct known *known, const char *hex)
{
	for (size_t i = 0; i < known->nr; i++)
		if (is_known(known, i) && same_id(&known->ids[i], hex))
			return true;
	return false;
}

static uint32_t build_of(const struct candidate *c)
{
	uint8_t id[4];

	if (!c->build_id)
		return op_identity_of_contents(c->fd);
	if (sscanf(c->build_id, "%2hhx%2hhx%2hhx%2hhx", &id[0], &id[1], &id[2], &id[3]) != 4)
		return 0;
	return op_identity_of_build_id(id, sizeof(id));
}

static enum verdict judge(const struct candidate *c, const struct pp_build_wanted *wanted,
			  const struct known *known)
{
	if (wanted->identity.build && build_of(c) != wanted->identity.build)
		return OTHER;
	if (nr_known(known))
		return has_known_id(known, c->build_id) ? SAME : OTHER;
	if (wanted->identity.build || !wanted->mtime || wanted->mtime == c->mtime)
		return SAME;
	return TOUCHED;
}

static int examine(struct candidate *c, const struct pp_build_wanted *wanted,
		   const struct known *known)
{
	struct stat st;
	int err = pp_elf_read(&c->elf, c->fd);

	if (err == -ENOMEM)
		return err;
	if (err) {
		c->verdict = NO_ELF;
		return 0;
	}
	if (!fstat(c->fd, &st))
		c->mtime = st.st_mtime;
	c->build_id = pp_elf_build_id(&c->elf);
	c->verdict = judge(c, wanted, known);
	return 0;
}

/* Find the file that matches the profiled binary best. Set ret->fd to -1 if no file can be
 * opened. */
static int search(struct candidate *ret, struct pp_locate *locate,
		  const struct pp_build_wanted *wanted, const struct known *known)
{
	int err = 0;

	while (!err && (ret->fd < 0 || ret->verdict != SAME)) {
		struct candidate c = { .elf.fd = -1 };

		c.fd = pp_locate_next(locate, &c.path);
		if (c.fd < 0)
			return c.fd == -ENOMEM ? c.fd : 0;
		err = examine(&c, wanted, known);
		if (!err && (ret->fd < 0 || c.verdict < ret->verdict)) {
			drop(ret);
			*ret = c;
		} else {
			drop(&c);
		}
	}
	return err;
}

/* Download the profiled binary, if the user enabled downloads. */
static int fetch(struct candidate *ret, const struct pp_build_wanted *wanted,
		 const struct known *known, const struct pp_build_places *places)
{
	const struct pp_debug_places *debug = &places->debug;
	int err = 0;

	for (size_t i = 0; i < known->nr && !err && (ret->fd < 0 || ret->verdict != SAME); i++) {
		struct candidate c = { .elf.fd = -1 };
		char hex[HEX_SIZE];

		if (!is_known(known, i))
			continue;
		put_hex(hex, &known->ids[i]);
		c.fd = pp_debuginfod_find(debug->server, PP_DEBUGINFOD_BINARY, hex, &c.path,
					  debug->log);
		if (c.fd < 0) {
			err = c.fd == -ENOMEM ? c.fd : 0;
			continue;
		}
		err = examine(&c, wanted, known);
		if (!err && c.verdict == SAME) {
			drop(ret);
			*ret = c;
		} else {
			drop(&c);
		}
	}
	return err;
}

/* Return the suffix that the daemon appended to the path because the file was deleted or replaced.
 * Return NULL without such a suffix. */
static const char *find_suffix(const char *path)
{
	static const char *const marks[] = { " (deleted)", " (version of ", " (build " };
	const char *base = strrchr(path, '/'), *found = NULL;

	for (size_t i = 0; base && i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = strstr(base, marks[i]);

		if (mark && path[strlen(path) - 1] == ')' && (!found || mark < found))
			found = mark;
	}
	return found;
}

/* Read the symbols. Prefer a debug file's symbols to the binary's own symbols. Search the debug
 * file for each report, because it may have been installed since the last report. */
static int read_symtab(struct pp_build *build, const struct pp_build_places *places)
{
	struct pp_elf_symtab *symtab = &build->elf_symtab;
	enum pp_cached kind = PP_CACHED_FULL;
	int err = pp_symbol_cache_read(places->cache, kind, &build->elf, symtab);
	bool is_new = false;

	if (err && err != -ENOMEM) {
		err = pp_elf_symtab_read_full(symtab, &build->elf, build->path, &places->debug);
		is_new = !err;
	}
	if (err && err != -ENOMEM) {
		kind = PP_CACHED_REST;
		err = pp_symbol_cache_read(places->cache, kind, &build->elf, symtab);
	}
	if (err && err != -ENOMEM) {
		err = pp_elf_symtab_read_rest(symtab, &build->elf);
		is_new = !err;
	}
	if (err)
		return err == -ENOMEM ? err : 0;
	if (is_new)
		pp_symbol_cache_write(places->cache, kind, &build->elf, symtab);
	build->symtab = &symtab->symtab;
	build->symbols_from = symtab->from;
	return 0;
}

/* Use the file of the candidate @c as the file of @build. */
static int use_candidate(struct pp_build *build, struct candidate *c,
			 const struct pp_build_places *places)
{
	const struct pp_elf_section *text = pp_elf_section_by_name(&c->elf, ".text");

	build->fd = c->fd;
	build->path = c->path;
	build->elf = c->elf;
	build->build_id = c->build_id;
	c->fd = -1;
	if (text) {
		build->has_text = 1;
		build->text_vma = text->addr;
	}
	pp_plt_bounds(&build->elf, &build->plt_start, &build->plt_end);
	return read_symtab(build, places);
}

static struct pp_build *new_build(void)
{
	struct pp_build *build = calloc(1, sizeof(*build));

	if (build) {
		build->fd = build->elf.fd = -1;
		build->kept.elf.fd = -1;
	}
	return build;
}

int pp_build_of_file(struct pp_build **ret, int fd, char *path,
		     const struct pp_build_places *places)
{
	struct pp_build *build = new_build();
	struct candidate c = { .fd = fd, .path = path, .elf.fd = -1 };
	int err = build ? pp_elf_read(&c.elf, fd) : -ENOMEM;

	if (!err) {
		c.build_id = pp_elf_build_id(&c.elf);
		err = use_candidate(build, &c, places);
	}
	drop(&c);
	if (err)
		pp_build_close(build);
	else
		*ret = build;
	return err;
}

static int open_table(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	return fd < 0 ? -errno : fd;
}

int pp_build_open_table(const char *samples_dir, const char *name, char **ret_path)
{
	static const char *const places[] = {
		OP_TABLES_DIR, OP_CACHE_LINK, OP_INTERVAL_TABLES_DIR,
	};
	const size_t nr = sizeof(places) / sizeof(places[0]);
	char names[2][OP_TABLE_NAME_SIZE], *path;
	int fd = -ENOENT;

	snprintf(names[0], sizeof(names[0]), "%s", name);
	op_table_name_debug(names[0]);
	snprintf(names[1], sizeof(names[1]), "%s", name);
	for (size_t i = 0; i < 2 * nr && fd < 0; i++) {
		if (asprintf(&path, "%s/../%s/%s", samples_dir, places[i % nr], names[i / nr]) < 0)
			return -ENOMEM;
		fd = open_table(path);
		if (fd >= 0)
			*ret_path = path;
		else
			free(path);
	}
	if (fd >= 0)
		op_table_use(fd);
	return fd;
}

static struct known known_of(const struct pp_build_wanted *wanted, const char *path,
			     const struct op_build_ids *ids)
{
	struct known known = { .build = wanted->identity.build };

	known.nr = op_build_ids_find(ids, path, &known.ids);
	return known;
}

static int each_table(const struct pp_build_wanted *wanted, const struct known *known,
		      int (*fn)(void *arg, const char *name), void *arg)
{
	char name[OP_TABLE_NAME_SIZE];
	int err = -ENOENT;

	for (size_t i = 0; i < known->nr && err && err != -ENOMEM; i++)
		if (is_known(known, i) &&
		    !op_table_name(name, &wanted->identity, wanted->mtime, known->ids[i].id,
				   known->ids[i].len))
			err = fn(arg, name);
	if (!nr_known(known) && !op_table_name(name, &wanted->identity, wanted->mtime, NULL, 0))
		err = fn(arg, name);
	return !err || err == -ENOMEM ? err : -ENOENT;
}

int pp_build_each_table(const struct pp_build_wanted *wanted, const struct op_build_ids *ids,
			int (*fn)(void *arg, const char *name), void *arg)
{
	struct known known = known_of(wanted, wanted->path, ids);
	const char *suffix = find_suffix(wanted->path);
	char *path;

	if (!known.nr && suffix) {
		path = strndup(wanted->path, suffix - wanted->path);
		if (!path)
			return -ENOMEM;
		known = known_of(wanted, path, ids);
		free(path);
	}
	return each_table(wanted, &known, fn, arg);
}

struct kept_reader {
	struct pp_build *build;
	const struct pp_build_places *places;
};

static int read_kept(void *arg, const char *name)
{
	const struct kept_reader *r = arg;
	int err = -ENOENT;

	for (size_t i = 0; i < r->places->nr_samples_dirs && err && err != -ENOMEM; i++) {
		char *path;
		int fd = pp_build_open_table(r->places->samples_dirs[i], name, &path);

		if (fd < 0)
			continue;
		err = pp_kept_table_read(&r->build->kept, fd);
		close(fd);
		free(path);
	}
	return err;
}

/* Set .missing_id to the build-id of the profiled build, unless the session recorded several
 * build-ids for the binary's path. */
static int find_missing_id(struct pp_build *build, const struct known *known)
{
	char text[HEX_SIZE];

	/* The session recorded several build-ids for the path, and the sample file does not say
	 * which one applies. */
	if (!known->build && known->nr > 1)
		return 0;
	for (size_t i = 0; i < known->nr && !build->missing_id; i++) {
		if (!is_known(known, i))
			continue;
		put_hex(text, &known->ids[i]);
		build->missing_id = strdup(text);
		if (!build->missing_id)
			return -ENOMEM;
	}
	return 0;
}

/* Return the last part of a warning, which describes how to get the profiled build. @buf has
 * WAY_SIZE bytes. */
#define WAY_SIZE	(HEX_SIZE + 64)
static const char *way_to(const struct pp_build *build, char *buf)
{
	buf[0] = '\0';
	if (build->missing_id)
		snprintf(buf, WAY_SIZE, "; --debuginfod downloads the build %s",
			 build->missing_id);
	return buf;
}

/* Find the symbol table that the daemon stored for the build. Return 0, -ENOMEM, or -ENOENT if the
 * daemon stored no table. */
static int find_kept(struct pp_build *build, const struct pp_build_wanted *wanted,
		     const struct pp_build_places *places)
{
	struct kept_reader r = { build, places };
	int err = pp_build_each_table(wanted, places->build_ids, read_kept, &r);

	if (err)
		return err;
	build->state = PP_BUILD_KEPT;
	build->elf = build->kept.elf;
	build->kept.elf = (struct pp_elf){ .fd = -1 };
	build->has_text = build->kept.has_text;
	build->text_vma = build->kept.text_vma;
	if (build->kept.symtab.nr) {
		build->symtab = &build->kept.symtab;
		build->symbols_from = build->kept.from;
	}
	return 0;
}

static void report_missing(const struct pp_build *build, const char *path,
			   const struct candidate *c, int err, struct pp_log *log)
{
	const char *suffix = find_suffix(path);
	char way[WAY_SIZE];

	/* The daemon uses this path, which does not name a file, for the sum of a user's programs
	 * with few samples. */
	if (!strncmp(path, OP_MORE_PROGRAMS, strlen(OP_MORE_PROGRAMS)))
		return;
	if (c->fd >= 0)
		pp_warn(log, "%s: not an ELF file, or damaged, so its samples have no symbols",
			path);
	else if (suffix && !strncmp(suffix, " (deleted)", 10))
		pp_warn(log,
			"%s: the file was deleted before it was profiled, so its samples have no "
			"symbols%s",
			path, way_to(build, way));
	else if (suffix)
		pp_warn(log, "%s: the file was replaced while it was profiled, so samples of the "
			     "older file have no symbols%s", path, way_to(build, way));
	else if (!strncmp(path, "/[container:", 12))
		pp_warn(log,
			"%s: this file belongs to a container, so its samples have no symbols; "
			"name the container's root directory with --image-path or --root",
			path);
	else if (err == -ENOENT || err == -ENOTDIR)
		pp_warn(log,
			"%s: does not exist any more, so its samples have no symbols; name its new "
			"place with --image-path or --root%s",
			path, way_to(build, way));
	else
		pp_warn(log, "%s: %s, so its samples have no symbols", path,
			err == -EINVAL ? "not a regular file" : strerror(-err));
}

/* Use the candidate @c although it may not be the profiled file, and warn. If @c has no file,
 * report the binary as missing. */
static int accept_candidate(struct pp_build *build, struct candidate *c,
		   const struct pp_build_wanted *wanted, const struct pp_build_places *places,
		   int open_err, struct pp_log *log)
{
	char way[WAY_SIZE];

	if (c->fd < 0 || c->verdict == NO_ELF) {
		build->state = PP_BUILD_MISSING;
		report_missing(build, wanted->path, c, open_err, log);
		return 0;
	}
	if (c->verdict == TOUCHED) {
		pp_warn(log, "%s: has another modification time than the profiled file: if it is "
			     "not just a copy, its symbols may be wrong", wanted->path);
	} else if (places->force) {
		pp_warn(log,
			"%s: is not the file that was profiled, so its symbols are wrong where "
			"the two differ",
			wanted->path);
	} else {
		build->state = PP_BUILD_OTHER;
		pp_warn(log,
			"%s: is not the file that was profiled, so its samples have no symbols%s",
			wanted->path, way_to(build, way));
	}
	return use_candidate(build, c, places);
}

/* Search the binary at its recorded path, then at the path without the suffix of deleted and
 * replaced files. */
static int find(struct pp_build *build, const struct pp_build_wanted *wanted,
		const struct pp_build_places *places, struct pp_log *log)
{
	struct pp_locate locate = { wanted->path, places->debug.root, places->image_path, 0, 0 };
	struct known known = known_of(wanted, wanted->path, places->build_ids);
	const char *suffix = find_suffix(wanted->path);
	struct candidate c = { .fd = -1, .elf.fd = -1 };
	char *path = suffix ? strndup(wanted->path, suffix - wanted->path) : NULL;
	int err = suffix && !path ? -ENOMEM : search(&c, &locate, wanted, &known), open_err;

	open_err = locate.first_err;
	if (!err && path && c.fd < 0 && (wanted->identity.build || wanted->mtime)) {
		locate = (struct pp_locate){ path, places->debug.root, places->image_path, 0, 0 };
		if (!known.nr)
			known = known_of(wanted, path, places->build_ids);
		err = search(&c, &locate, wanted, &known);
		/* The profiled file was deleted or replaced: accept the file that is at its path
		 * now only if the file is the same build. */
		if (!err && c.fd >= 0 && c.verdict != SAME)
			drop(&c);
	}
	if (!err)
		err = fetch(&c, wanted, &known, places);
	if (!err && c.fd >= 0 && c.verdict == SAME)
		err = use_candidate(build, &c, places);
	else if (!err)
		err = find_missing_id(build, &known);
	if (!err && build->fd < 0)
		err = find_kept(build, wanted, places);
	if (err == -ENOENT)
		err = accept_candidate(build, &c, wanted, places, open_err, log);
	drop(&c);
	free(path);
	return err;
}

int pp_build_find(struct pp_build **ret, const struct pp_build_wanted *wanted,
		  const struct pp_build_places *places, struct pp_log *log)
{
	struct pp_build *build = new_build();
	int err = build ? find(build, wanted, places, log) : -ENOMEM;

	if (err) {
		pp_build_close(build);
		return err;
	}
	build->identity = wanted->identity;
	build->mtime = wanted->mtime;
	pp_verbose(log, "%s: %zu %s from %s%s%s%s", wanted->path,
		   build->symtab ? build->symtab->nr : 0,
		   op_plural(build->symtab ? build->symtab->nr : 0, "symbol", "symbols"),
		   build->symbols_from ? build->symbols_from : "nowhere",
		   build->state == PP_BUILD_KEPT ? ", stored with the session" : "",
		   build->elf_symtab.debug_path ? " of " : "",
		   build->elf_symtab.debug_path ? build->elf_symtab.debug_path : "");
	*ret = build;
	return 0;
}

void pp_build_close(struct pp_build *build)
{
	if (!build)
		return;
	pp_elf_symtab_release(&build->elf_symtab);
	pp_kept_table_release(&build->kept);
	pp_elf_release(&build->elf);
	if (build->fd >= 0)
		close(build->fd);
	free(build->build_id);
	free(build->missing_id);
	free(build->path);
	free(build);
}
