#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""chdb-server.py LIBCHDB PORT DIRECTORY [CONFIG]: ClickHouse's engine of libchdb behind the part of its HTTP interface that opexport uses.

Unlike the real server, it runs one query at a time, and allows all users. Its engine has one user, whose rights may be in the
configuration file CONFIG.
"""
import ctypes
import gzip
import http.server
import os
import re
import sys
import tempfile
import threading
import urllib.parse

lib = ctypes.CDLL(sys.argv[1])
lib.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
lib.chdb_query_n.restype = ctypes.c_void_p
lib.chdb_query_n.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
for name, kind in ("buffer", ctypes.c_void_p), ("length", ctypes.c_size_t), ("error", ctypes.c_char_p):
    getattr(lib, "chdb_result_" + name).restype = kind
    getattr(lib, "chdb_result_" + name).argtypes = [ctypes.c_void_p]
lib.chdb_destroy_query_result.argtypes = [ctypes.c_void_p]
IGNORED = ("query", "database", "query_id", "wait_end_of_query")


def connect(directory, config):
    os.makedirs(directory, exist_ok=True)
    words = [b"clickhouse", b"--path=" + directory.encode()]
    words += [b"--config-file=" + path.encode() for path in config]
    connection = lib.chdb_connect(len(words), (ctypes.c_char_p * len(words))(*words))
    return connection[0]


lock = threading.Lock()


def run(connection, sql, database):
    with lock:
        error, _ = run_alone(connection, b"USE `%s`" % (database or "default").replace("`", "``").encode())
        return (error, None) if error else run_alone(connection, sql)


def run_alone(connection, sql):
    result = lib.chdb_query_n(connection, sql, len(sql), b"TabSeparated", 12)
    try:
        error = lib.chdb_result_error(result)
        if error:
            return error, None
        length = lib.chdb_result_length(result)
        return None, ctypes.string_at(lib.chdb_result_buffer(result), length) if length else b""
    finally:
        lib.chdb_destroy_query_result(result)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) != length:
            return
        packing = self.headers.get("Content-Encoding")
        if packing == "gzip":
            body = gzip.decompress(body)
        self.answer(body, packing if packing == "zstd" else "none")

    def do_GET(self):
        self.answer(b"", "none")

    def answer(self, body, packing):
        parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        sql = parameters.get("query", "").encode()
        settings = ", ".join(f"{n} = '{v}'" for n, v in parameters.items() if n not in IGNORED)
        rows = None
        if sql and body:
            # As a part of the query, rows would end at some bytes.
            rows = tempfile.NamedTemporaryFile(dir=sys.argv[3])
            rows.write(body)
            rows.flush()
            middle = f" FROM INFILE '{rows.name}' COMPRESSION '{packing}'" + (f" SETTINGS {settings}" if settings else "") + " FORMAT "
            sql = sql.replace(b" FORMAT ", middle.encode(), 1)
        elif body:
            sql = body
        error, text = run(self.server.connection, sql, parameters.get("database"))
        if rows:
            rows.close()
        self.send_response(500 if error else 200)
        if error:
            code = re.match(rb"Code: (\d+)", error)
            self.send_header("X-ClickHouse-Exception-Code", code.group(1).decode() if code else "1001")
        self.send_header("X-ClickHouse-Server-Display-Name", "chdb")
        text = error if error else text
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64


server = Server(("127.0.0.1", int(sys.argv[2])), Handler)
server.connection = connect(sys.argv[3], sys.argv[4:])
server.serve_forever()
