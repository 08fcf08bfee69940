// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroups.c -- paths of control groups by the kernel's id. */
#include "config.h"
#include "daemon/image/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "libop/base/hash.h"
#include "libop/session/cgroup.h"

#define ID_BYTES	(16u << 20)	/* limit of the memory of all ids */
/* inode of the root cgroup namespace: PROC_CGROUP_INIT_INO of the kernel */
#define ROOT_NAMESPACE	0xeffffffbu
#define SEARCH_MS	5000		/* minimum time between two searches in the file system */
/* maximum depth of a search, and maximum number of groups that a search visits: of all owners, and
 * below one owner */
#define SEARCH_DEPTH	32
#define SEARCH_GROUPS	65536
#define SEARCH_INNER	4096

/* A path of groups with samples of their own. */
struct unit {
	struct op_hash_link link;	/* must be the first member */
	/* number of further units below this path, if the path is an owner */
	size_t nr_inner;
	char path[];
};

struct id {
	struct op_hash_link link;	/* must be the first member */
	uint64_t id;
	const struct unit *unit;	/* NULL: not known yet in this session */
	char path[];
};

struct opd_cgroups {
	struct op_hash_table ids, units;
	size_t id_bytes;
	const char *mountinfo;
	bool only_default;		/* opd_cgroups_use_default() */
	uint64_t search_ms;		/* earliest time of the next search */
};

/* The directory that a search visits. */
struct place {
	struct opd_cgroups *c;
	char path[PATH_MAX];
	size_t len;
	size_t left, inner_left;
	int depth;
};

int opd_cgroups_create(struct opd_cgroups **ret, const char *mountinfo)
{
	struct opd_cgroups *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->mountinfo = mountinfo;
	if (op_hash_init(&c->ids) || op_hash_init(&c->units)) {
		opd_cgroups_destroy(c);
		return -ENOMEM;
	}
	*ret = c;
	return 0;
}

const char *opd_cgroups_mountinfo(void)
{
	struct stat st;

	if (stat("/proc/self/ns/cgroup", &st) || st.st_ino != ROOT_NAMESPACE)
		return NULL;
	return "/proc/self/mountinfo";
}

void opd_cgroups_use_default(struct opd_cgroups *c)
{
	if (c)
		c->only_default = true;
}

static bool free_link(struct op_hash_link *link, void *arg)
{
	(void)arg;
	free(link);
	return true;
}

static void forget_ids(struct opd_cgroups *c)
{
	op_hash_filter(&c->ids, free_link, NULL);
	c->id_bytes = 0;
}

void opd_cgroups_destroy(struct opd_cgroups *c)
{
	if (!c)
		return;
	forget_ids(c);
	op_hash_filter(&c->units, free_link, NULL);
	op_hash_release(&c->ids);
	op_hash_release(&c->units);
	free(c);
}

static bool forget_unit(struct op_hash_link *link, void *arg)
{
	(void)arg;
	((struct id *)link)->unit = NULL;
	return false;
}

void opd_cgroups_new_session(struct opd_cgroups *c)
{
	if (!c)
		return;
	op_hash_filter(&c->ids, forget_unit, NULL);
	op_hash_filter(&c->units, free_link, NULL);
}

static struct id *find_id(const struct opd_cgroups *c, uint64_t id)
{
	struct op_hash_link *link = op_hash_first(&c->ids, op_hash_number(OP_HASH_BEGIN, id));

	while (link && ((struct id *)link)->id != id)
		link = op_hash_next(link);
	return (struct id *)link;
}

void opd_cgroups_name(struct opd_cgroups *c, uint64_t id, const char *path)
{
	const size_t size = sizeof(struct id) + strlen(path) + 1;
	struct id *found;

	if (!c || *path != '/')
		return;
	found = find_id(c, id);
	if (found && !strcmp(found->path, path))
		return;
	if (found) {
		/* a group of cgroup v1 was renamed */
		op_hash_remove(&c->ids, &found->link);
		c->id_bytes -= sizeof(*found) + strlen(found->path) + 1;
		free(found);
	}
	if (c->ids.nr >= OPD_CGROUPS_IDS || c->id_bytes + size > ID_BYTES) {
		/* Most of these groups do not exist any more. Search the others again. */
		forget_ids(c);
		c->search_ms = 0;
	}
	found = calloc(1, size);
	if (!found)
		return;
	found->id = id;
	strcpy(found->path, path);
	c->id_bytes += size;
	op_hash_add(&c->ids, &found->link, op_hash_number(OP_HASH_BEGIN, id));
}

/* The functions from here to search() read the cgroup file system. */

static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",\n") == len && !memcmp(list, word, len))
			return true;
	return false;
}

/*
 * Parse a line of mountinfo. Return true if it is a mount of a hierarchy's root: of the hierarchy
 * of cgroup v1 that has the controller perf_event, then set *@is_v1; or of cgroup v2. The ids of
 * samples belong to the first one if it exists. Copy the mount point to @path.
 */
static bool parse_mount(const char *line, char path[PATH_MAX], bool *is_v1)
{
	const char *dash = strstr(line, " - ");
	char root[64], type[16], options[512];

	if (!dash || sscanf(line, "%*s %*s %*s %63s %4000s", root, path) != 2 ||
	    strcmp(root, "/") || sscanf(dash, " - %15s %*s %511s", type, options) != 2)
		return false;
	*is_v1 = !strcmp(type, "cgroup") && has_word(options, "perf_event");
	return *is_v1 || !strcmp(type, "cgroup2");
}

