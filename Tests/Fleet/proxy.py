"""A TCP proxy that delays what a server sends, or drops it."""

import asyncio
import random
import threading


class Proxy:
    """Forwards connections on a free port of 127.0.0.1 to `port`.

    `delay` seconds pass before each piece of a reply. With the probability `dropped`, a piece is lost, and
    everything after it on this connection; with `closed`, the connection is closed instead.
    """

    def __init__(self, port, seed=1):
        self.target, self.delay, self.dropped, self.closed = port, 0.0, 0.0, 0.0
        self.random = random.Random(seed)
        self.loop = asyncio.new_event_loop()
        opened = threading.Event()
        async def serve():
            server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            opened.set()

        def run():
            asyncio.set_event_loop(self.loop)
            self.loop.create_task(serve())
            self.loop.run_forever()

        threading.Thread(target=run, daemon=True).start()
        opened.wait(20)

    async def _connected(self, reader, writer):
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        up = asyncio.create_task(self._forward(reader, up_writer, is_reply=False))
        down = asyncio.create_task(self._forward(up_reader, writer, is_reply=True))
        try:
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # The proxy closes.
            pass
        finally:
            for task in (up, down):
                task.cancel()
            writer.close()
            up_writer.close()

    async def _forward(self, reader, writer, is_reply):
        is_lost = False
        try:
            while piece := await reader.read(1 << 16):
                if is_reply:
                    if self.delay:
                        await asyncio.sleep(self.delay)
                    if self.random.random() < self.closed:
                        return
                    is_lost = is_lost or self.random.random() < self.dropped
                if not is_lost:
                    writer.write(piece)
                    await writer.drain()
        except OSError:
            pass

    def close(self):
        """Closes all connections."""

        async def end():
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            self.loop.stop()

        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(end()))
