// SPDX-License-Identifier: GPL-2.0-or-later
/* verbs.c -- what can be done with the daemon, whoever asks for it. */
#include "config.h"
#include "daemon/verbs.h"

#include <string.h>

int opd_start(struct opd_parts *p)
{
	int err;

	if (p->sampling.running)
		return 0;
	opd_keep_prepare(&p->keep);
	opd_books_begin(&p->books);
	err = opd_sampling_start(&p->sampling);
	if (!err) {
		opd_keep_about(&p->keep);
		return 0;
	}
	opd_books_end(&p->books);
	opd_books_write(&p->books);
	return err;
}

int opd_stop(struct opd_parts *p)
{
	int err = opd_sampling_stop(&p->sampling), err2;

	opd_books_end(&p->books);
	err2 = opd_keep_all(&p->keep, p->finished);

	return err ? err : err2;
}

int opd_dump(struct opd_parts *p)
{
	int err = opd_sampling_flush(&p->sampling);
	int err2 = opd_keep_all(&p->keep, p->finished);

	return err ? err : err2;
}

/* Name this process in the totals again, if it samples. */
static void mark_writer(struct opd_parts *p)
{
	if (p->sampling.running)
		opd_books_begin(&p->books);
}

int opd_new_session(struct opd_parts *p, const char *name)
{
	int err;

	opd_sampling_flush(&p->sampling);
	if (name) {
		/* The saved session's last totals. */
		opd_books_end(&p->books);
		opd_keep_all(&p->keep, p->finished);
	}
	opd_keep_close_files(&p->keep);
	err = name ? opd_session_save(&p->session, name) : opd_session_reset(&p->session);
	if (err) {
		mark_writer(p);
		return err;
	}
	opd_log(&p->log, OPD_INFO, "%s%s", name ? "session saved as " : "session reset",
		name ? name : "");
	opd_keep_restart(&p->keep);
	if (p->sampling.running)
		opd_keep_about(&p->keep);	/* it begins now, not with the first samples on the disk */
	err = opd_books_restart(&p->books);
	mark_writer(p);
	return err ? err : opd_books_write(&p->books);
}

int opd_finish(struct opd_parts *p)
{
	if (p->finished)
		return 0;
	p->finished = true;
	return opd_stop(p);
}

void opd_hang_up(struct opd_parts *p)
{
	int err = opd_log_open(&p->log, p->session.samples_fd, "oprofiled.log");

	if (err)
		opd_log(&p->log, OPD_ERROR, "cannot open the log again: %s", strerror(-err));
	opd_keep_sync(&p->keep);
	opd_keep_close_files(&p->keep);
	opd_log(&p->log, OPD_INFO, "log and sample files opened again");
}
