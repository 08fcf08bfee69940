# SPDX-License-Identifier: GPL-2.0-or-later
"""clock.py TOP WORK -- makes intervals of an hour, and then sets the clock three years forward for some hours. All
intervals stay, also after a start of the daemon at the wrong time."""
import os
import random
import sys

from machine import Batch, Image, Machine

HOUR = 3600
YEAR = 365 * 24 * HOUR


class Clock:
    def __init__(self, top, work):
        begin = 1788220800
        self.machine = Machine(top, work, begin, ['--interval=%d' % HOUR, '--keep=2y', '--max-disk=100M'])
        image = Image(work + '/program', 'function_', 30, 1)
        self.machine.add_cookie(image)
        self.batch = Batch([image], 20, random.Random(1))

    def hours(self, begin, nr):
        """Take samples for so many hours, which begin at this time of the machine's clock."""
        m = self.machine
        for n in range(nr):
            m.advance(begin + n * HOUR + 100)
            m.feed(self.batch)
            m.advance(begin + (n + 1) * HOUR + 1)
            m.turn(3)
            m.wait_idle()

    def names(self):
        return {name for name in os.listdir(self.machine.store) if name.endswith('.opi')}

    def check(self, before, when):
        lost = before - self.names()
        assert not lost, '%s: %d of %d intervals are gone: %s' % (when, len(lost), len(before), sorted(lost)[:3])

    def run(self):
        m = self.machine
        m.start()
        begin = 1788220800
        self.hours(begin, 6)
        before = self.names()
        assert len(before) >= 5, 'only %d intervals' % len(before)
        wrong = begin + 6 * HOUR + 3 * YEAR
        m.set_time(wrong)
        self.hours(wrong, 3)
        self.check(before, 'while the clock is wrong')
        m.end()
        m.start()
        self.hours(wrong + 4 * HOUR, 2)
        self.check(before, 'after a start at the wrong time')
        right = begin + 15 * HOUR
        m.set_time(right)
        self.hours(right, 2)
        self.check(before, 'when the clock is right again')
        m.end()
        print('%d intervals before, %d after' % (len(before), len(self.names())))


def main():
    clock = Clock(sys.argv[1], sys.argv[2])
    try:
        clock.run()
    except AssertionError as error:
        print('FAILED: %s' % error)
        sys.exit(1)
    finally:
        clock.machine.kill()


main()
