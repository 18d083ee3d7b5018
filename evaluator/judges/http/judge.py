"""A language model behind a server as judge: vLLM, SGLang, TGI, anything that speaks OpenAI's `/v1/completions`.

One token is asked for, and the probabilities of the labels are read off its distribution; where the model begins with a
space or a line break, a second token after that. How well that can be done depends on the server, so the server is
tried once when the judge is made, and the way found is part of the pin:

    label_ids      vLLM's `logprob_token_ids`: the exact probability of every token that is part of a label
    top_logprobs   the most probable tokens only; a label outside them counts as probability 0
    text           no probabilities: one short reply is parsed, and one that is not unanimous is unscored

A judge that writes before it decides (`;reply=NAME`) is read by its text, whatever the server can do.

See docs/judges.md#judges-behind-a-server and docs/position_bias.md#from-label-probabilities-and-texts.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Literal

import httpx2

from evaluator.judges.http.calls import TOO_LONG, CallRefused, NotJson, ServerCalls
from evaluator.judges.http.replies import (
    TOO_LONG_FOR_IT,
    ReplyChoice,
    by_token_id,
    measured,
    probability_of,
    read_choice,
    spoken,
)
from evaluator.judges.http.settings import CHAT_FRAMES, HttpJudgeSettings
from evaluator.judges.http.tokens import LocalTokenizer, ServerTokenizer, TokenIds, Tokens, Vocabulary
from evaluator.judges.label_forms import (
    LEADS,
    LabelForms,
    forms_as_texts,
    forms_in_vocabulary,
    leads_in_vocabulary,
    token_text,
)
from evaluator.judges.prompt_layout import prompt_pieces
from evaluator.judges.prompts import RATING_LABELS
from evaluator.judges.proof import ProvenJudge
from evaluator.judges.protocol import (
    LANGUAGE_MODEL_KINDS,
    TOKENS_WRITTEN,
    JudgeRequest,
    JudgeUnavailable,
    Judgment,
    RequestKind,
    Rubric,
    UnsuitableJudge,
)
from evaluator.judges.written.parsing import read_judgment
from evaluator.judges.written.work import WrittenWork
from evaluator.values import Pin

logger = logging.getLogger(__name__)

Reading = Literal["label_ids", "top_logprobs", "text"]

SIGN_EVERY_S = 1.0
"""How often the judge tells that it still waits for its server."""

REPLY_TOKENS = 16
"""Length of the reply where one has to be parsed."""
FREE_REPLY_TOKENS = 300
"""Length of the reply where the judge is asked to write."""
TOP_LOGPROBS = (20, 5)
"""How many of the most probable tokens are asked for: vLLM's default limit, else OpenAI's."""

LABELS = (*(str(number) for number in range(11)), *ascii_uppercase)
"""Labels of our rubrics: their tokens are learnt when the judge is made, so that no key depends on the network."""

_PROBE = "The capital of France is"
"""No label is likely after it: a server that gives those we ask for does so because we asked."""
_TOKENIZER_PROBE = "Similarity score: 0 1 2 3 4 5\nBetter answer: A B C\nåäö 東京 — naïve 12345"
_CONTROL = re.compile(r"<(?=[|｜/]?[A-Za-z_|｜][^<>\s]{0,63}>)|\[(?=/?[a-z]?[A-Z_]{2,31}\])")
"""The first character of what may be a control token (`<|im_end|>`, `</s>`, `<end_of_turn>`, `[/INST]`, `[gMASK]`)."""


@dataclass(frozen=True, slots=True)
class ServerAbilities:
    """What a server can do, found out once: it decides what the figures mean, so all of it is in the pin."""

    reading: Reading
    top_logprobs: int
    """How many of the most probable tokens are asked for; 0 for `text`."""
    tokenizer: str
    """sha256 of the local tokenizer, `server` and sha256 of what the server's makes of a fixed text, or `-`."""
    version: str
    """As the server states it at `/version`."""
    vocabulary: Vocabulary
    """The tokens that labels are written with, as far as they are known."""


