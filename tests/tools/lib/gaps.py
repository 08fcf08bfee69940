# SPDX-License-Identifier: GPL-2.0-or-later
"""gaps.py TOP WORK -- drives a daemon through times without samples: sampling is stopped, the machine is suspended, it
boots with its clock at 1970, the daemon does not run, and the disk gets full. The header of each report names the reason
of each gap, and each sample is in the report of its time."""
import calendar
import os
import random
import re
import subprocess
import sys
import time

from machine import Batch, Image, Machine

HOUR = 3600
DAY = 24 * HOUR
MAX_DISK = 16 << 20
SLACK = 120     # seconds, because the machine's clock goes on while the test works
BEGIN = 1788220800      # 2026-09-01 00:00 UTC


def parse_time(name):
    """The begin of an interval."""
    return calendar.timegm(time.strptime(name[:15], '%Y%m%dT%H%M%S'))


class Gaps:
    def __init__(self, top, work):
        self.top, self.work = top, work
        self.machine = Machine(top, work, BEGIN, ['--interval=%d' % HOUR, '--keep=1y', '--max-disk=%d' % MAX_DISK])
        image = Image(work + '/program', 'function_', 400, 1)
        self.machine.add_cookie(image)
        self.batch = Batch([image], 1500, random.Random(1))

    def idle(self):
        assert self.machine.wait_idle(), 'the daemon ended: ' + self.machine.log()[-2000:]

    def feed_at(self, at):
        self.machine.advance(at)
        self.idle()
        assert self.machine.feed(self.batch), 'the daemon ended: ' + self.machine.log()[-2000:]
        self.idle()

    def close_at(self, at):
        """Let the interval end that ends at a time, and be packed."""
        self.machine.advance(at + 1)
        self.idle()

    def opcontrol(self, *options):
        done = subprocess.run([self.top + '/utils/bin/opcontrol', '--session-dir=' + self.machine.session] + list(options),
                              env=self.machine.environment, capture_output=True, text=True, check=False)
        assert not done.returncode, 'opcontrol %s: %s%s' % (' '.join(options), done.stdout, done.stderr)

    def expect(self, begin, end, reason, gap, batches):
        """The report of a time has one gap, with this reason and about at this time, and so many batches."""
        counts, (taken, stored, _), text = self.machine.functions(begin, end)
        lines = [line for line in text.splitlines() if line.startswith('  no samples')]
        assert len(lines) == 1, '%s: %d gaps: %s' % (reason, len(lines), text[:1500])
        m = re.fullmatch(r'  no samples from \w+ (.*) UTC to \w+ (.*) UTC: (.*)', lines[0])
        assert m and m.group(3) == reason, '%s: the header has another gap: %s' % (reason, lines[0])
        for when, wanted in zip(m.groups(), gap):
            seconds = calendar.timegm(time.strptime(when, '%Y-%m-%d %H:%M:%S'))
            assert abs(seconds - wanted) <= SLACK, '%s: %d s from the time of the gap: %s' % (reason, seconds - wanted, lines[0])
        assert taken == stored == sum(counts.values()) == batches * self.batch.taken, \
            '%s: %d taken, %d stored, %d in the report, not %d' % (reason, taken, stored, sum(counts.values()),
                                                                   batches * self.batch.taken)
        print(lines[0].strip(), flush=True)

    def run(self):
        m = self.machine
        m.start()
        self.feed_at(BEGIN + 600)
        self.stop(BEGIN + 1000, BEGIN + 2200)
        self.suspend(BEGIN + HOUR + 1000, BEGIN + HOUR + 2800)
        self.not_running(BEGIN + 3 * HOUR + 1000, BEGIN + 5 * HOUR + 1000)
        self.boot_at_1970(BEGIN + 6 * HOUR, BEGIN + 10 * HOUR)
        self.fill_disk(BEGIN + 3 * DAY)
        m.end()

    def stop(self, begin, end):
        self.machine.advance(begin)
        self.opcontrol('--stop')
        self.idle()
        self.machine.advance(end)
        self.machine.received = 0       # the module counts anew after each start
        self.machine.write_received()
        self.opcontrol('--start')
        self.idle()
        self.feed_at(end + 100)
        self.close_at(BEGIN + HOUR)
        self.expect(BEGIN + 5, BEGIN + HOUR - 5, 'stopped', (begin, end), 2)

    def suspend(self, begin, end):
        self.feed_at(begin)
        self.machine.suspend(end)
        self.idle()
        self.feed_at(end + 100)
        self.close_at(BEGIN + 2 * HOUR)
        self.expect(BEGIN + HOUR + 5, BEGIN + 2 * HOUR - 5, 'suspended', (begin, end), 2)

    def not_running(self, begin, end):
        self.feed_at(begin)
        self.machine.end()
        self.machine.advance(end)
        self.machine.start()
        self.feed_at(end + 100)
        self.close_at(BEGIN + 6 * HOUR)
        self.expect(BEGIN + 3 * HOUR + 5, BEGIN + 6 * HOUR - 5, 'not running', (begin, end), 2)

    def boot_at_1970(self, end, begin):
        """The machine is off from @end, and boots at @begin, but its clock is set ten minutes later."""
        m = self.machine
        m.end()
        m.set_time(begin)
        m.boot()
        m.set_time(30)
        m.start()
        self.feed_at(100)
        m.advance(630)
        self.idle()
        m.set_time(begin + 600)
        self.idle()
        self.feed_at(begin + 700)
        self.close_at(BEGIN + 11 * HOUR)
        self.expect(end - 600, begin + HOUR - 5, 'not running', (end, begin), 3)

    def fill_disk(self, end):
        """A file fills the session directory: the oldest intervals are deleted, but not the newest day. Each interval from
        BEGIN + 11 * HOUR on has one batch."""
        m = self.machine
        for n in range(11, 72):
            self.close_at(BEGIN + n * HOUR)
            self.feed_at(BEGIN + n * HOUR + 1000)
        self.close_at(end)
        with open(m.session + '/other', 'wb') as out:
            out.write(bytes(MAX_DISK - m.bytes() - (400 << 10)))
        self.feed_at(end + 1000)
        self.close_at(end + HOUR)
        oldest = parse_time(min(name for name in os.listdir(m.store) if name.endswith('.opi')))
        assert BEGIN + 11 * HOUR < oldest < end - DAY + SLACK, 'the oldest interval begins %d s before the end' % (end - oldest)
        os.unlink(m.session + '/other')
        self.expect(BEGIN + 5, end - 5, 'removed by --max-disk', (BEGIN + 5, oldest), (end - oldest) // HOUR + 1)

def main():
    gaps = Gaps(sys.argv[1], sys.argv[2])
    try:
        gaps.run()
    except AssertionError as error:
        print('FAILED: %s' % error)
        sys.exit(1)
    finally:
        gaps.machine.kill()


main()
