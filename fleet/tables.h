/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables.h -- the version of the tables, doc/fleet.md. */
#ifndef FLEET_TABLES_H
#define FLEET_TABLES_H

/* Version 2 added the columns cpu, mhz and accounting of table sessions. */
#define FLEET_SCHEMA_VERSION	2	/* the same as EXPORT_SCHEMA_VERSION of opexport */

#endif
