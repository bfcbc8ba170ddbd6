#!/usr/bin/env python3
"""Records signed GET requests for objects of S3: the reference for the tests of KingfisherService.

    s3_requests.py --check            fails if botocore makes other requests than are recorded (make check-s3)
    s3_requests.py OUTPUT_FOLDER      records; Sources/Core/KingfisherTestSupport/Fixtures/Service

The first installs botocore from PyPI into a virtual environment in the cache folder, and records with it
into a temporary folder. The second needs a Python that has botocore, and writes s3-requests.json: 200
requests as botocore would send them, with what they were made from. Nothing is sent: a handler takes each
request before that. Clock and seed are fixed, so a second run gives the same file. The credentials are the
public examples of the AWS documentation, or random.
"""

import datetime
import json
import os
import random
import string
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "1.44.8"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
FILE = "s3-requests.json"
RECORDED = Path(__file__).resolve().parents[3] / "Sources/Core/KingfisherTestSupport/Fixtures/Service" / FILE

COUNT = 200
rng = random.Random(20260102)

REGIONS = ("us-east-1", "eu-central-1", "ap-southeast-2", "cn-north-1")
ENDPOINTS = (
    "http://127.0.0.1:9000", "https://minio.example.com", "https://storage.example.com:8443",
    "http://objects.example.com:80", "https://example.com/storage/v1/s3", "http://[::1]:9000",
)
BUCKETS = ("photos", "a-b-c", "bucket.with.dots", "x1y")
KEYS = (
    "a.jpg", "2026/a b.jpg", "a//b/../c.jpg", "/leading", "trailing/", "..", ".", "./a", "../a", "a/./b",
    "//", "a+b=c~d.jpg", "100%.jpg", "a%20b%2F.jpg", "x~y_(1).jpg", "k@l:m.png", "a?b#c&d=e",
    "!*'();:@&=+$,/?#[]",
    "ä+c=d.jpg", "中文/図.png", "e\u0301.png", "😀.gif", "a\\b^c`d{e|f}g", '"<>', "tab\tline\nreturn\r",
    "\x01\x1f\x7f", "\u00a0\u2028\ufeff", "a" * 1024, "-._~", "UPPER/lower",
)
VERSIONS = ("3/x=", "null", "L4kqtJlcpXroDTDmpUMLUo", "a b+c~d&e=f", "ä")


def random_key():
    latin = "".join(map(chr, range(1, 256)))
    kind = rng.choice((string.printable, string.ascii_letters + "/", "äöüß€𝄞中図/", "/.+=~%&?# ", latin))
    return "".join(rng.choice(kind) for _ in range(rng.randint(1, 24)))


def text(characters, length):
    return "".join(rng.choice(characters) for _ in range(length))


def credentials(with_token):
    base64 = string.ascii_letters + string.digits + "+/"
    if rng.random() < 0.5:
        keys = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    else:
        keys = ("EXAMPLE" + text(string.ascii_uppercase, 13), text(base64, 40))
    return (*keys, text(base64, rng.randint(20, 120)) + "==" if with_token else None)


def recorded(index):
    access_key, secret_key, token = credentials(index % 3 == 1)
    return {
        "accessKey": access_key,
        "secretKey": secret_key,
        "sessionToken": token,
        "region": rng.choice(REGIONS),
        "endpoint": rng.choice(ENDPOINTS) if index % 4 == 2 else None,
        "pathStyle": rng.random() < 0.4,
        "bucket": rng.choice(BUCKETS),
        "key": KEYS[index] if index < len(KEYS) else random_key(),
        "versionID": rng.choice(VERSIONS) if index % 5 == 3 else None,
        "now": rng.randint(1_262_304_000, 4_102_444_800),
    }


class Recorder:
    """Takes the request that a client would send."""

    def __call__(self, request, **_):
        from botocore.awsrequest import AWSResponse

        self.request = request
        return AWSResponse(request.url, 200, {}, Body())


class Body:
    def stream(self, **_):
        return iter(())


def send(case, session):
    import botocore.auth
    from botocore.config import Config

    # For plain HTTP, botocore puts a bucket with dots into the host; KingfisherService never does.
    style = "path" if case["pathStyle"] or "." in case["bucket"] else "virtual"
    config = Config(
        s3={"addressing_style": style, "us_east_1_regional_endpoint": "regional"},
        response_checksum_validation="when_required",
    )
    client = session.create_client(
        "s3", region_name=case["region"], endpoint_url=case["endpoint"], config=config,
        aws_access_key_id=case["accessKey"], aws_secret_access_key=case["secretKey"],
        aws_session_token=case["sessionToken"],
    )
    recorder = Recorder()
    client.meta.events.register("before-send.s3", recorder)
    now = datetime.datetime.fromtimestamp(case["now"], datetime.UTC).replace(tzinfo=None)
    botocore.auth.get_current_datetime = lambda *_, **__: now
    version = {"VersionId": case["versionID"]} if case["versionID"] is not None else {}
    client.get_object(Bucket=case["bucket"], Key=case["key"], **version)
    return recorder.request


def record(folder):
    from botocore.session import Session

    session = Session()
    cases = []
    for index in range(COUNT):
        case = recorded(index)
        request = send(case, session)
        assert request.method == "GET" and not request.body
        signed = [name for name in request.headers if name.lower().startswith(("x-amz-", "authorization"))]
        case["url"] = request.url
        case["fields"] = {
            name.lower(): value.decode() if isinstance(value, bytes) else value
            for name, value in sorted((name, request.headers[name]) for name in signed)
        }
        cases.append(case)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(case) for case in cases)
    (folder / FILE).write_text(f"[\n{lines}\n]\n")


def python_with_botocore():
    """Its path, in a virtual environment that is made once."""
    folder = CACHE / f"kingfisher-botocore-{VERSION}"
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        install = ("-m", "pip", "install", "-q", "--disable-pip-version-check", f"botocore=={VERSION}")
        subprocess.run([folder / "bin/python", *install], check=True)
        (folder / "done").touch()
    return folder / "bin/python"


def check():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python_with_botocore(), __file__, folder], check=True)
        made = (Path(folder) / FILE).read_text().splitlines()
    recorded = RECORDED.read_text().splitlines()
    pairs = enumerate(zip(made, recorded, strict=False), start=1)
    different = [line for line, (one, other) in pairs if one != other]
    if different or len(made) != len(recorded):
        sys.exit(f"s3_requests: botocore {VERSION} makes other requests, in lines {different} of {FILE}")
    print(f"s3_requests: {COUNT} requests of botocore {VERSION} are as recorded")


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check()
    else:
        record(Path(sys.argv[1]))
