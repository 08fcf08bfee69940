#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""handlers-server.py CONFIG USER_FILES UPSTREAM PORT FAULT: serve the http_handlers of a configuration of ClickHouse.

For servers that do not have them: 18.16, and the library. Static files are in USER_FILES; a query goes to UPSTREAM with its
parameters and headers. If the file FAULT exists, a query is answered by it: a line "STATUS TYPE", then the body; "cut": the
connection ends within the body.
"""
import http.server
import os
import re
import sys
import urllib.error
import urllib.request
import xml.etree.ElementTree

config, user_files, upstream, port, fault = sys.argv[1:]
rules = xml.etree.ElementTree.parse(config).getroot().find("http_handlers").findall("rule")
NEAR = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def matches(rule, method, path):
    url = rule.findtext("url")
    return (re.fullmatch(url[6:], path) if url.startswith("regex:") else url == path) and \
        method in rule.findtext("methods").upper().split(",")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_rule(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        rule = next((r for r in rules if matches(r, self.command, path)), None)
        if rule is None:
            self.put(404, {"Content-Type": "text/plain"}, b"There is no handle\n")
            return
        handler = rule.find("handler")
        if handler.findtext("type") == "static":
            name = handler.findtext("response_content")
            assert name.startswith("file://") and not name.startswith("file:///"), name
            headers = {h.tag: h.text for h in handler.find("http_response_headers")}
            with open(os.path.join(user_files, name[7:]), "rb") as f:
                self.put(int(handler.findtext("status")), {"Content-Type": handler.findtext("content_type"), **headers}, f.read())
            return
        assert handler.findtext("type") == "dynamic_query_handler"
        if os.path.exists(fault):
            self.put_fault()
        else:
            self.forward(query, body)

    do_GET = do_POST = handle_rule

    def forward(self, query, body):
        headers = {n: v for n, v in self.headers.items() if n.lower().startswith("x-clickhouse-")}
        try:
            with NEAR.open(urllib.request.Request(f"{upstream}/?{query}", data=body, headers=headers)) as answer:
                self.put(answer.status, {"Content-Type": "application/json"}, answer.read())
        except urllib.error.HTTPError as error:
            self.put(error.code, {"Content-Type": "text/plain"}, error.read())

    def put_fault(self):
        with open(fault, "rb") as f:
            (status, kind), body = f.readline().decode().split(), f.read()
        if kind == "cut":
            self.send_response(int(status))
            self.send_header("Content-Length", str(len(body) + 1000))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True
            return
        self.put(int(status), {"Content-Type": kind}, body)

    def put(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
