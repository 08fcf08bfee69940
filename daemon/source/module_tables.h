/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_tables.h -- hands the tables that stacks are walked by (daemon/image/unwind_tables.h) over to the module: those
 * that it asks for, and without being asked all others that are loaded meanwhile, which are of programs that run.
 */
#ifndef OPD_MODULE_TABLES_H
#define OPD_MODULE_TABLES_H

#include <stdint.h>

struct opd_cookies;
struct opd_images;
struct opd_module_tables;

/* Hands over the vdsos' at once. @images must have tables (opd_images_unwind()). All is borrowed. 0 or -ENOMEM. */
int opd_module_tables_create(struct opd_module_tables **ret, int buffer_fd, struct opd_cookies *cookies,
			     struct opd_images *images);
void opd_module_tables_destroy(struct opd_module_tables *t);	/* takes NULL */

/* The module wants that of the file @cookie, as soon as it is there. @t: a struct opd_module_tables. */
void opd_module_tables_want(void *t, uint64_t cookie);
/* Asks again, now and then, for what is still wanted. Takes NULL. */
void opd_module_tables_turn(struct opd_module_tables *t);

#endif
