/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drop_rights.h -- drops privileges before a process reads other users' files.
 */
#ifndef PP_IMAGE_DROP_RIGHTS_H
#define PP_IMAGE_DROP_RIGHTS_H

/*
 * Drop all privileges. If the process is root, it becomes nobody. Afterwards it cannot open files,
 * create processes or access other processes, and its memory and CPU time are limited. Open
 * descriptors stay usable. Load all libraries before this call. Return 0 or a negative errno; after
 * an error the process must not continue.
 */
int pp_drop_rights(void);

#endif
