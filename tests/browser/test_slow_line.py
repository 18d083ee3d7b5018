"""What is pressed while the end of an earlier answer is still on its way is answered as well."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import ROOT

LOG = ROOT / "tests" / "data" / "judge_logs" / "fastchat_pair.jsonl"
LABELS = "question,item,first,second,verdict\n" + "".join(
    f"{number},turn 1,m-long,m-short,m-long\n" for number in range(81, 91)
)
LATE_MS = 1500
SLOW_LINE = (
    """(() => {
  const ask = window.fetch;
  const end = 'data: {"msg":"close_stream"';
  window.ends = 0;
  window.isHeld = false;
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
        window.isHeld = true;
        await new Promise(done => setTimeout(done, LATE_MS));
        window.isHeld = false;
        into.enqueue(new TextEncoder().encode(text.slice(at)));
      },
    });
    return new Response(answer.body.pipeThrough(late), {status: answer.status, headers: answer.headers});
  };
})();"""
).replace("LATE_MS", str(LATE_MS))
"""Holds back the message that ends a stream of events, as a line does whose packets take their time."""


def test_what_is_asked_while_a_stream_ends_is_answered(page: Page, base_url: str) -> None:
    page.add_init_script(SLOW_LINE)
    page.goto(f"{base_url}/judge_report")
    expect(page.locator("#view-link a")).to_be_visible()
    page.locator("#judge-log input[type=file]").set_input_files(LOG)
    expect(page.locator("#judge-report .report-judge")).to_be_visible()
    page.wait_for_function("ends === 1")
    labels: FilePayload = {"name": "votes.csv", "mimeType": "text/csv", "buffer": LABELS.encode()}
    with page.expect_response("**/queue/join**"):
        page.locator("#judge-labels input[type=file]").set_input_files(labels)
    assert page.evaluate("ends === 1 && isHeld")  # the end of the first stream has not come yet
    expect(page.locator("#judge-report tr", has_text="Agreement with people")).to_be_visible()
