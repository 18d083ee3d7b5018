"""What keeps a page from losing an answer: its stream of events stays open as long as one is owed to it."""

KEPT_OPEN = b"""<script>
(() => {
  const ask = window.fetch;
  const owed = new Set();
  const early = new Set();  // answered before the page heard what its question is called
  const path = request => new URL(request.url ?? request, location.href).pathname;

  // Hands on what a stream brings, all but the message that ends it; false where it was cut off before.
  const pass = async (body, into) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const encoder = new TextEncoder();
    let begun = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const messages = (begun + read.value).split('\\n\\n');
      begun = messages.pop();
      for (const message of messages) {
        if (message.startsWith('data: {"msg":"close_stream"')) return true;
        const completed = message.match(/^data: {"msg":"process_completed","event_id":"([^"]+)"/);
        if (completed && !owed.delete(completed[1])) early.add(completed[1]);
        if (message.startsWith('data: {"msg":"unexpected_error"')) owed.clear();
        into.enqueue(encoder.encode(message + '\\n\\n'));
      }
    }
    into.enqueue(encoder.encode(begun));
    return false;
  };

  const stream = async (request, options) => {
    const again = new Request(request, options);
    const first = await ask(again.clone());
    if (!first.ok) return first;
    const body = new ReadableStream({
      async start(into) {
        try {
          for (let part = first; ; part = await ask(again.clone())) {
            const isWhole = part.ok && await pass(part.body, into);
            if (!owed.size) break;
            if (!isWhole) throw new Error('The connection to the server was cut off.');
          }
          into.enqueue(new TextEncoder().encode('data: {"msg":"close_stream","event_id":null}\\n\\n'));
          into.close();
        } catch (fault) {
          owed.clear();  // the page says of every one of them that it failed
          into.error(fault);
        }
      },
    });
    return new Response(body, {status: first.status, headers: first.headers});
  };

  window.fetch = async (request, options) => {
    const asked = path(request);
    if (asked.endsWith('/gradio_api/queue/data')) return stream(request, options);
    const answer = await ask(request, options);
    if (asked.endsWith('/gradio_api/queue/join') && answer.ok) {
      const {event_id: event} = await answer.clone().json();
      if (!early.delete(event)) owed.add(event);
    }
    return answer;
  };
})();
</script>"""
"""Stands in a page before gradio's scripts.

gradio 6.31 ends a page's stream of events once the last answer is sent. What the page asks while that end is on its
way gets no stream: the page believes that it still has one, and the answer lies at the server until something else is
asked. So the end of a stream counts only where no answer is owed; else the next stream is read in its place.
"""
