# SPDX-License-Identifier: GPL-2.0-or-later
"""readers.py TOP WORK INTERVALS REPORTS -- makes a day of intervals of ten minutes, then so many more while two readers
report the whole time again and again, so many times in all. The intervals are packed, merged and deleted meanwhile. Each
report has each interval exactly once."""
import os
import random
import re
import subprocess
import sys
import threading

from machine import Batch, Image, Machine

INTERVAL = 600
A_DAY = 144
# number of reports that are needed during which nothing is delivered, and of further reports until then
EXACT, MORE = 10, 400


class Readers:
    def __init__(self, top, work, nr_reports):
        self.top, self.work, self.left = top, work, nr_reports
        self.rng = random.Random(1)
        self.begin = 1788220800
        self.machine = Machine(top, work, self.begin, ['--interval=%d' % INTERVAL, '--keep=2y', '--max-disk=100M'])
        # A report uses the clock of this machine, from which the directory's times come.
        self.environment = {name: value for name, value in self.machine.environment.items()
                            if name not in ('LD_PRELOAD', 'MACHINE')}
        image = Image(work + '/program', 'function_', 300, 1)
        self.machine.add_cookie(image)
        self.batches = [Batch([image], 100 + i, self.rng) for i in range(8)]
        self.lock = threading.Lock()
        self.closed = self.delivered = 0    # samples
        self.exact = self.others = 0        # reports
        self.wrong = []
        self.names = set()

    def report(self):
        with self.lock:
            least = self.closed
            before = self.delivered
        done = subprocess.run([self.top + '/pp/opreport', '--session-dir=' + self.machine.session, '--since=@0',
                               '--until=@4000000000'], env=self.environment, capture_output=True, text=True,
                              check=False)
        with self.lock:
            most = self.delivered
        m = re.search(r'^Samples taken: (\d+), stored: (\d+)', done.stdout, re.M)
        shown = int(m.group(2)) if m else -1
        with self.lock:
            if done.returncode or not least <= shown <= most:
                self.wrong.append('a report has %d samples, not %d to %d: %s' % (shown, least, most, done.stderr))
            if least == before == most:
                self.exact += 1
            else:
                self.others += 1

    def read(self):
        while not self.wrong:
            with self.lock:
                self.left -= 1
                # more reports than asked for if few of them fell between two deliveries
                if self.left < 0 and (self.exact >= EXACT or self.left < -MORE):
                    return
            self.report()

    def interval(self, n):
        m, at, batch = self.machine, self.begin + n * INTERVAL, self.rng.choice(self.batches)
        m.advance(at + 100)
        with self.lock:
            self.delivered += batch.taken
        m.feed(batch)
        if n < 3:
            m.wait_idle()
        m.advance(at + INTERVAL + 1)
        m.turn(3)       # now the interval is closed, and not yet packed
        with self.lock:
            self.closed = self.delivered
        m.wait_idle()
        if not self.wrong:
            self.names.update(os.listdir(m.store))

    def run(self, nr):
        self.machine.start()
        for n in range(A_DAY):
            self.interval(n)
        threads = [threading.Thread(target=self.read) for _ in range(2)]
        for thread in threads:
            thread.start()
        n = A_DAY
        while n < A_DAY + nr or any(thread.is_alive() for thread in threads):
            self.interval(n)
            n += 1
        for thread in threads:
            thread.join()
        self.machine.end()
        merged = len([name for name in self.names if '-1-' in name])
        print('%d reports while nothing was delivered, %d others; %d intervals, %d merges' %
              (self.exact, self.others, n, merged))
        for text in self.wrong:
            print('FAILED: ' + text)
        if not self.wrong and (self.exact < EXACT or not merged):
            self.wrong.append('')
            print('FAILED: too few reports or merges to judge')
        return not self.wrong


def main():
    readers = Readers(sys.argv[1], sys.argv[2], int(sys.argv[4]))
    try:
        is_right = readers.run(int(sys.argv[3]))
    except AssertionError as error:
        print('FAILED: %s' % error)
        is_right = False
    finally:
        readers.left = 0
        readers.machine.kill()
    sys.exit(0 if is_right else 1)


main()
