"""The peer redis-py of the row redis-get: 4,096 reads of 20 KB, WIDTH at a time.

    redis_get.py PORT WIDTH
"""

import sys

import redis

from worker import serve

client, width = redis.Redis(port=int(sys.argv[1])), int(sys.argv[2])


def work():
    for _ in range(4096 // width):
        if width == 1:
            replies = [client.get("row")]
        else:
            pipeline = client.pipeline(transaction=False)
            for _ in range(width):
                pipeline.get("row")
            replies = pipeline.execute()
        if any(len(reply) != 20_000 for reply in replies):
            sys.exit("redis_get.py: a reply has another length")


serve(work)
