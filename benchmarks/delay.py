#!/usr/bin/env python3
"""Delays the connections to a server on this machine.

    delay.py PORT TO_PORT MILLISECONDS

Forwards PORT of the loopback to TO_PORT. Half of the delay applies in each direction;
the data keeps its order.
"""

import asyncio
import contextlib
import sys

CHUNK = 1 << 18


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue = asyncio.Queue()

    async def deliver() -> None:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    task = asyncio.create_task(deliver())
    data = b"x"
    while data:
        try:
            data = await reader.read(CHUNK)
        except OSError:
            data = b""
        await waiting.put((loop.time() + seconds, data))
    with contextlib.suppress(OSError):
        await task


async def serve(port: int, to_port: int, seconds: float) -> None:
    async def connected(reader, writer):
        there = await asyncio.open_connection("127.0.0.1", to_port)
        await asyncio.gather(pump(reader, there[1], seconds / 2),
                             pump(there[0], writer, seconds / 2))

    server = await asyncio.start_server(connected, "127.0.0.1", port, limit=4 * CHUNK)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000))
