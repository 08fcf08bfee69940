/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/page.h -- the page of a copy, which has none until somebody wants a file of it.
 */
#ifndef VPERFCTR_PAGE_H
#define VPERFCTR_PAGE_H

struct vperfctr;

/* Before there is a file; by the owner, or a tracer. ENOMEM. Sleeps. */
int vperfctr_make_page(struct vperfctr *v);
/* What the owner's task_work does. */
void vperfctr_take_page(struct vperfctr *v);

#endif
