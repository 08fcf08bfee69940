-- SPDX-License-Identifier: GPL-2.0-or-later
-- The role of users and tools that query: they can read the three tables and the view, within limits. For ClickHouse 20.5 or later.
-- Replace the database oprofile if yours has another name. Then, for each user:
--   CREATE USER reader IDENTIFIED WITH sha256_password BY '...'; GRANT oprofile_reader TO reader;
CREATE ROLE IF NOT EXISTS oprofile_reader SETTINGS readonly = 2,
	max_execution_time = 60 MIN 1 MAX 60, max_memory_usage = 4000000000 MIN 1 MAX 4000000000,
	max_result_bytes = 500000000 MIN 1 MAX 500000000;
GRANT SELECT ON oprofile.samples TO oprofile_reader;
GRANT SELECT ON oprofile.stacks TO oprofile_reader;
GRANT SELECT ON oprofile.sessions TO oprofile_reader;
GRANT SELECT ON oprofile.flame TO oprofile_reader;
CREATE QUOTA IF NOT EXISTS oprofile_reader KEYED BY user_name
	FOR INTERVAL 1 minute MAX queries = 600, execution_time = 120 TO oprofile_reader;
