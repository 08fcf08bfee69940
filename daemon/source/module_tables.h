/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_tables.h -- passing of unwind tables (daemon/image/unwind_tables.h) to the kernel module:
 * the tables that the module requests, and the tables of running programs, which are passed without
 * a request when they are loaded.
 */
#ifndef OPD_MODULE_TABLES_H
#define OPD_MODULE_TABLES_H

#include <stdint.h>

struct opd_cookies;
struct opd_images;
struct opd_module_tables;

/* Create *@ret, and pass the unwind tables of the vdsos at once. @images must have unwind tables
 * (opd_images_unwind()). All arguments are borrowed. Return 0 or -ENOMEM. */
int opd_module_tables_create(struct opd_module_tables **ret, int buffer_fd,
			     struct opd_cookies *cookies, struct opd_images *images);
void opd_module_tables_destroy(struct opd_module_tables *t);	/* @t may be NULL */

/* Note that the module requests the unwind table of the file @cookie. @t: a struct
 * opd_module_tables. */
void opd_module_tables_want(void *t, uint64_t cookie);
/* Retry the module's requests that are not answered yet, at limited rate. @t may be NULL. */
void opd_module_tables_turn(struct opd_module_tables *t);

#endif
