"""`python -m evaluator.generators.writing_process NAME [FOLDER]`: the process of one generator
(`evaluator.generators.own_process`); models made here are kept in the folder."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from evaluator.generators.loading import allowed_generators
from evaluator.generators.protocol import GeneratorUnavailable, Message, TextGenerator, UnsuitableGenerator
from evaluator.memory import give_back_freed_memory
from submissions.priority import step_back

logger = logging.getLogger(__name__)

NICENESS = 5
"""Behind the pages and a browser on the same machine, before the worker: somebody is watching."""


class WritingProcess:
    """Loads one generator and writes whatever is asked for, several streams at once.

    Args:
        name: Of the generator.
        out: Where lines for the page process go.
        kept: Where models made here are kept.
    """

    def __init__(self, name: str, out: TextIO, kept: Path | None = None) -> None:
        self._name = name
        self._kept = kept
        self._out = out
        self._speaking = threading.Lock()
        self._generator: TextGenerator | None = None
        self._stops: dict[int, threading.Event] = {}

    def load(self) -> bool:
        """Loads the generator, and says what it is or why it cannot be used; False where it cannot."""
        try:
            self._generator = allowed_generators((self._name,), kept=self._kept).get(self._name)
        except UnsuitableGenerator as error:
            self._say(fault="unsuitable", message=str(error))
        except GeneratorUnavailable as error:
            self._say(fault="unavailable", message=str(error))
        except Exception as error:
            # Whatever a library raises while it loads: the page process gets words, the log the whole.
            logger.exception("a generator could not be loaded")
            self._say(fault="unsuitable", message=f"the model cannot be loaded here ({type(error).__name__})")
        else:
            give_back_freed_memory()
            self._say(pin=self._generator.pin.model_dump(mode="json"))
        return self._generator is not None

    def hear(self, said: Mapping[str, Any]) -> None:
        """Does what a line of the page process asks for."""
        if "stop" in said:
            stop = self._stops.get(said["stop"])
            if stop is not None:
                stop.set()
            return
        stop = self._stops[said["stream"]] = threading.Event()
        threading.Thread(target=self._write, args=(said, stop), name="writing", daemon=True).start()

    def _write(self, asked: Mapping[str, Any], stop: threading.Event) -> None:
        number, generator = asked["stream"], self._generator
        assert generator is not None  # streams are asked for once it is loaded
        messages = [Message(role, content) for role, content in asked["messages"]]
        try:
            for chunk in generator.stream(messages, stop=stop, max_new_tokens=asked["limit"]):
                self._say(stream=number, text=chunk.text, tokens=chunk.tokens, finish_reason=chunk.finish_reason)
        except GeneratorUnavailable as error:
            self._say(stream=number, fault="unavailable", message=str(error))
        except Exception as error:
            # Whatever a model's code does, the other streams go on.
            logger.exception("a generator failed")
            self._say(stream=number, fault="error", message=f"the model stopped with an error ({type(error).__name__})")
        finally:
            del self._stops[number]

    def _say(self, **said: object) -> None:
        with self._speaking:
            self._out.write(json.dumps(said) + "\n")
            self._out.flush()


def main() -> None:
    """Serves the page process until it closes the pipe."""
    # What libraries print goes to the log: standard output belongs to the page process.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    step_back(NICENESS)
    process = WritingProcess(sys.argv[1], out, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    threading.Thread(target=_load_or_end, args=(process,), name="loading", daemon=True).start()
    for line in sys.stdin:
        process.hear(json.loads(line))
    # Threads may be deep in a model's code; nobody waits for them any more.
    os._exit(0)


def _load_or_end(process: WritingProcess) -> None:
    if not process.load():
        os._exit(1)


if __name__ == "__main__":
    main()
