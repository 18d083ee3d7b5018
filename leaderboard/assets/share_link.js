element.addEventListener('click', async (event) => {
  if (!event.target.closest('[data-copy]')) return;
  const said = element.querySelector('[data-copied]');
  const address = new URL(element.querySelector('a').getAttribute('href'), location.href).href;
  try {
    await navigator.clipboard.writeText(address);
    said.textContent = 'Copied.';
  } catch {
    said.textContent = 'Your browser did not allow it: copy the link itself.';
  }
});
