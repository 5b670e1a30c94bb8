"""A server of the interface for people, as small as can be, that keeps everything in memory and can fail on purpose."""

import asyncio
import json
import threading
from dataclasses import replace
from random import Random

from tete.collecting.asking import Asker
from tete.collecting.items import Item
from tete.collecting.study import QuestionKind, Study


class PretendedServer:
    """Serves in a thread of its own; `loses` is the share of replies that are lost after their answer was stored."""

    def __init__(self, kind="triplet", n_items=20, loses=0.0, **settings):
        self.study = Study(question=QuestionKind.parse(kind), **settings)
        items = [Item(number, f"item {number}", "text", "", "", None, "") for number in range(n_items)]
        self.asker = Asker(self.study, items, [0] * n_items)
        self.state, self.busy, self.loses, self.rng = "open", 0, loses, Random(1)
        self.people, self.questions, self.stored, self.duplicates = {}, {}, {}, 0

    def __enter__(self):
        self.loop, ready = asyncio.new_event_loop(), threading.Event()

        async def serve():
            self.end = asyncio.Event()
            async with await asyncio.start_server(self.talk, "127.0.0.1", 0) as server:
                self.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
                ready.set()
                await self.end.wait()
                for task in asyncio.all_tasks() - {asyncio.current_task()}:
                    task.cancel()
                await asyncio.sleep(0.01)

        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(serve(),), daemon=True)
        self.thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join(10)
        self.loop.close()

    async def talk(self, reader, writer):
        while True:
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
            except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                writer.close()
                return
            _, path, _ = head.split(" ", 2)
            fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
            body = json.loads(await reader.readexactly(int(fields["content-length"])) or b"{}")
            status, reply = self.reply(path.partition("?")[0], body, fields.get("authorization", "").partition(" ")[2])
            if self.rng.random() < self.loses:
                writer.close()
                return
            content = json.dumps(reply).encode()
            writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)

    def reply(self, path, body, key):
        if self.busy:
            self.busy -= 1
            return 503, {"error": "The disk is full."}
        if path == "/study":
            return 200, {"question": {"picks": self.study.question.n_picks}}
        if path == "/start":
            if self.state == "closed":
                return 403, {"error": "This study is closed."}
            identity = body["identity"]["id"]
            number = self.people.setdefault(identity, (len(self.people) + 1, []))[0]
            return 200, {"person": f"{number}.x", **self.upcoming(identity)}
        identity = next(name for name, (number, _) in self.people.items() if key == f"{number}.x")
        if path == "/answer":
            self.store(body)
        upcoming = self.upcoming(identity, body.get("ahead", 5))
        upcoming["questions"] = [each for each in upcoming["questions"] if each["position"] > body.get("after", -1)]
        return 200, upcoming

    def store(self, body):
        asked = self.questions[body["question"]]
        place = body["question"], body["revision"]
        if place in self.stored:
            self.duplicates += 1
            return
        assert body["revision"] == sum(question == body["question"] for question, _ in self.stored)
        if body["choice"] is not None:
            assert len(set(body["choice"])) == self.study.question.n_picks
            assert set(body["choice"]) <= set(range(self.study.question.n_choices))
        if asked.role == "practice":
            assert set(asked.right) <= set(body["choice"])
        self.stored[place] = "undo" if body["undo"] else body["choice"]

    def is_open(self, asked):
        revisions = [revision for question, revision in self.stored if question == asked.number]
        return not revisions or self.stored[asked.number, max(revisions)] == "undo"

    def upcoming(self, identity, ahead=5):
        number, asked = self.people[identity]
        while sum(map(self.is_open, asked)) < ahead:
            drawn = self.asker.draw(number, "page", asked, len(asked), number)
            if drawn is None:
                break
            drawn = replace(drawn, number=len(self.questions) + 1)
            self.questions[drawn.number] = drawn
            asked.append(drawn)
        questions = [self.shown(each) for each in asked if self.is_open(each)][:ahead]
        return {"state": "asking" if questions else "finished", "questions": questions}

    def shown(self, asked):
        anchor = self.study.question.has_anchor
        plain = [{"item": number} for number in asked.shown]
        return {
            "question": asked.number,
            "position": asked.position,
            "revision": sum(question == asked.number for question, _ in self.stored),
            "practice": asked.role == "practice",
            "right": asked.right,
            "anchor": plain[0] if anchor else None,
            "choices": plain[anchor:],
        }
