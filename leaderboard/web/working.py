"""What tells a visitor that an answer is on its way: a sign that is seen, and heard by whoever hears the page."""

WORKING = b"""<script>
(() => {
  const ask = window.fetch;
  const sign = document.createElement('p');
  sign.id = 'working';
  sign.setAttribute('role', 'status');
  document.body.append(sign);
  let touched = -Infinity;
  let owed = 0;
  let timer = 0;
  for (const begins of ['pointerdown', 'keydown', 'input', 'change']) {
    addEventListener(begins, () => { touched = performance.now(); }, {capture: true, passive: true});
  }
  const show = isWorking => {
    sign.textContent = isWorking ? 'Working \\u2026' : '';
    for (const frame of document.querySelectorAll('.table-frame')) frame.ariaBusy = isWorking ? 'true' : null;
  };
  window.fetch = async (request, options) => {
    const asked = new URL(request.url ?? request, location.href).pathname;
    // What a page asks by itself, every few seconds, is nobody's wait.
    const isOwn = performance.now() - touched > 1500;
    if (isOwn || !asked.endsWith('/gradio_api/run/predict')) return ask(request, options);
    owed += 1;
    timer ||= setTimeout(() => show(true), 400);
    try {
      return await ask(request, options);
    } finally {
      owed -= 1;
      if (!owed) {
        clearTimeout(timer);
        timer = 0;
        show(false);
      }
    }
  };
})();
</script>"""
"""Stands in a page before gradio's scripts, which show nothing of their own: an overlay would hide what is read."""
