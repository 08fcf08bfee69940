// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroup.c -- names of systemd units, containers and pods in the path of a control group. */
#include "config.h"
#include "libop/session/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER_ID	64	/* number of digits of a container's id */

typedef struct op_cgroup_part part;

static part text(const char *s)
{
	return (part){ s, strlen(s) };
}

static bool is(part p, const char *s)
{
	return p.len == strlen(s) && !memcmp(p.at, s, p.len);
}

/* If @p begins with @s, remove @s from @p. Return whether it did. */
static bool cut_begin(part *p, const char *s)
{
	size_t n = strlen(s);

	if (p->len < n || memcmp(p->at, s, n))
		return false;
	*p = (part){ p->at + n, p->len - n };
	return true;
}

static bool cut_end(part *p, const char *s)
{
	size_t n = strlen(s);

	if (p->len < n || memcmp(p->at + p->len - n, s, n))
		return false;
	p->len -= n;
	return true;
}

static bool consists_of(part p, const char *chars)
{
	for (size_t i = 0; i < p.len; i++)
		if (!p.at[i] || !strchr(chars, p.at[i]))
			return false;
	return p.len > 0;
}

#define DIGITS	"0123456789"
#define HEX	DIGITS "abcdef"
#define LETTERS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/* the characters that systemd permits in the name of a unit */
#define UNIT	DIGITS LETTERS ":-_.\\@"
/* the characters of the name of a machine or an lxc container */
#define MACHINE	DIGITS LETTERS "-_."

static bool is_id(part p)
{
	return p.len == CONTAINER_ID && consists_of(p, HEX);
}

/* Return the first component of @rest, which begins with a '/', without removing it. */
static part first_of(part rest)
{
	const char *at, *slash;

	if (rest.len < 2)
		return (part){ rest.at, 0 };
	at = rest.at + 1;
	slash = memchr(at, '/', rest.len - 1);
	return (part){ at, slash ? (size_t)(slash - at) : rest.len - 1 };
}

static part after(part rest, part component)
{
	const char *at = component.at + component.len;

	return (part){ at, (size_t)(rest.at + rest.len - at) };
}

/* systemd writes '_' before the name of a group that would look like a file of the kernel. */
static part unescape(part p)
{
	if (p.len > 1 && *p.at == '_')
		return (part){ p.at + 1, p.len - 1 };
	return p;
}

static bool is_unit(part p, const char *suffix)
{
	part name = p;

	return cut_end(&name, suffix) && p.len < 256 && consists_of(name, UNIT);
}

