"""aiohttp: `aiohttp_download.py BASE_URL COUNT CONCURRENCY` loads BASE_URL followed by 0 ... COUNT-1."""

import asyncio
import sys

import aiohttp

import worker

base, count, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


async def fetch_all(session, numbers):
    for number in numbers:
        async with session.get(f"{base}{number}") as response:
            body = await response.read()
            if response.status != 200 or not body:
                sys.exit(f"aiohttp_download: status {response.status}")


async def download():
    numbers = iter(range(count))
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(fetch_all(session, numbers) for _ in range(concurrency)))


worker.serve(lambda: asyncio.run(download()))
