/* SPDX-License-Identifier: GPL-2.0 */
/* vperfctr/page.h -- the page of a child thread's object. It is created together with the
 * object's first file. */
#ifndef VPERFCTR_PAGE_H
#define VPERFCTR_PAGE_H

struct vperfctr;

/* Allocate the page, before the first file is created. Called by the owner or a tracer. Sleeps.
 * Return 0 or -ENOMEM. */
int vperfctr_make_page(struct vperfctr *v);
/* Switch the object to its page. Called in the owner's task_work. */
void vperfctr_apply_page(struct vperfctr *v);

#endif
