"""The peer aiohttp of the service rows: an image server of aiohttp and libvips, with unsigned URLs.

    service_peer.py PORT FOLDER

Requests are /MODE/SIDE/QUALITY/URL, where MODE is fit or cover. Originals and results are stored in FOLDER,
as by the other servers; results are also in a dictionary, which is not bounded.
"""

import asyncio
import hashlib
import sys
from pathlib import Path

import aiohttp
import pyvips
from aiohttp import web

port, folder = int(sys.argv[1]), Path(sys.argv[2])
results = {}


def file_of(text):
    return folder / hashlib.sha256(text.encode()).hexdigest()


def make(path, url, original, mode, side, quality):
    if original is not None:
        file_of(url).write_bytes(original)
    else:
        original = file_of(url).read_bytes()
    crop = "centre" if mode == "cover" else "none"
    image = pyvips.Image.thumbnail_buffer(original, side, height=side, size="down", crop=crop)
    result = image.jpegsave_buffer(Q=quality, keep="none")
    file_of(path).write_bytes(result)
    return result


async def respond(request):
    result = results.get(request.path)
    if result is None:
        url, original = request.match_info["url"], None
        if not file_of(url).exists():
            async with request.app["session"].get(url) as response:
                response.raise_for_status()
                original = await response.read()
        mode, side, quality = (request.match_info[name] for name in ("mode", "side", "quality"))
        result = results[request.path] = await asyncio.to_thread(
            make, request.path, url, original, mode, int(side), int(quality)
        )
    return web.Response(body=result, content_type="image/jpeg")


async def session(app):
    async with aiohttp.ClientSession() as app["session"]:
        yield


app = web.Application()
app.cleanup_ctx.append(session)
app.router.add_get(r"/{mode}/{side:\d+}/{quality:\d+}/{url:.+}", respond)
web.run_app(app, host="127.0.0.1", port=port, access_log=None, print=None)
