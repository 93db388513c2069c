"""An S3-compatible server with one bucket, in memory; `bucket_server` runs this file as a script."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

KEYS = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


@contextmanager
def bucket_server() -> Iterator[dict[str, str]]:
    """Run a server with the bucket "bucket"; yield the environment that leads programs to it."""
    with subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        yield {"AWS_ENDPOINT_URL": run.stdout.readline().strip(), "AWS_ALLOW_HTTP": "true", **KEYS}
        run.stdin.close()


def main() -> None:
    import boto3
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server
    from werkzeug.wrappers import Response

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    backend = DomainDispatcherApplication(create_backend_app)

    def application(environ, start_response):
        response = Response.from_app(backend, environ)
        if environ["REQUEST_METHOD"] == "POST":  # S3's own name of this element, without which Arrow sees an error
            response.data = response.data.replace(b"CompleteMultipartUploadResponse", b"CompleteMultipartUploadResult")
        return response(environ, start_response)

    server = make_server("127.0.0.1", 0, application, threaded=True)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    os.environ |= KEYS
    boto3.client("s3", endpoint_url=url, region_name="us-east-1").create_bucket(Bucket="bucket")
    print(url, flush=True)
    sys.stdin.read()  # until the test ends


if __name__ == "__main__":
    main()