/* Copy the mount point of the control groups to @path. Return 0 or a negative errno. */
static int find_mount(const char *mountinfo, bool only_default, char path[PATH_MAX])
{
	char line[8192], at[PATH_MAX];
	bool found = false, is_v1 = false;
	FILE *f = fopen(mountinfo, "re");

	if (!f)
		return -errno;
	while (!is_v1 && fgets(line, sizeof(line), f)) {
		bool v1;

		if (!parse_mount(line, at, &v1) || (found && !v1) || (v1 && only_default))
			continue;
		found = true;
		is_v1 = v1;
		strcpy(path, at);
	}
	fclose(f);
	return found ? 0 : -ENOENT;
}

bool opd_cgroups_exist(const struct opd_cgroups *c)
{
	char mount[PATH_MAX];

	return !c || !c->mountinfo || find_mount(c->mountinfo, c->only_default, mount) != -ENOENT;
}

static void visit(struct place *p, int fd);

static void visit_child(struct place *p, int dir, const struct dirent *d)
{
	const size_t had = p->len, name = strlen(d->d_name);
	struct op_cgroup cg;
	bool inner;
	int fd;

	if (!p->left || p->depth >= SEARCH_DEPTH || p->len + name + 2 > sizeof(p->path))
		return;
	p->path[p->len++] = '/';
	memcpy(p->path + p->len, d->d_name, name + 1);
	p->len += name;
	op_cgroup_parse(&cg, p->path);
	inner = cg.owned < p->len;
	if (!inner)
		p->inner_left = SEARCH_INNER;
	if (!inner || p->inner_left) {
		p->left--;
		p->inner_left -= inner;
		opd_cgroups_name(p->c, d->d_ino, p->path);
		fd = openat(dir, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		p->depth++;
		if (fd >= 0)
			visit(p, fd);
		p->depth--;
	}
	p->len = had;
	p->path[had] = '\0';
}

/* Add the groups below the directory @fd, and close @fd. */
static void visit(struct place *p, int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		close(fd);
		return;
	}
	while ((d = readdir(dir)))
		if (d->d_type == DT_DIR && strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			visit_child(p, fd, d);
	closedir(dir);
}

static void search(struct opd_cgroups *c)
{
	struct place *p = calloc(1, sizeof(*p));
	char mount[PATH_MAX];
	struct stat st;
	int fd = -1;

	c->search_ms = op_now_ms() + SEARCH_MS;
	if (p && c->mountinfo && !find_mount(c->mountinfo, c->only_default, mount))
		fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st)) {
		*p = (struct place){ .c = c, .left = SEARCH_GROUPS, .inner_left = SEARCH_INNER };
		opd_cgroups_name(c, st.st_ino, "/");
		visit(p, fd);
	} else if (fd >= 0) {
		close(fd);
	}
	free(p);
}

/* Return the length of the longest prefix of the group @path that may be part of the name of a
 * sample file. */
static size_t usable_length(const char *path)
{
	size_t len = 0, grown = 0;

	for (int depth = 0; depth < OPD_CGROUPS_DEPTH && path[len]; depth++) {
		const size_t n = strcspn(path + len + 1, "/");
		/* op_mangle() adds two bytes to some components that begin with one of these. */
		const size_t more = path[len + 1] == '{' || path[len + 1] == '%' ? 2 : 0;

		if (!n || n + more > NAME_MAX || len + 1 + n + grown + more > OPD_CGROUPS_PATH)
			break;
		len += 1 + n;
		grown += more;
	}
	return len;
}

static struct unit *find_unit(const struct opd_cgroups *c, const char *path, size_t len)
{
	const uint64_t hash = op_hash_bytes(OP_HASH_BEGIN, path, len);
	struct op_hash_link *link;

	for (link = op_hash_first(&c->units, hash); link; link = op_hash_next(link)) {
		struct unit *unit = (struct unit *)link;

		if (strlen(unit->path) == len && !memcmp(unit->path, path, len))
			return unit;
	}
	return NULL;
}

static struct unit *add_unit(struct opd_cgroups *c, const char *path, size_t len)
{
	struct unit *unit = find_unit(c, path, len);

	if (unit)
		return unit;
	if (c->units.nr >= OPD_CGROUPS_UNITS) {
		path = OPD_CGROUPS_MORE;
		len = strlen(path);
		unit = find_unit(c, path, len);
		if (unit)
			return unit;
	}
	unit = calloc(1, sizeof(*unit) + len + 1);
	if (!unit)
		return NULL;
	memcpy(unit->path, path, len);
	op_hash_add(&c->units, &unit->link, op_hash_bytes(OP_HASH_BEGIN, path, len));
	return unit;
}

/* Return the unit of the group @path, or of its owner if the owner has too many groups. Return NULL
 * if memory is short. */
static struct unit *unit_of(struct opd_cgroups *c, const char *path)
{
	size_t len = usable_length(path);
	struct unit *unit, *owner;
	struct op_cgroup cg;

	if (!len)
		return add_unit(c, "/", 1);
	unit = find_unit(c, path, len);
	if (unit)
		return unit;
	op_cgroup_parse(&cg, path);
	if (cg.owned >= len)
		return add_unit(c, path, len);
	owner = add_unit(c, path, cg.owned);
	if (!owner || owner->nr_inner >= OPD_CGROUPS_INNER)
		return owner;
	owner->nr_inner++;
	return add_unit(c, path, len);
}

const char *opd_cgroups_unit(struct opd_cgroups *c, uint64_t id)
{
	struct id *found;

	if (!c || !id)
		return NULL;
	found = find_id(c, id);
	if (!found && op_now_ms() >= c->search_ms) {
		search(c);
		found = find_id(c, id);
	}
	if (found && !found->unit)
		found->unit = unit_of(c, found->path);
	return found && found->unit ? found->unit->path : NULL;
}
