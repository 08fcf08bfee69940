// SPDX-License-Identifier: GPL-2.0-or-later
/* module_tables.c -- transfer of unwind tables to the kernel module. */
#include "config.h"
#include "daemon/source/module_tables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "daemon/image/cookie.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/image/unwind_tables.h"
#include "libop/base/clock.h"
#include "module/uapi/oprofile.h"

/* Maximum number of the module's requests for unwind tables that wait for an answer. Further
 * requests are dropped; the module repeats them when it restarts the numbering of call paths. */
#define MAX_WANTED	4096
#define TURN_MS		250

struct wanted {
	uint64_t cookie;
	const struct opd_image *image;
};

struct opd_module_tables {
	int buffer_fd;
	struct opd_cookies *cookies;
	struct opd_images *images;
	struct opd_unwind_tables *unwind;
	/* a request of the module is being answered: if a table is loaded now, it is the answer */
	bool asking;
	uint64_t turned_ms;
	size_t nr;
	struct wanted wanted[MAX_WANTED];
};

/* Pass an unwind table to the module, or inform the module that the file has no table. Return false
 * if the kernel is out of memory. */
static bool pass_table(const struct opd_module_tables *t, struct oprofile_unwind_table info,
		 const struct opd_unwind *u)
{
	if (u->table) {
		info.table = (uintptr_t)u->table;
		info.size = oprofile_uw_table_size(u->table);
	} else {
		info.end = u->end;
	}
	if (!ioctl(t->buffer_fd, OPROFILE_IOC_TABLE, &info) || errno == E2BIG)
		return true;
	if (errno == EINVAL && info.size) {
		/* The module has rejected the table and counted this. Inform the module that the
		 * file has no table, so that it follows frame pointers in this file. */
		info.size = 0;
		info.end = OPROFILE_UW_NO_ROW;
		ioctl(t->buffer_fd, OPROFILE_IOC_TABLE, &info);
		return true;
	}
	return errno != ENOMEM;
}

/* Pass a table to the module that the module did not request. Identify the file by a descriptor,
 * because the module may not know a cookie for the file. */
static void pass_unrequested(const struct opd_module_tables *t, const struct opd_image *image,
			 const struct opd_unwind *u)
{
	struct opd_identity identity = { .fd = -1 };

	if (opd_finder_find(opd_images_finder(t->images), &identity, image->path, image->dev,
			    image->ino, 0))
		return;
	if (identity.fd >= 0 && identity.identity.build == image->identity.build)
		pass_table(t,
		     (struct oprofile_unwind_table){.cookie = OPROFILE_NO_COOKIE,
						    .fd = identity.fd},
		     u);
	opd_identity_release(&identity);
}

static void pass_vdsos(const struct opd_module_tables *t)
{
	for (int is_32 = 0; is_32 < 2; is_32++)
		pass_table(t,
		     (struct oprofile_unwind_table){.fd = -1,
						    .flags = is_32 ? OPROFILE_TABLE_VDSO32 :
								     OPROFILE_TABLE_VDSO},
		     opd_unwind_tables_vdso(t->unwind, is_32));
}

/* Answer the module's request @w if the table is loaded, or if the file certainly has no table.
 * Return true if the request was answered. */
static bool answer(struct opd_module_tables *t, const struct wanted *w)
{
	const struct opd_unwind *u;

	t->asking = true;
	u = opd_unwind_tables_get(t->unwind, w->image);
	t->asking = false;
	if (!u->file && u->end == OPROFILE_UW_NO_TABLE)
		return false;
	return pass_table(t, (struct oprofile_unwind_table){ .cookie = w->cookie, .fd = -1 }, u);
}

/* Answer the module's requests for the table of @image, or all its requests if @image is NULL.
 * Return true if there were such requests. */
static bool answer_all(struct opd_module_tables *t, const struct opd_image *image)
{
	bool was_wanted = false;

	for (size_t i = t->nr; i-- > 0;) {
		struct wanted *w = &t->wanted[i];
		const struct opd_image *now = opd_cookies_image(t->cookies, w->cookie, 0);

		/* The image is another one if a sample's process made it possible to open the
		 * file. */
		if (now)
			w->image = now;
		if (image && w->image != image)
			continue;
		was_wanted = true;
		if (answer(t, w))
			*w = t->wanted[--t->nr];
	}
	return was_wanted;
}

static void table_loaded(void *arg, const struct opd_image *image, const struct opd_unwind *u)
{
	struct opd_module_tables *t = arg;

	if (!t->asking && !answer_all(t, image))
		pass_unrequested(t, image, u);
}

void opd_module_tables_request(void *arg, uint64_t cookie)
{
	struct opd_module_tables *t = arg;
	struct wanted w = { .cookie = cookie };

	for (size_t i = 0; i < t->nr; i++)
		if (t->wanted[i].cookie == cookie)
			return;
	if (cookie == OPROFILE_NO_COOKIE) {
		/* The module has dropped the table of a vDSO to free memory, and needs it again. A
		 * request without a cookie is always for the table of a vDSO. */
		pass_vdsos(t);
		return;
	}
	t->asking = true;
	w.image = opd_cookies_image(t->cookies, cookie, 0);
	t->asking = false;
	if (w.image && !answer(t, &w) && t->nr < MAX_WANTED)
		t->wanted[t->nr++] = w;
}

void opd_module_tables_turn(struct opd_module_tables *t)
{
	uint64_t now;

	if (!t || !t->nr)
		return;
	now = op_now_ms();
	if (now - t->turned_ms < TURN_MS)
		return;
	t->turned_ms = now;
	answer_all(t, NULL);
}

int opd_module_tables_create(struct opd_module_tables **ret, int buffer_fd,
			     struct opd_cookies *cookies, struct opd_images *images)
{
	struct opd_module_tables *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->buffer_fd = buffer_fd;
	t->cookies = cookies;
	t->images = images;
	t->unwind = opd_images_unwind(images);
	opd_unwind_tables_report(t->unwind, table_loaded, t);
	pass_vdsos(t);
	*ret = t;
	return 0;
}

void opd_module_tables_destroy(struct opd_module_tables *t)
{
	if (!t)
		return;
	opd_unwind_tables_report(t->unwind, NULL, NULL);
	free(t);
}
