-- SPDX-License-Identifier: GPL-2.0-or-later
-- The role of hosts that export: they can insert rows, and query which intervals were sent. They can neither change
-- nor delete rows, nor read stacks. For ClickHouse 20.5 or later.
-- Replace the database oprofile if yours has another name. Then, for each user:
--   CREATE USER exporter IDENTIFIED WITH sha256_password BY '...'; GRANT oprofile_writer TO exporter;
CREATE ROLE IF NOT EXISTS oprofile_writer;
GRANT INSERT ON oprofile.samples TO oprofile_writer;
GRANT INSERT ON oprofile.stacks TO oprofile_writer;
GRANT INSERT ON oprofile.sessions TO oprofile_writer;
GRANT SELECT ON oprofile.sessions TO oprofile_writer;
GRANT SELECT(t, host, event, count) ON oprofile.samples TO oprofile_writer;
GRANT SHOW COLUMNS ON oprofile.* TO oprofile_writer;
GRANT SELECT ON system.databases TO oprofile_writer;
GRANT SELECT ON system.tables TO oprofile_writer;
GRANT SELECT ON system.columns TO oprofile_writer;
GRANT SELECT ON system.settings TO oprofile_writer;
GRANT SELECT ON system.merge_tree_settings TO oprofile_writer;
GRANT SELECT ON system.processes TO oprofile_writer;
