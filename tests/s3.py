"""A server that speaks S3, in a thread of the tests: moto's."""

import logging
import os
from contextlib import contextmanager

import pytest

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests", "AWS_DEFAULT_REGION": "us-east-1"}
REQUIRED = os.environ.get("SVC_TEST_REQUIRE_SERVICES") == "1"


class S3:
    """The server, and what of it a test looks at; ``environment`` is what reaches it."""

    def __init__(self, start):
        self._start = start
        self._server = start(0)
        self.port = self._server.get_host_and_port()[1]
        self.environment = {**CREDENTIALS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}

    @property
    def _buckets(self):
        from moto.s3.models import s3_backends

        return next(iter(s3_backends[next(iter(s3_backends))].values())).buckets

    def make(self, bucket):
        from boto3 import Session

        client = Session("tests", "tests", region_name="us-east-1").client(
            "s3", endpoint_url=self.environment["AWS_ENDPOINT_URL"]
        )
        client.create_bucket(Bucket=bucket)
        client.close()

    def objects(self, bucket):
        """The bytes of each object by its key."""
        return {key: self._buckets[bucket].keys[key].value for key in self._buckets[bucket].keys}

    def damage(self, bucket):
        """Change a byte of each object."""
        for key in self._buckets[bucket].keys:
            held = self._buckets[bucket].keys[key]
            held.value = b"!" + held.value[1:]

    def stop(self):
        self._server.stop()

    def start(self):
        """Listen again, at the same address."""
        self._server = self._start(self.port)


@contextmanager
def s3_server():
    """The server; a skip where moto or s3fs is not installed."""
    try:
        import s3fs  # noqa: F401 - only whether it is there
        from moto.server import ThreadedMotoServer
    except ModuleNotFoundError:
        if REQUIRED:
            raise
        pytest.skip("moto[s3], Flask and s3fs are not installed")

    from moto.s3.models import s3_backends

    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it says every request
    s3_backends.reset()  # of another server in this process

    def start(port):
        server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
        server.start()
        return server

    s3 = S3(start)
    try:
        yield s3
    finally:
        s3.stop()
