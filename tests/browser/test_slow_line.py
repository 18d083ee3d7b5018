"""No answer is lost, and no stream kept open for one that has come, in whatever order a line brings what was sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from leaderboard.web.event_stream import KEPT_OPEN
from tests.browser.test_judge_report import LOGS, drop, open_report, votes_of_people
from tests.browser.test_lab import open_lab

SLOW_LINE = """(() => {
  const ask = window.fetch;
  const end = 'data: {"msg":"MESSAGE"';
  const letGo = new Promise(done => { window.letGo = done; });
  window.ends = 0;
  window.fetch = async (request, options) => {
    const answer = await ask(request, options);
    if (!new URL(request.url ?? request, location.href).pathname.endsWith('/queue/data')) return answer;
    const late = new TransformStream({
      async transform(chunk, into) {
        const text = new TextDecoder().decode(chunk, {stream: true});
        const at = text.indexOf(end);
        if (at < 0) return into.enqueue(chunk);
        into.enqueue(new TextEncoder().encode(text.slice(0, at)));
        window.ends += 1;
        await letGo;
        into.enqueue(new TextEncoder().encode(text.slice(at)));
      },
    });
    return new Response(answer.body.pipeThrough(late), {status: answer.status, headers: answer.headers});
  };
})();"""
"""Holds back a message of a stream of events, and what follows it, until it is let go."""
HEARD_WITHIN_MS = 500
"""The page has made of a reply what it makes of it; were it slower, the story would prove less, and not fail."""

TEAM = "Harbour"

STREAM = "http://here/gradio_api/queue/data"
SERVER = """() => {
  window.streams = [];
  window.fetch = request => (request.url ?? request).endsWith('/join')
    ? new Promise(done => { window.reply = event => done(Response.json({event_id: event})); })
    : Promise.resolve(new Response(new ReadableStream({start: into => { streams.push(into); }})));
  window.send = text => streams.at(-1).enqueue(new TextEncoder().encode(text));
}"""
"""A server that sends and replies what it is told to."""


def slow_line(message: str) -> str:
    """The script that holds back the first message of this kind."""
    return SLOW_LINE.replace("MESSAGE", message)


@pytest.mark.parametrize("message", ["process_generating", "process_completed"])
def test_what_is_typed_while_a_check_is_answered_stays(page: Page, tmp_path: Path, message: str) -> None:
    faulty = tmp_path / "faulty.json"
    faulty.write_text('{"eloquent-robustness-results": {}}', encoding="utf-8")
    page.add_init_script(slow_line(message))
    page.goto("/submit")
    page.locator("#submission-file input[type=file]").set_input_files(faulty)
    page.wait_for_function("ends === 1")
    if message == "process_completed":
        expect(page.locator("#decision")).to_contain_text("Refused")
    page.get_by_label("Team", exact=True).fill(TEAM)
    page.evaluate("letGo()")
    expect(page.locator("#decision")).to_contain_text("Refused")
    page.wait_for_timeout(HEARD_WITHIN_MS)
    expect(page.get_by_label("Team", exact=True)).to_have_value(TEAM)


def test_what_is_asked_while_a_stream_ends_is_answered(page: Page, base_url: str, tmp_path: Path) -> None:
    page.add_init_script(slow_line("close_stream"))
    open_report(page, base_url)
    drop(page, LOGS / "fastchat_pair.jsonl")
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    page.wait_for_function("ends === 1")
    with page.expect_response("**/queue/join**") as reply:
        drop(page, votes_of_people(tmp_path), "#judge-labels")
    reply.value.finished()
    page.wait_for_timeout(HEARD_WITHIN_MS)
    page.evaluate("letGo()")
    expect(page.locator("#judge-report tr", has_text="Agreement with people")).to_be_visible()


def test_a_stream_ends_though_an_answer_came_before_the_reply_to_its_question(page: Page) -> None:
    page.evaluate(SERVER)
    page.set_content(KEPT_OPEN.decode())
    page.evaluate(f"() => {{ window.read = fetch('{STREAM}').then(answer => answer.text()); }}")
    page.evaluate("() => { window.asked = fetch('http://here/gradio_api/queue/join'); }")
    page.wait_for_function("streams.length === 1")
    answer = 'data: {"msg":"process_completed","event_id":"quick"}\n\n'
    end = 'data: {"msg":"close_stream","event_id":null}\n\n'
    page.evaluate("send", answer)
    page.wait_for_timeout(HEARD_WITHIN_MS)
    page.evaluate("async () => { reply('quick'); await asked; }")
    page.evaluate("send", end)
    assert page.evaluate("Promise.race([read, new Promise(done => setTimeout(done, 5000, 'open'))])") == answer + end
    assert page.evaluate("streams.length") == 1


def test_a_choice_that_was_sent_before_its_list_changed_is_no_fault(page: Page, base_url: str) -> None:
    """What was done last arrives first: the list of right options is then shorter than what was sent first says."""
    open_lab(page, base_url)
    expect(page.locator("#lab-gold input")).to_have_value("D")
    held: list[Route] = []
    page.locator("#lab-text textarea").fill("Which is red?")
    page.route("**/gradio_api/run/predict", lambda route: route.continue_() if held else held.append(route))
    with page.expect_response("**/gradio_api/run/predict") as shortened:
        page.locator("#lab-options textarea").fill("blood\ngrass")
        page.locator("#lab-options textarea").blur()
    assert shortened.value.ok
    expect(page.locator("#working[role=status]")).to_have_text("Working …")
    assert len(held) == 1
    expect(page.locator("#lab-gold input")).to_have_value("not known")
    with page.expect_response("**/gradio_api/run/predict") as late:
        held[0].continue_()
    assert late.value.ok
    expect(page.locator("#working")).to_be_empty()
    expect(page.locator("#lab-setup-line")).to_be_visible()