class HttpJudge(ProvenJudge):
    """A model behind a server; made by `connect`.

    Args:
        settings: Which server and model.
        calls: How the server is called.
        tokenizer: The model's tokenizer; None = the server tokenises.
        abilities: What the server can do.
    """

    def __init__(
        self,
        settings: HttpJudgeSettings,
        calls: ServerCalls,
        tokenizer: LocalTokenizer | None,
        abilities: ServerAbilities,
    ) -> None:
        self._settings = settings
        self._calls = calls
        self._tokenizer = tokenizer
        self._abilities = abilities
        self._forms: dict[tuple[str, ...], LabelForms[int]] = {}
        self.reply_format = settings.reply_format
        self.written = WrittenWork()
        self._pin = Pin(
            name="http",
            model=settings.model,
            revision=settings.revision,
            tokenizer=abilities.tokenizer,
            prompt=_prompt_in_pin(settings, abilities),
            dtype="the server's",
            engine=f"server {abilities.version}, reads {_reading_name(abilities)}",
            languages=None,
        )

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return LANGUAGE_MODEL_KINDS

    @property
    def reading(self) -> Reading:
        """How verdicts are read."""
        return self._abilities.reading

    def close(self) -> None:
        """Closes the connections to the server."""
        self._calls.close()

    def prompt(self, request: JudgeRequest) -> str | list[int]:
        """Return what the server is sent: token ids with a local tokenizer, else the exact text."""
        frame = CHAT_FRAMES[self._settings.frame]
        if self.reply_format and request.rubric.labels:
            request = self.reply_format.asked(request, self.reply_format.beginning(frame.after))
        if self._tokenizer is not None:
            return self._tokenizer.prompt_ids(request, frame)
        pieces = prompt_pieces(request)
        texts = [without_control_tokens(piece.text) if piece.is_submitted else piece.text for piece in pieces]
        return "".join((frame.before, *texts, f"{frame.after}{request.rubric.tail}"))

    def prompt_ids(self, request: JudgeRequest) -> Sequence[int] | None:
        """The tokens the server is sent; None where it makes them of the text."""
        prompt = self.prompt(request)
        return None if isinstance(prompt, str) else prompt

    def key(self, request: JudgeRequest) -> str:
        """SHA-256 over pin, exact token ids (or the exact text) and labels, as hex."""
        reads_ids = self.reading == "label_ids"
        labels = self.label_forms(request.rubric).paths if reads_ids else request.rubric.labels
        payload = [self._pin.model_dump(mode="json"), self.prompt(request), labels]
        text = json.dumps(payload, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def wanted_tokens(self, request: JudgeRequest, n: int) -> tuple[tuple[str, float], ...]:
        if self.reading == "text":
            return ()
        given = _by_text(self._choice(self.prompt(request), _one_token(n)))
        return tuple(sorted(given.items(), key=lambda entry: -entry[1])[:n])

    def answer(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order.

        Raises:
            JudgeUnavailable: when one of them got no usable answer; the others under way are then given up.
            UnsuitableJudge: when the model's vocabulary cannot write a label.
        """
        if self.reading == "label_ids":
            for rubric in {request.rubric.labels: request.rubric for request in requests}.values():
                self.label_forms(rubric)
        given_up = threading.Event()
        with ThreadPoolExecutor(self._settings.concurrency, thread_name_prefix="judge-call") as pool:
            asked = [pool.submit(self._judgment, request, given_up) for request in requests]
            try:
                done = self._waited(asked)
            finally:
                # Nothing to stop when all went well; else nobody waits for, or pays for, what will not be stored.
                given_up.set()
                for future in asked:
                    future.cancel()
        fault = next((error for future in asked if future in done and (error := future.exception()) is not None), None)
        if fault is not None:
            raise fault
        judgments = [future.result() for future in asked]
        self.written.add(judgments)
        return judgments

    def _waited(self, asked: Sequence[Future[Judgment]]) -> set[Future[Judgment]]:
        """Those that are done when all are, or when the first one has failed.

        While it waits it gets on, whatever the server does: calls have limits of their own.
        """
        while True:
            done, others = wait(asked, SIGN_EVERY_S, return_when=FIRST_EXCEPTION)
            if not others or any(future.exception() for future in done):
                return done
            self.on_request(next((place for place, future in enumerate(asked) if not future.done()), None))

    def _judgment(self, request: JudgeRequest, given_up: threading.Event) -> Judgment:
        try:
            if request.rubric.labels and self.reading != "text":
                return measured(request.rubric, self._label_probabilities(request, given_up))
            form = self._reply_form if request.rubric.labels else _FREE_REPLY
            choice = self._choice(self.prompt(request), form, given_up)
        except CallRefused as refused:
            if not TOO_LONG.search(refused.said):
                raise
            # It would be refused again tomorrow, and one long answer must not keep all others from being judged.
            return Judgment(None, reason=TOO_LONG_FOR_IT)
        if not request.rubric.labels:
            return Judgment(None, text=choice.text)
        return self._written(request.rubric, choice) if self.reply_format else spoken(request.rubric, choice)

    @property
    def _reply_form(self) -> dict[str, Any]:
        if self.reply_format is None:
            return _SHORT_REPLY
        return {"max_tokens": self._settings.tokens or self.reply_format.tokens, "temperature": 0}

    def _written(self, rubric: Rubric, choice: ReplyChoice) -> Judgment:
        assert self.reply_format is not None
        details = {} if choice.tokens_written is None else {TOKENS_WRITTEN: float(choice.tokens_written)}
        reply = f"{self.reply_format.begins}{choice.text}"
        is_cut = choice.finish_reason == "length"
        return read_judgment(self.reply_format, rubric, reply, is_cut=is_cut, details=details)

    def _choice(
        self, prompt: str | list[int], form: Mapping[str, Any], given_up: threading.Event | None = None
    ) -> ReplyChoice:
        body = {"model": self._settings.model, "prompt": prompt, **form}
        return read_choice(self._calls.post("/v1/completions", body, given_up))

    def _label_probabilities(self, request: JudgeRequest, given_up: threading.Event) -> tuple[float, ...]:
        """The probability of each label: one call, and one more behind each lead that the model may begin with."""
        prompt = self.prompt(request)
        if self.reading == "top_logprobs":
            form = _one_token(self._abilities.top_logprobs)
            return forms_as_texts(request.rubric.labels).ask(
                lambda context: _by_text(self._choice(self._continued(prompt, "".join(context)), form, given_up))
            )
        forms = self.label_forms(request.rubric)

        def next_probabilities(context: TokenIds) -> Mapping[int, float]:
            tokens = forms.next_tokens(context)
            behind = [*prompt, *context] if isinstance(prompt, list) else f"{prompt}{self._text_of(context)}"
            return _by_id(self._choice(behind, _one_token_with(tokens), given_up), tokens)

        return forms.ask(next_probabilities)

    def _continued(self, prompt: str | list[int], lead: str) -> str | list[int]:
        if isinstance(prompt, str) or self._tokenizer is None:
            return f"{prompt}{lead}"
        return [*prompt, *self._tokenizer.plain_ids(lead)]

    def _text_of(self, tokens: TokenIds) -> str:
        texts = {index: token_text(token) for token, index in self._abilities.vocabulary}
        return "".join(texts[token] for token in tokens)

    def label_forms(self, rubric: Rubric) -> LabelForms[int]:
        """Return the token paths of a rubric's labels.

        Raises:
            UnsuitableJudge: when a label cannot be written with the tokens that are known.
        """
        if rubric.labels not in self._forms:
            self._forms[rubric.labels] = forms_in_vocabulary(self._abilities.vocabulary, rubric.labels)
        return self._forms[rubric.labels]


def _by_text(choice: ReplyChoice) -> dict[str, float]:
    """The probability of each token that the server gave, as text."""
    if not choice.first_token:
        raise JudgeUnavailable("the judge's server gave no probabilities, although it did when it was tried")
    by_text: dict[str, float] = {}
    for token, logprob in choice.first_token.items():
        text = token_text(token)
        by_text[text] = by_text.get(text, 0.0) + probability_of(logprob)
    return by_text


def _by_id(choice: ReplyChoice, tokens: TokenIds) -> dict[int, float]:
    """The probability of each token that was asked for."""
    if not choice.first_token:
        raise JudgeUnavailable("the judge's server gave no probabilities, although it did when it was tried")
    by_id = by_token_id(choice.first_token)
    if any(token not in by_id for token in tokens):
        raise JudgeUnavailable("the judge's server left out labels' probabilities it gave when it was tried")
    return {token: probability_of(by_id[token]) for token in tokens}


def _leads(abilities: ServerAbilities) -> str:
    """How labels may begin, for the pin."""
    return leads_in_vocabulary(
        abilities.vocabulary if abilities.reading == "label_ids" else ((lead, 0) for lead in LEADS)
    )


def _prompt_in_pin(settings: HttpJudgeSettings, abilities: ServerAbilities) -> str:
    written = settings.reply_format
    if written is None:
        labels = f"per rubric, frame {settings.frame}, labels {_leads(abilities)}"
    else:
        labels = f"{written.pinned(settings.tokens or written.tokens)}, frame {settings.frame}"
    return f"{labels}{', unproven' * settings.unproven}"


def _reading_name(abilities: ServerAbilities) -> str:
    return f"top_logprobs {abilities.top_logprobs}" if abilities.reading == "top_logprobs" else abilities.reading


def without_control_tokens(text: str) -> str:
    """A submitted text in which no control token can be formed: a space follows the bracket of whatever looks like one.

    Used where the server tokenises: with a local tokenizer characters stay characters, and nothing is changed.

    >>> without_control_tokens("done<|im_end|> [/INST] a < b, [1] and [link]")
    'done< |im_end|> [ /INST] a < b, [1] and [link]'
    """
    return _CONTROL.sub(lambda match: f"{match[0]} ", text)


# --- forms of a call -------------------------------------------------------------------------------------------------

_SHORT_REPLY: dict[str, Any] = {"max_tokens": REPLY_TOKENS, "temperature": 0}
_FREE_REPLY: dict[str, Any] = {"max_tokens": FREE_REPLY_TOKENS, "temperature": 0}


def _one_token(top: int) -> dict[str, Any]:
    return {"max_tokens": 1, "temperature": 0, "logprobs": top}


def _one_token_with(tokens: Sequence[int]) -> dict[str, Any]:
    ids = list(tokens)
    asked = {"logprob_token_ids": ids, "return_tokens_as_token_ids": True}
    return _one_token(min(len(ids), TOP_LOGPROBS[0])) | asked


# --- trying a server -------------------------------------------------------------------------------------------------


def connect(settings: HttpJudgeSettings, *, transport: httpx2.BaseTransport | None = None) -> HttpJudge:
    """Tries what the server can do, and makes the judge that reads it as exactly as it allows.

    Args:
        settings: Which server and model.
        transport: Instead of the network, in tests.

    Raises:
        JudgeUnavailable: when the server does not answer, or refuses.
        UnsuitableJudge: when the local tokenizer cannot be read or is not the server's.
    """
    tokenizer = LocalTokenizer(settings.tokenizer) if settings.tokenizer else None
    calls = ServerCalls(
        settings.root_url,
        api_key=settings.api_key,
        timeout_s=settings.timeout_s,
        max_attempts=settings.max_attempts,
        first_wait_s=settings.first_wait_s,
        transport=transport,
    )
    try:
        return _connected(settings, calls, tokenizer)
    except BaseException:
        calls.close()
        raise


def _connected(settings: HttpJudgeSettings, calls: ServerCalls, local: LocalTokenizer | None) -> HttpJudge:
    of_server = ServerTokenizer(calls, settings.model)
    probed = of_server.tokens(_TOKENIZER_PROBE)
    if local is not None and probed is not None and probed.tokens != local.own_ids(_TOKENIZER_PROBE):
        raise UnsuitableJudge("the local tokenizer is not the one the judge's server uses")
    vocabulary = (local or of_server).form_tokens(LABELS) if local or probed else ()
    reading, top = _best_reading(settings, calls, vocabulary)
    abilities = ServerAbilities(reading, top, _tokenizer_name(local, probed), _version(calls), vocabulary)
    logger.info("judge %s behind %s is read by %s", settings.model, settings.root_url, reading)
    return HttpJudge(settings, calls, local, abilities)


def _best_reading(settings: HttpJudgeSettings, calls: ServerCalls, vocabulary: Vocabulary) -> tuple[Reading, int]:
    """The most exact reading the server allows, and how many of the top tokens it gives."""
    if settings.reply:
        return _text_reading(settings, calls)
    with suppress(UnsuitableJudge):
        tokens = forms_in_vocabulary(vocabulary, RATING_LABELS).next_tokens(())
        choice = _tried(settings, calls, _one_token_with(tokens))
        if choice is not None and set(tokens) <= by_token_id(choice.first_token).keys():
            return "label_ids", 0
    for top in TOP_LOGPROBS:
        choice = _tried(settings, calls, _one_token(top))
        if choice is not None and len(choice.first_token) >= TOP_LOGPROBS[-1]:
            return "top_logprobs", top
    return _text_reading(settings, calls)


def _text_reading(settings: HttpJudgeSettings, calls: ServerCalls) -> tuple[Reading, int]:
    # No alternative is left: a refusal now is the server's answer to the whole judge.
    read_choice(calls.post("/v1/completions", {"model": settings.model, "prompt": _PROBE} | _SHORT_REPLY))
    return "text", 0


def _tried(settings: HttpJudgeSettings, calls: ServerCalls, asked: Mapping[str, Any]) -> ReplyChoice | None:
    """The answer to a request of this form; None where the server does not know the form."""
    try:
        return read_choice(calls.post("/v1/completions", {"model": settings.model, "prompt": _PROBE, **asked}))
    except CallRefused as refused:
        if refused.status in (400, 422):
            return None
        raise


def _tokenizer_name(local: LocalTokenizer | None, probed: Tokens | None) -> str:
    if local is not None:
        return local.fingerprint
    if probed is None:
        return "-"
    return f"server {hashlib.sha256(json.dumps(probed.tokens).encode()).hexdigest()}"


def _version(calls: ServerCalls) -> str:
    """The version at `/version` (vLLM); other servers keep it to themselves."""
    try:
        answer = calls.get("/version")
    except (CallRefused, NotJson):
        return "of unknown version"
    stated = answer.get("version") if isinstance(answer, dict) else None
    return stated if isinstance(stated, str) and stated.isprintable() else "of unknown version"
