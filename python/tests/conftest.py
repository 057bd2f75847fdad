"""What several files of tests use."""

import os
import signal
import threading

import pytest


@pytest.fixture
def ctrl_c():
    """Sends what Ctrl-C sends, after a moment. Shells let programs in the background ignore it, tests included."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    signal.signal(signal.SIGINT, before)
