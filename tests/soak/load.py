# SPDX-License-Identifier: GPL-2.0-or-later
"""load.py FILE -- the load of a small server, until FILE exists: a web server and its client, a database (FILE.db), and
short programs as cron starts them."""
import http.client
import http.server
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time

stop = sys.argv[1]
rows = sqlite3.connect(stop + '.db', check_same_thread=False, isolation_level=None)
rows.execute('pragma synchronous = off')
rows.execute('create table things (id integer primary key, name text, value real)')
rows.executemany('insert into things (name, value) values (?, ?)', ((str(i), i / 7) for i in range(20000)))
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with lock:
            found = rows.execute('select name, value from things where value > ? order by name limit 50',
                                 (random.random() * 2800,)).fetchall()
        text = '\n'.join('<li>%s: %.3f' % row for row in found).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
n = 0
while not os.path.exists(stop):
    client = http.client.HTTPConnection('127.0.0.1', server.server_port)
    client.request('GET', '/')
    client.getresponse().read()
    client.close()
    n += 1
    if n % 20 == 0:
        with lock:
            rows.execute('update things set value = value + 1 where id % 97 = ?', (n % 97,))
    if n % 200 == 0:
        subprocess.run(['sh', '-c', 'ls -lR /etc | sort | gzip -9 | md5sum'], stdout=subprocess.DEVNULL, check=False)
    time.sleep(0.005)
