// SPDX-License-Identifier: GPL-2.0
/* vperfctr/page.c -- the page of a child thread's object. */
#include "vperfctr/page.h"

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "vperfctr/object.h"
#include "vperfctr/state.h"

int vperfctr_make_page(struct vperfctr *v)
{
	void *page;

	if (READ_ONCE(v->page))
		return 0;
	page = (void *)__get_free_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!page)
		return -ENOMEM;
	mutex_lock(&v->lock);
	if (!v->page) {
		vperfctr_show_first(v, page);
		WRITE_ONCE(v->page, page);
		page = NULL;
		/* vperfctr_queue() fails if the owner does not run task_work any more. The failure
		 * is harmless, because the state of an exiting owner's object does not change. */
		if (!v->owner || v->owner == current)
			vperfctr_switch_page(v);
		else
			vperfctr_queue(v, v->owner, VPERFCTR_TODO_PAGE);
	}
	mutex_unlock(&v->lock);
	free_page((unsigned long)page);
	return 0;
}

void vperfctr_apply_page(struct vperfctr *v)
{
	mutex_lock(&v->lock);
	if (v->owner == current)
		vperfctr_switch_page(v);
	mutex_unlock(&v->lock);
}
