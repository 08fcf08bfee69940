/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_tables.h -- transfer of unwind tables (daemon/image/unwind_tables.h) to the kernel module:
 * tables that the module requests, and tables of running programs as soon as they are loaded.
 */
#ifndef OPD_MODULE_TABLES_H
#define OPD_MODULE_TABLES_H

#include <stdint.h>

struct opd_cookies;
struct opd_images;
struct opd_module_tables;

/* Create *@ret, and pass the unwind tables of the vDSOs to the module. @images must have unwind
 * tables (opd_images_unwind()). All arguments are borrowed. Return 0 or -ENOMEM. */
int opd_module_tables_create(struct opd_module_tables **ret, int buffer_fd,
			     struct opd_cookies *cookies, struct opd_images *images);
void opd_module_tables_destroy(struct opd_module_tables *t);	/* @t may be NULL. */

/* Handle the module's request for the unwind table of the file with cookie @cookie. @t: a struct
 * opd_module_tables. */
void opd_module_tables_request(void *t, uint64_t cookie);
/* Try to answer the requests of the module that wait for an answer. Repeated calls are limited in
 * rate. @t may be NULL. */
void opd_module_tables_turn(struct opd_module_tables *t);

#endif
