# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clickhouse.sh -- a private ClickHouse server for tests of opexport: Debian's, in $work, on a free port of loopback. The
# variable OPROFILE_TEST_CHDB, the path of a libchdb.so, chooses the engine of that library behind a small HTTP server.
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1
opexport=$top/utils/bin/opexport
[ -x "$opexport" ] || skip "opexport was not built: libcurl is missing"
server_pid=
http_port=
server_users=

# shellcheck disable=SC2317 # end_test calls it
end_server() {
	[ "$server_pid" ] || return
	kill -KILL "$server_pid" 2>/dev/null
	wait "$server_pid" 2>/dev/null
}
at_end end_server

# free_port: prints a port of loopback that no process uses.
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

server_config() {
	mkdir -p "$work/server/data" "$work/server/tmp"
	cat >"$work/server/config.xml" <<-END
		<yandex>
		<logger><level>warning</level><log>$work/server/log</log><errorlog>$work/server/errors</errorlog></logger>
		<http_port>$http_port</http_port><listen_host>127.0.0.1</listen_host>
		<path>$work/server/data/</path><tmp_path>$work/server/tmp/</tmp_path>
		<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
		<mark_cache_size>5368709</mark_cache_size><uncompressed_cache_size>8589934</uncompressed_cache_size>
		</yandex>
	END
	cat >"$work/server/users.xml" <<-END
		<yandex>
		<profiles><default><max_memory_usage>1000000000</max_memory_usage>
		<max_insert_block_size>3</max_insert_block_size><min_insert_block_size_rows>3</min_insert_block_size_rows>
		<min_insert_block_size_bytes>100</min_insert_block_size_bytes></default>
		<reader><readonly>2</readonly></reader><strict><readonly>1</readonly></strict></profiles>
		<users>
		<default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
		<writer><password>pass word</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></writer>
		<reader><password>read word</password><networks><ip>127.0.0.1</ip></networks><profile>reader</profile><quota>default</quota></reader>
		<strict><password>read word</password><networks><ip>127.0.0.1</ip></networks><profile>strict</profile><quota>default</quota></strict>
		<stranger><password>read word</password><networks><ip>127.0.0.1</ip></networks><profile>reader</profile><quota>default</quota>
		<allow_databases><database>default</database></allow_databases></stranger>
		</users>
		<quotas><default></default></quotas>
		</yandex>
	END
}

# start_server: starts the server, or starts it again with the same data, and waits until it answers. The variable
# server_users is a configuration file of users for the engine of libchdb; empty: a user with all rights.
start_server() {
	local tries=0

	need python3 curl
	[ "$http_port" ] || http_port=$(free_port)
	if [ "${OPROFILE_TEST_CHDB:-}" ]; then
		mkdir -p "$work/server"
		echo "<clickhouse><users_config>${server_users:-}</users_config></clickhouse>" >"$work/server/config.xml"
		python3 "$top/tests/tools/lib/chdb-server.py" "$OPROFILE_TEST_CHDB" "$http_port" "$work/server/data" \
			${server_users:+"$work/server/config.xml"} >"$work/server/out" 2>&1 &
	else
		need clickhouse-server
		[ -d "$work/server" ] || server_config
		(cd "$work/server" && exec clickhouse-server --config-file="$work/server/config.xml") >"$work/server/out" 2>&1 &
	fi
	server_pid=$!
	until [ "$(curl -s "http://127.0.0.1:$http_port/?query=SELECT+1" 2>/dev/null)" = 1 ]; do
		kill -0 "$server_pid" 2>/dev/null ||
			fail "ClickHouse ended: $(tail -3 "$work/server/out" "$work/server/errors" 2>/dev/null)"
		[ $((tries += 1)) -lt 600 ] || fail "ClickHouse does not answer: $(tail -3 "$work/server/out")"
		sleep 0.2
	done
}

stop_server() {
	kill -TERM "$server_pid"
	wait "$server_pid"
	server_pid=
}

# sql QUERY: prints the answer of the server.
sql() { curl -sS "http://127.0.0.1:$http_port/" --data-binary "$1"; }
to() { echo "http://127.0.0.1:$http_port/$1"; }