static bool is_unit_in_group(part p)
{
	static const char *const suffixes[] = { ".service", ".scope", ".mount", ".socket",
						".swap" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (is_unit(p, suffixes[i]))
			return true;
	return false;
}

/* Copy the pod's uid @p to @to, with '-' for @dash. Accept 8-4-4-4-12 digits, or the 32 digits of a
 * pod without an API server. Return false if @p is not such a uid. */
static bool copy_pod(char to[OP_POD_UID_SIZE], part p, char dash)
{
	const bool plain = p.len == 32;

	if (!plain && p.len != OP_POD_UID_SIZE - 1)
		return false;
	for (size_t i = 0; i < p.len; i++) {
		bool at_dash = !plain && (i == 8 || i == 13 || i == 18 || i == 23);

		if (at_dash ? p.at[i] != dash : !p.at[i] || !strchr(HEX, p.at[i]))
			return false;
	}
	for (size_t i = 0; i < p.len; i++)
		to[i] = p.at[i] == dash ? '-' : p.at[i];
	to[p.len] = '\0';
	return true;
}

/* Parse kubepods[-CLASS]-podUID.slice. kind names these slices "kubelet-kubepods...". */
static void parse_pod_slice(struct op_cgroup_level *level, part slice)
{
	char pod[OP_POD_UID_SIZE];

	cut_begin(&slice, "kubelet-");
	if (!cut_begin(&slice, "kubepods-") || !cut_end(&slice, ".slice"))
		return;
	if (!cut_begin(&slice, "burstable-"))
		cut_begin(&slice, "besteffort-");
	if (cut_begin(&slice, "pod") && copy_pod(pod, slice, '_'))
		memcpy(level->pod, pod, sizeof(pod));
}

/* If @c is PREFIX followed by an id and SUFFIX, set the level's container. */
static bool parse_form(struct op_cgroup_level *level, part c, const char *prefix,
		       const char *suffix, const char *runtime)
{
	if (!cut_begin(&c, prefix) || !cut_end(&c, suffix) || !is_id(c))
		return false;
	level->container = c;
	level->runtime = runtime;
	return true;
}

/* Parse a scope that a container runtime creates through systemd, or a group of a form that only
 * runtimes use. */
static bool parse_container(struct op_cgroup_level *level, part c)
{
	static const struct {
		const char *prefix, *suffix, *runtime;
	} forms[] = {
		{ "docker-", ".scope", "docker" },
		{ "libpod-", ".scope", "podman" },
		{ "cri-containerd-", ".scope", "containerd" },
		{ "nerdctl-", ".scope", "containerd" },
		{ "crio-", ".scope", "cri-o" },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (parse_form(level, c, forms[i].prefix, forms[i].suffix, forms[i].runtime))
			return true;
	if (cut_begin(&c, "lxc.payload.") && consists_of(c, MACHINE)) {
		level->container = c;
		level->runtime = "lxc";
		return true;
	}
	return false;
}

/*
 * Parse machine-NAME.scope or systemd-nspawn@NAME.service. The processes of the container are in
 * the group "payload" below it (also directly in a scope of an older systemd), its supervisor in
 * "supervisor". Virtual machines of libvirt have scopes machine-qemu\x2d...: these are units.
 */
static bool parse_machine(struct op_cgroup_level *level, part c, part *rest)
{
	part name = c, next = first_of(*rest);
	const char *runtime = "nspawn";
	bool is_scope = cut_begin(&name, "machine-") && cut_end(&name, ".scope");

	if (is_scope && cut_begin(&name, "lxc\\x2d"))
		runtime = "lxc";
	else if (is_scope && cut_begin(&name, "qemu\\x2d"))
		return false;
	if (!is_scope) {
		name = c;
		if (!cut_begin(&name, "systemd-nspawn@") || !cut_end(&name, ".service") ||
		    !is(next, "payload"))
			return false;
	}
	if (!consists_of(name, MACHINE "\\") || is(next, "supervisor"))
		return false;
	level->container = name;
	level->runtime = runtime;
	if (is(next, "payload"))
		*rest = after(*rest, next);
	return true;
}

/* containerd without systemd's driver, below its own service:
 * kubepods[-CLASS]-podUID.slice:cri-containerd:ID */
static bool parse_colons(struct op_cgroup_level *level, part c)
{
	const char *colon = memchr(c.at, ':', c.len);
	part slice, id;

	if (!colon)
		return false;
	slice = (part){ c.at, (size_t)(colon - c.at) };
	id = (part){ colon, c.len - slice.len };
	if (!cut_begin(&id, ":cri-containerd:") || !is_id(id))
		return false;
	parse_pod_slice(level, slice);
	level->container = id;
	level->runtime = "containerd";
	return true;
}

/* Parse [burstable/|besteffort/]podUID[/ID], the groups below "kubepods" without systemd. */
static bool parse_kubepods(struct op_cgroup_level *level, part *rest)
{
	part at = *rest, c = first_of(at), uid;

	if (is(c, "burstable") || is(c, "besteffort")) {
		at = after(at, c);
		c = first_of(at);
	}
	uid = c;
	if (!cut_begin(&uid, "pod") || !copy_pod(level->pod, uid, '-'))
		return false;
	at = after(at, c);
	c = first_of(at);
	if (parse_form(level, c, "crio-", "", "cri-o") || parse_form(level, c, "", "", "kubernetes"))
		at = after(at, c);
	*rest = at;
	return true;
}

/* Parse a group that a container runtime creates without systemd: @c, and groups below it. */
static bool parse_plain(struct op_cgroup_level *level, part c, part *rest)
{
	part next = first_of(*rest);

	if (is(c, "kubepods"))
		return parse_kubepods(level, rest);
	if (is(c, "docker") && parse_form(level, next, "", "", "docker")) {
		*rest = after(*rest, next);
		return true;
	}
	if (is(c, "libpod_parent") && parse_form(level, next, "libpod-", "", "podman")) {
		*rest = after(*rest, next);
		return true;
	}
	if ((is(c, "lxc") || is(c, "lxc.payload")) && consists_of(next, MACHINE)) {
		level->container = next;
		level->runtime = "lxc";
		*rest = after(*rest, next);
		return true;
	}
	return false;
}

/* Parse the names of one level, and remove its components from *@rest. Return whether the level
 * ends with a name, so that the other components are the next level. Otherwise they are not known:
 * *@rest then begins after the first unknown component. */
static bool parse_level(struct op_cgroup_level *level, part *rest)
{
	part c;
	bool first = true;

	for (; (c = first_of(*rest)).len; first = false) {
		part name = unescape(c);

		*rest = after(*rest, c);
		if (is_unit(name, ".slice")) {
			level->slice = name;
			parse_pod_slice(level, name);
			continue;
		}
		if (parse_container(level, c) || parse_machine(level, c, rest))
			return true;
		if (is_unit_in_group(name)) {
			level->unit = name;
			c = first_of(*rest);
			if (is(name, "containerd.service") && parse_colons(level, c))
				*rest = after(*rest, c);
			return true;
		}
		/* Only the root group's children have these names: other users may be able to
		 * create groups in all further groups. */
		if (first && parse_plain(level, c, rest))
			return true;
		break;
	}
	return false;
}

void op_cgroup_parse(struct op_cgroup *ret, const char *path)
{
	part rest = text(path);

	memset(ret, 0, sizeof(*ret));
	for (bool more = true; more && ret->nr < OP_CGROUP_LEVELS && first_of(rest).len;
	     ret->nr++) {
		struct op_cgroup_level *level = &ret->levels[ret->nr];

		more = parse_level(level, &rest);
		if (!ret->nr)
			ret->owned = (size_t)(rest.at - path);
		if (!more && !level->slice.len)
			return;
	}
	if (!ret->nr)
		ret->owned = strlen(path);
}

static void put_level(FILE *f, const struct op_cgroup_level *level, bool brief)
{
	const part *p = level->unit.len ? &level->unit : &level->slice;

	if (level->runtime) {
		p = &level->container;
		fprintf(f, "%s:%.*s", level->runtime,
			(int)(brief && is_id(*p) ? OP_CONTAINER_SHORT : p->len), p->at);
	} else if (p->len) {
		fprintf(f, "%.*s", (int)p->len, p->at);
	} else {
		fprintf(f, "pod:%s", level->pod);
	}
}

/* Return the names of the first @nr levels, with @end after the last '/' instead of the name of the
 * last level unless @end is NULL. */
static char *join(const struct op_cgroup *cg, size_t nr, const char *end, bool brief)
{
	char *name = NULL;
	size_t len;
	FILE *f = open_memstream(&name, &len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if (i)
			putc('/', f);
		if (i == nr - 1 && end)
			fputs(end, f);
		else
			put_level(f, &cg->levels[i], brief);
	}
	if (fclose(f)) {
		free(name);
		return NULL;
	}
	return name;
}

char *op_cgroup_name(const char *path, bool brief)
{
	struct op_cgroup cg;

	op_cgroup_parse(&cg, path);
	return cg.nr ? join(&cg, cg.nr, NULL, brief) : strdup(path);
}

char *op_cgroup_container(const char *path, bool brief)
{
	struct op_cgroup cg;
	size_t nr;

	op_cgroup_parse(&cg, path);
	for (nr = cg.nr; nr && !cg.levels[nr - 1].runtime; nr--)
		;
	return nr ? join(&cg, nr, NULL, brief) : strdup("");
}

char *op_cgroup_pod(const char *path)
{
	struct op_cgroup cg;
	size_t nr;

	op_cgroup_parse(&cg, path);
	for (nr = cg.nr; nr && !cg.levels[nr - 1].pod[0]; nr--)
		;
	return nr ? join(&cg, nr, cg.levels[nr - 1].pod, false) : strdup("");
}

/* Return whether @p begins with the name of the level; then remove the name from @p. */
static bool cut_level(part *p, const struct op_cgroup_level *level)
{
	part rest = *p, id = level->container;

	if (level->runtime) {
		size_t same = 0;

		if (cut_begin(&rest, level->runtime) && !cut_begin(&rest, ":"))
			return false;
		while (same < rest.len && rest.at[same] != '/')
			same++;
		if (same > id.len || memcmp(rest.at, id.at, same) ||
		    (same < id.len && (!is_id(id) || same < OP_CONTAINER_SHORT)))
			return false;
		*p = (part){ rest.at + same, rest.len - same };
		return true;
	}
	id = level->unit.len ? level->unit : level->slice;
	if (!id.len || rest.len < id.len || memcmp(rest.at, id.at, id.len))
		return false;
	*p = (part){ rest.at + id.len, rest.len - id.len };
	return true;
}

bool op_cgroup_is_unit(const char *path, const char *value)
{
	struct op_cgroup cg;
	part rest = text(value), all = text(path), c;

	if (!strcmp(path, value))
		return true;
	op_cgroup_parse(&cg, path);
	for (size_t i = 0; i < cg.nr && cut_level(&rest, &cg.levels[i]); i++) {
		if (!rest.len)
			return true;
		if (!cut_begin(&rest, "/"))
			break;
	}
	if (!is_unit(text(value), ".slice"))
		return false;
	while ((c = first_of(all)).len && is_unit(unescape(c), ".slice")) {
		if (is(unescape(c), value))
			return true;
		all = after(all, c);
	}
	return false;
}

bool op_cgroup_is_container(const char *path, const char *value)
{
	struct op_cgroup cg;
	part rest = text(value);

	op_cgroup_parse(&cg, path);
	for (size_t i = 0; i < cg.nr && cut_level(&rest, &cg.levels[i]); i++) {
		if (!rest.len)
			return cg.levels[i].runtime;
		if (!cut_begin(&rest, "/"))
			break;
	}
	return false;
}

bool op_cgroup_is_pod(const char *path, const char *value)
{
	char *pod = op_cgroup_pod(path);
	bool same = pod && *pod && !strcmp(pod, value);

	free(pod);
	return same;
}
